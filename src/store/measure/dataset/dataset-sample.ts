// The samples of datasets. A row belongs to the versions from `since_version` to before `until_version`; an import's
// rows belong to a version that does not exist yet, so nobody sees them before its end. What filters need is in
// columns; texts are sealed.

import { defineEntity, p } from "@mikro-orm/core";
import { type BulkColumn, insertByColumns, runBound } from "../../core/bulk.ts";
import { tenantTable } from "../../core/tenant.ts";
import type { Transaction } from "../../core/transaction.ts";

const schema = defineEntity({
  name: "DatasetSample",
  tableName: "dataset_sample",
  ...tenantTable,
  uniques: [
    {
      name: "dataset_sample_content",
      properties: ["orgId", "datasetId", "contentHash"],
      where: "until_version is null",
    },
    {
      name: "dataset_sample_external",
      properties: ["orgId", "datasetId", "externalId"],
      where: "until_version is null and external_id is not null",
    },
  ],
  properties: {
    orgId: p.uuid().primary(),
    datasetId: p.uuid().primary(),
    /** Its first 48 bits count the samples of the dataset, so that ids have the order in which they were added. */
    sampleId: p.uuid().primary(),
    sinceVersion: p.integer().primary(),
    untilVersion: p.integer().nullable(),
    /** What makes two samples duplicates of each other. */
    contentHash: p.blob(),
    /** SHA-256 of everything that a caller can say about it. */
    digest: p.blob(),
    /** Digest of what is right about it: duplicates with another one contradict each other. */
    verdict: p.blob(),
    externalId: p.text().nullable(),
    stage: p.text(),
    language: p.text().nullable(),
    split: p.text().nullable(),
    labels: p.array(),
    tags: p.array(),
    sourceTraceId: p.uuid().nullable(),
    trainedOn: p.boolean(),
    sizeBytes: p.integer(),
    sealed: p.blob(),
  },
});

/** A sample, in some versions of its dataset. */
export class DatasetSampleRow extends schema.class {}
schema.setClass(DatasetSampleRow);

/** A row to insert. */
export interface NewSampleRow extends SampleFacets {
  readonly sampleId: string;
  readonly sinceVersion: number;
  readonly contentHash: Uint8Array;
  readonly digest: Uint8Array;
  readonly verdict: Uint8Array;
  readonly externalId: string | null;
  readonly tags: readonly string[];
  readonly sourceTraceId: string | null;
  readonly sizeBytes: number;
  readonly sealed: Uint8Array;
}

/** What a sample counts as. */
export interface SampleFacets {
  readonly stage: string;
  readonly language: string | null;
  readonly split: string | null;
  readonly labels: readonly string[];
  readonly trainedOn: boolean;
}

/** Inserts rows. */
export async function insertSamples(tx: Transaction, datasetId: string, rows: readonly NewSampleRow[]): Promise<void> {
  const column = (
    name: string,
    type: BulkColumn["type"],
    read: (row: NewSampleRow) => BulkColumn["values"][number],
  ): BulkColumn => ({ name, type, values: rows.map(read) });
  await insertByColumns(tx, {
    table: "dataset_sample",
    common: [
      { name: "org_id", type: "uuid", value: tx.orgId },
      { name: "dataset_id", type: "uuid", value: datasetId },
    ],
    columns: [
      column("sample_id", "uuid", ({ sampleId }) => sampleId),
      column("since_version", "int", ({ sinceVersion }) => sinceVersion),
      column("content_hash", "hex", ({ contentHash }) => contentHash),
      column("digest", "hex", ({ digest }) => digest),
      column("verdict", "hex", ({ verdict }) => verdict),
      column("external_id", "text", ({ externalId }) => externalId),
      column("stage", "text", ({ stage }) => stage),
      column("language", "text", ({ language }) => language),
      column("split", "text", ({ split }) => split),
      column("labels", "text[]", ({ labels }) => labels),
      column("tags", "text[]", ({ tags }) => tags),
      column("source_trace_id", "uuid", ({ sourceTraceId }) => sourceTraceId),
      column("trained_on", "boolean", ({ trainedOn }) => trainedOn),
      column("size_bytes", "int", ({ sizeBytes }) => sizeBytes),
    ],
    bytes: { name: "sealed", values: rows.map(({ sealed }) => sealed) },
  });
}

/** A sample of the newest version, as a change of it needs it. */
export interface CurrentSample extends SampleFacets {
  readonly sampleId: string;
  readonly sinceVersion: number;
  readonly contentHash: Buffer;
  readonly verdict: Buffer;
  readonly externalId: string | null;
  readonly sourceTraceId: string | null;
  readonly sizeBytes: number;
}

const current = `sample_id as "sampleId", since_version as "sinceVersion", content_hash as "contentHash", verdict,
  external_id as "externalId", source_trace_id as "sourceTraceId", stage, language, split, labels,
  trained_on as "trainedOn", size_bytes as "sizeBytes"`;

/** The samples of the newest version that have one of these contents or names. */
export function findClashing(
  tx: Transaction,
  datasetId: string,
  {
    contentHashes,
    externalIds,
  }: { readonly contentHashes: readonly Uint8Array[]; readonly externalIds: readonly string[] },
): Promise<CurrentSample[]> {
  // As a union, so that each half has its index.
  return runBound<CurrentSample>(
    tx,
    `select ${current} from dataset_sample
     where org_id = $1 and dataset_id = $2 and until_version is null and content_hash = any($3::bytea[])
     union
     select ${current} from dataset_sample
     where org_id = $1 and dataset_id = $2 and until_version is null and external_id = any($4::text[])`,
    [tx.orgId, datasetId, contentHashes, externalIds],
  );
}

/** A sample as it is read. */
export interface StoredSample extends CurrentSample {
  readonly sealed: Buffer;
}

/** The sample in the newest version, or undefined. */
export async function findCurrentSample(
  tx: Transaction,
  datasetId: string,
  sampleId: string,
): Promise<StoredSample | undefined> {
  const rows = await runBound<StoredSample>(
    tx,
    `select ${current}, sealed from dataset_sample
     where org_id = $1 and dataset_id = $2 and sample_id = $3 and until_version is null`,
    [tx.orgId, datasetId, sampleId],
  );
  return rows[0];
}

/** Which samples of a version to read. */
export interface SampleFilter {
  readonly version: number;
  readonly label?: string | undefined;
  readonly stage?: string | undefined;
  readonly language?: string | undefined;
  readonly split?: string | undefined;
  readonly tag?: string | undefined;
  /** Only these; undefined for all. */
  readonly ids?: readonly string[] | undefined;
}

/** Where to read on: after a sample, or after a number of them. */
export interface SamplePage {
  readonly limit: number;
  readonly offset?: number;
  readonly after?: string | undefined;
}

/** Samples of a version in the order in which they were added. */
export function readSamples(
  tx: Transaction,
  datasetId: string,
  filter: SampleFilter,
  { limit, offset = 0, after }: SamplePage,
): Promise<StoredSample[]> {
  return runBound<StoredSample>(
    tx,
    `select ${current}, sealed from dataset_sample where ${matching}
       and ($10::uuid is null or sample_id > $10) order by sample_id limit $11 offset $12`,
    [...matchingValues(tx, datasetId, filter), after ?? null, limit, offset],
  );
}

/** How many samples of a version match. */
export async function countSamples(tx: Transaction, datasetId: string, filter: SampleFilter): Promise<number> {
  const rows = await runBound<{ count: number }>(
    tx,
    `select count(*)::int as count from dataset_sample where ${matching}`,
    matchingValues(tx, datasetId, filter),
  );
  return rows[0]?.count ?? 0;
}

/** The matching samples of a version of which a benchmark has no result: the first of their ids, and how many. */
export async function samplesWithoutResult(
  tx: Transaction,
  { datasetId, filter, runId }: { readonly datasetId: string; readonly filter: SampleFilter; readonly runId: string },
  limit: number,
): Promise<{ readonly ids: string[]; readonly count: number }> {
  const rows = await runBound<{ id: string; count: number }>(
    tx,
    `select sample_id as id, (count(*) over ())::int as count from dataset_sample where ${matching}
       and not exists (select 1 from benchmark_result r
         where r.org_id = $1 and r.run_id = $10 and r.sample_id = dataset_sample.sample_id)
     order by sample_id limit $11`,
    [...matchingValues(tx, datasetId, filter), runId, limit],
  );
  return { ids: rows.map(({ id }) => id), count: rows[0]?.count ?? 0 };
}

const matching = `org_id = $1 and dataset_id = $2 and since_version <= $3
  and (until_version is null or until_version > $3)
  and ($4::text is null or labels @> array[$4]) and ($5::text is null or stage = $5)
  and ($6::text is null or language = $6) and ($7::text is null or split = $7)
  and ($8::text is null or tags @> array[$8]) and ($9::uuid[] is null or sample_id = any($9))`;

function matchingValues(tx: Transaction, datasetId: string, filter: SampleFilter): unknown[] {
  const { version, label = null, stage = null, language = null, split = null, tag = null, ids = null } = filter;
  return [tx.orgId, datasetId, version, label, stage, language, split, tag, ids];
}

/** SHA-256 over the digests of a version's samples, in the order of the digests. */
export async function digestSamples(tx: Transaction, datasetId: string, version: number): Promise<Buffer> {
  const rows = await runBound<{ digest: Buffer }>(
    tx,
    `select sha256(coalesce(string_agg(digest, ''::bytea order by digest), ''::bytea)) as digest from dataset_sample
     where org_id = $1 and dataset_id = $2 and since_version <= $3 and (until_version is null or until_version > $3)`,
    [tx.orgId, datasetId, version],
  );
  return rows[0]?.digest ?? Buffer.alloc(0);
}

/** A row of a sample. */
export type SampleRowKey = Pick<CurrentSample, "sampleId" | "sinceVersion">;

/**
 * Leaves samples out from this version on. A row that began with that version was in none before it: it goes. Returns
 * the room that became free.
 */
export async function endSamples(
  tx: Transaction,
  datasetId: string,
  version: number,
  rows: readonly SampleRowKey[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const ids = rows.map(({ sampleId }) => sampleId);
  await runBound(
    tx,
    `update dataset_sample set until_version = $3 where org_id = $1 and dataset_id = $2 and sample_id = any($4::uuid[])
       and until_version is null and since_version < $3`,
    [tx.orgId, datasetId, version, ids],
  );
  const gone = await runBound<{ bytes: string }>(
    tx,
    `with gone as (delete from dataset_sample where org_id = $1 and dataset_id = $2 and sample_id = any($4::uuid[])
       and until_version is null and since_version = $3 returning size_bytes)
     select coalesce(sum(size_bytes), 0) as bytes from gone`,
    [tx.orgId, datasetId, version, ids],
  );
  return Number(gone[0]?.bytes ?? 0);
}

/** Removes up to `limit` samples of a dataset. Returns how many. */
export async function deleteSamples(tx: Transaction, datasetId: string, limit: number): Promise<number> {
  const rows = await runBound<{ gone: number }>(
    tx,
    `with gone as (
       delete from dataset_sample s using (
         select sample_id, since_version from dataset_sample where org_id = $1 and dataset_id = $2 limit $3) old
       where s.org_id = $1 and s.dataset_id = $2 and s.sample_id = old.sample_id
         and s.since_version = old.since_version returning 1)
     select count(*)::int as gone from gone`,
    [tx.orgId, datasetId, limit],
  );
  return rows[0]?.gone ?? 0;
}

/** Removes what an import has written into a version that does not exist. */
export async function discardVersion(tx: Transaction, datasetId: string, version: number): Promise<void> {
  const of = [tx.orgId, datasetId, version];
  // Whom a sample is about is forgotten with it, unless versions before have it too.
  await runBound(
    tx,
    `with gone as (
       delete from dataset_sample where org_id = $1 and dataset_id = $2 and since_version = $3 returning sample_id)
     delete from dataset_subject s using gone
     where s.org_id = $1 and s.dataset_id = $2 and s.sample_id = gone.sample_id and not exists (
       select 1 from dataset_sample o where o.org_id = $1 and o.dataset_id = $2 and o.sample_id = s.sample_id
         and o.since_version < $3)`,
    of,
  );
  await runBound(
    tx,
    "update dataset_sample set until_version = null where org_id = $1 and dataset_id = $2 and until_version = $3",
    of,
  );
}

/** Numbers about samples. */
export interface SampleNumbers {
  readonly sampleCount: number;
  readonly trainingOverlap: number;
  readonly sizeBytes: number;
  readonly counts: Readonly<Record<"label" | "stage" | "language" | "split", Record<string, number>>>;
}

/** Counts the samples that no version ends yet, one by one, and the room of all. */
export async function recountSamples(tx: Transaction, datasetId: string): Promise<SampleNumbers> {
  const [sums] = await runBound<{ samples: number; trained: number; bytes: string }>(
    tx,
    `select count(*) filter (where until_version is null)::int as samples, coalesce(sum(size_bytes), 0) as bytes,
       count(*) filter (where until_version is null and trained_on)::int as trained
     from dataset_sample where org_id = $1 and dataset_id = $2`,
    [tx.orgId, datasetId],
  );
  const named = (column: string, from: string) =>
    `select '${column}' as kind, ${from} as name, count(*)::int as count from dataset_sample
     ${from === "label" ? "cross join unnest(labels) label" : ""}
     where org_id = $1 and dataset_id = $2 and until_version is null and ${from} is not null group by ${from}`;
  const rows = await runBound<{ kind: keyof SampleNumbers["counts"]; name: string; count: number }>(
    tx,
    ["label", "stage", "language", "split"].map((column) => named(column, column)).join(" union all "),
    [tx.orgId, datasetId],
  );
  const counts: SampleNumbers["counts"] = { label: {}, stage: {}, language: {}, split: {} };
  for (const { kind, name, count } of rows) {
    Object.defineProperty(counts[kind], name, { value: count, enumerable: true, configurable: true, writable: true });
  }
  const { samples = 0, trained = 0, bytes = "0" } = sums ?? {};
  return { sampleCount: samples, trainingOverlap: trained, sizeBytes: Number(bytes), counts };
}
