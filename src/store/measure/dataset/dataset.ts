// Datasets and their versions. A version is a number: the rows of samples say from which version to which they belong.

import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../../../kit/rpc/page.ts";
import { runBound } from "../../core/bulk.ts";
import { containsIn } from "../../core/substring.ts";
import { tenantTable } from "../../core/tenant.ts";
import type { Transaction } from "../../core/transaction.ts";

/** Whether a dataset can be used. */
export type DatasetState = "awaiting_upload" | "importing" | "ready" | "failed";

/** Numbers of samples by label, stage, language and split. */
export type DatasetCounts = Readonly<Record<"label" | "stage" | "language" | "split", Record<string, number>>>;

/** The licence of texts, and who accepted it. */
export type DatasetLicence = {
  readonly spdx: string;
  readonly url: string | null;
  readonly accepted_by: string;
  readonly accepted_at: string;
};

const schema = defineEntity({
  name: "Dataset",
  tableName: "dataset",
  ...tenantTable,
  uniques: [{ name: "dataset_name", properties: ["orgId", "name"] }],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    projectId: p.uuid().nullable(),
    name: p.text(),
    description: p.text().nullable(),
    catalogId: p.uuid().nullable(),
    licence: p.json<DatasetLicence>().nullable(),
    state: p.text().$type<DatasetState>(),
    /** The newest version; 0 before the first. */
    version: p.integer().default(0),
    /** Of the newest version. */
    sampleCount: p.integer().default(0),
    /** Of the newest version. */
    counts: p.json<DatasetCounts>(),
    /** Samples of the newest version that models were trained on. */
    trainingOverlap: p.integer().default(0),
    /** Samples that were ever added: the number in the next one's id. */
    everAdded: p.bigint("number").default(0),
    /** Room that the samples of all versions take. */
    sizeBytes: p.bigint("number").default(0),
    metadata: p.json<JsonObject>(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** A dataset. */
export class DatasetRow extends schema.class {}
schema.setClass(DatasetRow);

const versionSchema = defineEntity({
  name: "DatasetVersion",
  tableName: "dataset_version",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    datasetId: p.uuid().primary(),
    version: p.integer().primary(),
    /** SHA-256 over its samples; null until something has used it, and after an erasure. */
    digest: p.blob().nullable(),
    sampleCount: p.integer(),
    added: p.integer(),
    changed: p.integer(),
    removed: p.integer(),
    erasedSamples: p.integer().default(0),
    erasureRevision: p.integer().default(0),
    importId: p.uuid().nullable(),
    createdBy: p.text(),
    createdAt: p.datetime(3),
  },
});

/** A version of a dataset. */
export class DatasetVersionRow extends versionSchema.class {}
versionSchema.setClass(DatasetVersionRow);

/** Which datasets a caller means. */
export interface DatasetFilter {
  readonly projectId?: string | undefined;
  /** Those with this in their name or description. */
  readonly query?: string | undefined;
  /** The project of a ci token: it reaches that one's datasets, and those of no project. */
  readonly reachedProjectId?: string | undefined;
}

/** The dataset, or null when the organization has none with this id, or the caller does not reach it. */
export function findDataset(tx: Transaction, id: string, reached: DatasetFilter = {}): Promise<DatasetRow | null> {
  return tx.em.findOne(DatasetRow, { orgId: tx.orgId, id, ...whereOf(reached) });
}

/** The same, locked until the commit: changes of one dataset happen one after the other. */
export async function lockDataset(tx: Transaction, id: string, reached: DatasetFilter = {}) {
  await tx.sql("select id from dataset where org_id = ? and id = ? for no key update", [tx.orgId, id]);
  return findDataset(tx, id, reached);
}

/** The dataset. If there is one, nobody can delete it before the commit. */
export async function shareDataset(tx: Transaction, id: string): Promise<DatasetRow | null> {
  await tx.sql("select id from dataset where org_id = ? and id = ? for share", [tx.orgId, id]);
  return findDataset(tx, id);
}

/** A page of datasets, newest first, and their count. */
export function listDatasets(tx: Transaction, filter: DatasetFilter, page: Page): Promise<[DatasetRow[], number]> {
  return tx.em.findAndCount(
    DatasetRow,
    { orgId: tx.orgId, ...whereOf(filter) },
    { ...page, orderBy: { createdAt: "desc", id: "asc" } },
  );
}

function whereOf({ projectId, query, reachedProjectId }: DatasetFilter) {
  const reached = { $or: [{ projectId: reachedProjectId }, { projectId: null }] };
  // Each is a choice between alternatives, and all of them have to hold.
  const choices = [
    ...(query === undefined ? [] : [containsIn(query, "name", "description")]),
    ...(reachedProjectId === undefined ? [] : [reached]),
  ];
  return {
    ...(projectId === undefined ? {} : { projectId }),
    ...(choices.length === 0 ? {} : { $and: choices }),
  };
}

/** How many datasets there are. Counting holds back others who create one until the commit. */
export async function countDatasets(tx: Transaction): Promise<number> {
  await tx.sql("select id from organization where id = ? for no key update", [tx.orgId]);
  return tx.em.count(DatasetRow, { orgId: tx.orgId });
}

/** Deletes the dataset and its versions. Its samples stay behind, out of reach, until a job removes them. */
export async function deleteDataset(tx: Transaction, id: string): Promise<void> {
  await tx.em.nativeDelete(DatasetRow, { orgId: tx.orgId, id });
}

/** The version, or null. */
export function findVersion(tx: Transaction, datasetId: string, version: number): Promise<DatasetVersionRow | null> {
  return tx.em.findOne(DatasetVersionRow, { orgId: tx.orgId, datasetId, version });
}

/** A page of versions, newest first, and their count. */
export function listVersions(tx: Transaction, datasetId: string, page: Page): Promise<[DatasetVersionRow[], number]> {
  return tx.em.findAndCount(
    DatasetVersionRow,
    { orgId: tx.orgId, datasetId },
    { ...page, orderBy: { version: "desc" } },
  );
}

/** The digests of the newest versions of these datasets, by dataset; those that have none are left out. */
export async function newestDigests(
  tx: Transaction,
  datasets: readonly Pick<DatasetRow, "id" | "version">[],
): Promise<Map<string, Buffer>> {
  if (datasets.length === 0) return new Map();
  const rows = await runBound<{ dataset_id: string; digest: Buffer }>(
    tx,
    `select v.dataset_id, v.digest from dataset_version v
     join unnest($2::uuid[], $3::int[]) newest (id, version) on v.dataset_id = newest.id and v.version = newest.version
     where v.org_id = $1 and v.digest is not null`,
    [tx.orgId, datasets.map(({ id }) => id), datasets.map(({ version }) => version)],
  );
  return new Map(rows.map((row) => [row.dataset_id, row.digest]));
}
