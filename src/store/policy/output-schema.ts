import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../../kit/rpc/page.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "OutputSchema",
  tableName: "output_schema",
  ...tenantTable,
  uniques: [{ name: "output_schema_name", properties: ["orgId", "name"] }],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    description: p.text().nullable(),
    schema: p.json<JsonObject>(),
    version: p.integer(),
    enabled: p.boolean(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** A schema that structured outputs are checked against. */
export class OutputSchemaRow extends schema.class {}
schema.setClass(OutputSchemaRow);

/** A schema in the active bundle of an environment. */
export interface BundledSchema {
  readonly project_id: string;
  readonly environment: string;
  readonly bundle_version: number;
  /** "schemas/<id>/<version>.json". */
  readonly path: string;
}

/** The schema, or null when the organization has none with this id. */
export function findOutputSchema(tx: Transaction, id: string): Promise<OutputSchemaRow | null> {
  return tx.em.findOne(OutputSchemaRow, { orgId: tx.orgId, id });
}

/** The schema with this name, or null. */
export function findOutputSchemaByName(tx: Transaction, name: string): Promise<OutputSchemaRow | null> {
  return tx.em.findOne(OutputSchemaRow, { orgId: tx.orgId, name });
}

/** The same as by its id, locked until the commit: changes of one schema happen one after the other. */
export async function lockOutputSchema(tx: Transaction, id: string): Promise<OutputSchemaRow | null> {
  await tx.sql("select id from output_schema where org_id = ? and id = ? for no key update", [tx.orgId, id]);
  return findOutputSchema(tx, id);
}

/** A page of schemas, newest first, and their count. */
export function listOutputSchemas(tx: Transaction, page: Page): Promise<[OutputSchemaRow[], number]> {
  return tx.em.findAndCount(
    OutputSchemaRow,
    { orgId: tx.orgId },
    { ...page, orderBy: { createdAt: "desc", id: "asc" } },
  );
}

/** Every schema, by name. */
export function allOutputSchemas(tx: Transaction): Promise<OutputSchemaRow[]> {
  return tx.em.find(OutputSchemaRow, { orgId: tx.orgId }, { orderBy: { name: "asc" } });
}

/** How many schemas there are. Counting holds back others who create one until the commit. */
export async function countOutputSchemas(tx: Transaction): Promise<number> {
  await tx.sql("select id from organization where id = ? for no key update", [tx.orgId]);
  return tx.em.count(OutputSchemaRow, { orgId: tx.orgId });
}

/** The schemas in active bundles, by project and environment. */
export function bundledSchemas(tx: Transaction): Promise<BundledSchema[]> {
  return tx.sql<BundledSchema>(
    `select b.project_id, b.environment, b.version as bundle_version, part->>'path' as path
       from environment e
       join bundle b on b.org_id = e.org_id and b.environment_id = e.id and b.version = e.active_version
       cross join lateral jsonb_array_elements(b.parts) part
      where e.org_id = ? and part->>'path' like 'schemas/%'
      order by b.project_id, b.environment`,
    [tx.orgId],
  );
}
