// Imports into datasets: what came of each, while it runs and afterwards.

import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../../../kit/rpc/page.ts";
import { runBound } from "../../core/bulk.ts";
import { lookupRole, workerRole } from "../../core/roles.ts";
import type { SqlFunction } from "../../core/sql-function.ts";
import { lookupTenantTable } from "../../core/tenant.ts";
import type { Lookups, Transaction } from "../../core/transaction.ts";

const schema = defineEntity({
  name: "DatasetImport",
  tableName: "dataset_import",
  ...lookupTenantTable,
  indexes: [
    {
      name: "dataset_import_newest",
      columns: [
        { name: "org_id" },
        { name: "dataset_id" },
        { name: "created_at", sort: "DESC" as const },
        { name: "id" },
      ],
    },
    // The imports that are not finished, of all organizations: there are few.
    { name: "dataset_import_open", properties: ["touchedAt"], where: "finished_at is null" },
  ],
  properties: {
    orgId: p.uuid().primary(),
    /** Of an import by a run, the run's id. */
    id: p.uuid().primary(),
    datasetId: p.uuid(),
    state: p.text().$type<"queued" | "running" | "succeeded" | "failed" | "canceled">(),
    source: p.text().$type<"body" | "url" | "catalog">(),
    format: p.text(),
    /** Where the next step of writing is allowed: whoever begins the import anew raises it. */
    attempt: p.integer().default(0),
    bytes: p.bigint("number").default(0),
    lines: p.bigint("number").default(0),
    added: p.integer().default(0),
    replaced: p.integer().default(0),
    duplicates: p.integer().default(0),
    rejected: p.integer().default(0),
    /** The version that it made; null when it made none. */
    version: p.integer().nullable(),
    /** Why samples were refused, as JSON: the first thousand. Null when they are not kept any more. */
    problems: p.text().nullable(),
    errorCode: p.text().nullable(),
    errorMessage: p.text().nullable(),
    createdBy: p.text(),
    createdAt: p.datetime(3),
    /** When somebody last worked on it. */
    touchedAt: p.datetime(3),
    finishedAt: p.datetime(3).nullable(),
  },
});

/** An import. */
export class DatasetImportRow extends schema.class {}
schema.setClass(DatasetImportRow);

/** The import, or null. */
export function findImport(tx: Transaction, datasetId: string, id: string): Promise<DatasetImportRow | null> {
  return tx.em.findOne(DatasetImportRow, { orgId: tx.orgId, datasetId, id });
}

/** The dataset that an import is into, or undefined. */
export async function datasetOfImport(tx: Transaction, id: string): Promise<string | undefined> {
  const rows = await runBound<{ dataset_id: string }>(
    tx,
    "select dataset_id from dataset_import where org_id = $1 and id = $2",
    [tx.orgId, id],
  );
  return rows[0]?.dataset_id;
}

/** How many imports of bodies are under way. */
export async function countOpenImports(tx: Transaction): Promise<number> {
  const rows = await runBound<{ count: number }>(
    tx,
    `select count(*)::int as count from dataset_import
     where org_id = $1 and finished_at is null and state = 'running' and source = 'body'`,
    [tx.orgId],
  );
  return rows[0]?.count ?? 0;
}

/** The same, locked until the commit; of whichever dataset. */
export async function lockImport(tx: Transaction, id: string): Promise<DatasetImportRow | null> {
  await tx.sql("select id from dataset_import where org_id = ? and id = ? for no key update", [tx.orgId, id]);
  return tx.em.findOne(DatasetImportRow, { orgId: tx.orgId, id });
}

/** A page of imports, newest first, and their count. */
export function listImports(tx: Transaction, datasetId: string, page: Page): Promise<[DatasetImportRow[], number]> {
  return tx.em.findAndCount(
    DatasetImportRow,
    { orgId: tx.orgId, datasetId },
    { ...page, orderBy: { createdAt: "desc", id: "asc" } },
  );
}

/**
 * Forgets why samples were refused, of imports that were made before the first moment, and imports before the second.
 * Returns how many imports that were.
 */
export async function forgetImports(
  tx: Transaction,
  { detailsBefore, before }: { readonly detailsBefore: Date; readonly before: Date },
): Promise<number> {
  const forgotten = await runBound(
    tx,
    `update dataset_import set problems = null
     where org_id = $1 and created_at < $2 and finished_at is not null and problems is not null returning 1 as one`,
    [tx.orgId, detailsBefore],
  );
  const gone = await runBound(
    tx,
    "delete from dataset_import where org_id = $1 and created_at < $2 and finished_at is not null returning 1 as one",
    [tx.orgId, before],
  );
  return forgotten.length + gone.length;
}

/** An import of any organization. */
export interface ImportAddress {
  readonly org_id: string;
  readonly import_id: string;
}

/** Imports that run, that nobody has touched since the moment and that no run will take up, at most `limit`. */
export function lookUpStaleImports(database: Lookups, moment: Date, limit: number): Promise<ImportAddress[]> {
  return database.lookup("stale_imports", [moment, limit]);
}

/** Functions about imports. */
export const importFunctions: readonly SqlFunction[] = [
  {
    signature: "stale_imports(timestamptz, int)",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.stale_imports(touched_before timestamptz, most int)
      returns table (org_id uuid, import_id uuid)
      language sql stable security definer set search_path = pg_catalog, public as $$
        select i.org_id, i.id from public.dataset_import i
        where i.finished_at is null and i.state = 'running' and i.touched_at < touched_before
          and not exists (select from public.run r where r.org_id = i.org_id and r.id = i.id and r.finished_at is null)
        order by i.touched_at limit most
      $$`,
  },
];
