// What was found in traces, as an index: a page of the traces in which a rule, say, found something costs the same
// whether the rule is rare or in every second trace. Traces in which nothing was found have no rows here until somebody
// annotates them.

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
  /** What annotators say: "any", "disputed", or the mark that they agree on. */
  ANNOTATION: 6,
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

/** Replaces the facets of one kind of these traces. */
export async function replaceFacets(
  tx: Transaction,
  kind: FacetKind,
  traces: readonly { readonly id: string; readonly createdAt: Date; readonly values: readonly string[] }[],
): Promise<void> {
  if (traces.length === 0) return;
  const times = traces.map(({ createdAt }) => createdAt.getTime());
  // The bounds let the planner leave out the partitions of other months.
  await runBound(
    tx,
    `delete from trace_facet f using unnest($2::uuid[], $3::float8[]) as given (id, created_ms)
     where f.org_id = $1 and f.id = given.id and f.created_at = to_timestamp(given.created_ms / 1000.0) and f.kind = $4
       and f.created_at >= $5 and f.created_at <= $6`,
    [
      ...[tx.orgId, traces.map(({ id }) => id), times, kind],
      ...[new Date(Math.min(...times)), new Date(Math.max(...times))],
    ],
  );
  const facets = traces.map(({ values, ...trace }) => ({ ...trace, facets: values.map((value) => ({ kind, value })) }));
  await insertFacets(tx, facets);
}
