// Whom samples are about that were copied from traces, as keyed hashes: what an erasure finds them by, also when their
// traces are long gone.

import { defineEntity, p } from "@mikro-orm/core";
import { insertRows, runBound } from "../../core/bulk.ts";
import { tenantTable } from "../../core/tenant.ts";
import type { Transaction } from "../../core/transaction.ts";
import type { SampleFacets } from "./dataset-sample.ts";

const schema = defineEntity({
  name: "DatasetSubject",
  tableName: "dataset_subject",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    digest: p.blob().primary(),
    datasetId: p.uuid().primary(),
    sampleId: p.uuid().primary(),
  },
});

/** One sample is about one subject. */
export class DatasetSubjectRow extends schema.class {}
schema.setClass(DatasetSubjectRow);

/** A sample of a dataset, and whom it is about. */
export interface SampleSubject {
  readonly sampleId: string;
  readonly digest: Uint8Array;
}

/** Notes whom samples are about. */
export async function noteSubjects(
  tx: Transaction,
  datasetId: string,
  subjects: readonly SampleSubject[],
): Promise<void> {
  await insertRows(tx, {
    table: "dataset_subject",
    columns: ["org_id", "digest", "dataset_id", "sample_id"],
    rows: subjects.map(({ digest, sampleId }) => [tx.orgId, digest, datasetId, sampleId]),
    suffix: "on conflict do nothing",
  });
}

/** A sample that is about somebody. */
export interface FoundSubject {
  readonly datasetId: string;
  readonly sampleId: string;
}

/** Samples about any of these subjects, by dataset: at most `limit`, those of the first datasets. */
export function findSamplesAbout(
  tx: Transaction,
  digests: readonly Uint8Array[],
  limit: number,
): Promise<FoundSubject[]> {
  return runBound<FoundSubject>(
    tx,
    `select distinct dataset_id as "datasetId", sample_id as "sampleId" from dataset_subject
     where org_id = $1 and digest = any($2::bytea[]) order by dataset_id, sample_id limit $3`,
    [tx.orgId, digests, limit],
  );
}

/** Whom the samples that have one of these digests are about besides, by that digest in hexadecimal digits. */
export async function subjectsBeside(tx: Transaction, digests: readonly Uint8Array[]): Promise<Map<string, Buffer[]>> {
  const rows = await runBound<{ known: string; digest: Buffer }>(
    tx,
    `select distinct encode(known.digest, 'hex') as known, other.digest from dataset_subject known
     join dataset_subject other on other.org_id = known.org_id and other.dataset_id = known.dataset_id
       and other.sample_id = known.sample_id
     where known.org_id = $1 and known.digest = any($2::bytea[])`,
    [tx.orgId, digests],
  );
  const byKnown = Map.groupBy(rows, ({ known }) => known);
  return new Map([...byKnown].map(([known, found]) => [known, found.map(({ digest }) => digest)]));
}

/** A row of a sample that an erasure has removed. */
export interface ErasedRow extends SampleFacets {
  readonly sinceVersion: number;
  readonly untilVersion: number | null;
  readonly sizeBytes: number;
}

/** Removes samples from every version of their dataset, and forgets whom they were about. Returns their rows. */
export async function eraseSamples(
  tx: Transaction,
  datasetId: string,
  sampleIds: readonly string[],
): Promise<ErasedRow[]> {
  await runBound(
    tx,
    "delete from dataset_subject where org_id = $1 and dataset_id = $2 and sample_id = any($3::uuid[])",
    [...[tx.orgId, datasetId, sampleIds]],
  );
  return runBound<ErasedRow>(
    tx,
    `delete from dataset_sample where org_id = $1 and dataset_id = $2 and sample_id = any($3::uuid[])
     returning since_version as "sinceVersion", until_version as "untilVersion", size_bytes as "sizeBytes", stage,
       language, split, labels, trained_on as "trainedOn"`,
    [tx.orgId, datasetId, sampleIds],
  );
}

/** Counts erased samples in the versions that had them, which lose their digest. */
export async function noteErased(tx: Transaction, datasetId: string, rows: readonly ErasedRow[]): Promise<void> {
  await runBound(
    tx,
    `update dataset_version v set erased_samples = erased_samples + gone.count, digest = null,
       erasure_revision = erasure_revision + 1, sample_count = sample_count - gone.count
     from (select version, count(*)::int as count from dataset_version o
             join unnest($3::int[], $4::int[]) erased (since, until)
               on o.version >= erased.since and (erased.until is null or o.version < erased.until)
           where o.org_id = $1 and o.dataset_id = $2 group by version) gone
     where v.org_id = $1 and v.dataset_id = $2 and v.version = gone.version`,
    [tx.orgId, datasetId, rows.map(({ sinceVersion }) => sinceVersion), rows.map(({ untilVersion }) => untilVersion)],
  );
}

/** Forgets whom the samples of a dataset were about. */
export async function forgetSubjects(tx: Transaction, datasetId: string): Promise<void> {
  await runBound(tx, "delete from dataset_subject where org_id = $1 and dataset_id = $2", [tx.orgId, datasetId]);
}
