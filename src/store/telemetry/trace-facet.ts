// What was found in traces, as an index: a page of the traces in which a rule, say, found something costs the same
// whether the rule is rare or in every second trace. Traces in which nothing was found have no rows here.

import { defineEntity, p } from "@mikro-orm/core";
import { runBound } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";
import { newestFirst } from "./newest-first.ts";

/** What a facet names. */
export const FacetKind = {
  /** Id of a rule that found something. */
  RULE: 1,
  /** Name of the policy of such a rule. */
  POLICY: 2,
  /** A detector, by the name that findings give it. */
  DETECTOR: 3,
  /** Category of a finding. */
  CATEGORY: 4,
  /** Why something could not be judged. */
  UNJUDGED: 5,
} as const;

/** One of `FacetKind`. */
export type FacetKind = (typeof FacetKind)[keyof typeof FacetKind];

const schema = defineEntity({
  name: "TraceFacet",
  tableName: "trace_facet",
  ...tenantTable,
  partitionBy: {
    type: "range",
    expression: "createdAt",
    partitions: [{ name: "trace_facet_pdefault", values: "default" }],
  },
  indexes: [newestFirst("trace_facet_newest", ["kind", "value"])],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    createdAt: p.datetime(3).primary(),
    kind: p.smallint().primary(),
    value: p.text().primary(),
  },
});

/** One thing that was found in a trace. */
export class TraceFacetRow extends schema.class {}
schema.setClass(TraceFacetRow);

/** Something that was found. */
export interface Facet {
  readonly kind: FacetKind;
  readonly value: string;
}

/** Stores the facets of traces. One that is there already stays. */
export async function insertFacets(
  tx: Transaction,
  traces: readonly { readonly id: string; readonly createdAt: Date; readonly facets: readonly Facet[] }[],
): Promise<void> {
  const rows = traces.flatMap(({ id, createdAt, facets }) => facets.map((facet) => ({ id, createdAt, ...facet })));
  if (rows.length === 0) return;
  await runBound(
    tx,
    `insert into trace_facet (org_id, id, created_at, kind, value)
     select $1, id, to_timestamp(created_ms / 1000.0), kind, value
     from unnest($2::uuid[], $3::float8[], $4::smallint[], $5::text[]) as facet (id, created_ms, kind, value)
     on conflict do nothing`,
    [
      tx.orgId,
      rows.map((row) => row.id),
      rows.map((row) => row.createdAt.getTime()),
      rows.map((row) => row.kind),
      rows.map((row) => row.value),
    ],
  );
}
