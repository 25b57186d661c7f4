// The keys of stored evaluations: an evaluation is new if and only if its key is new. They have a table of their own,
// since traces are partitioned by time: a unique key on them would have to contain the time.

import { defineEntity, p } from "@mikro-orm/core";
import { runBound } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "EvaluationKey",
  tableName: "evaluation_key",
  ...tenantTable,
  partitionBy: { type: "hash", expression: "orgId", partitions: 8 },
  // For the removal of old keys. Keys arrive in the order of time, so a block-range index of a few pages is enough.
  indexes: [{ name: "evaluation_key_age", properties: ["createdAt"], type: "brin" }],
  properties: {
    orgId: p.uuid().primary(),
    evaluationId: p.uuid().primary(),
    createdAt: p.datetime(3),
    payloadHash: p.blob(),
  },
});

/** One evaluation that was stored: its id and a digest of its first payload. */
export class EvaluationKeyRow extends schema.class {}
schema.setClass(EvaluationKeyRow);

/** A key to claim. */
export interface EvaluationKey {
  readonly evaluationId: string;
  readonly createdAt: Date;
  readonly payloadHash: Uint8Array;
}

/**
 * Claims keys and returns the ids that were new. They are claimed in their order, so that batches with the same ids
 * wait for each other instead of deadlocking.
 */
export async function claimKeys(tx: Transaction, keys: readonly EvaluationKey[]): Promise<Set<string>> {
  const sorted = [...keys].sort((a, b) => (a.evaluationId < b.evaluationId ? -1 : 1));
  const rows = await runBound<{ evaluation_id: string }>(
    tx,
    `insert into evaluation_key (org_id, evaluation_id, created_at, payload_hash)
     select $1, evaluation_id, to_timestamp(created_ms / 1000.0), decode(payload_hash, 'base64')
     from unnest($2::uuid[], $3::float8[], $4::text[]) as key (evaluation_id, created_ms, payload_hash)
     on conflict do nothing returning evaluation_id`,
    [
      tx.orgId,
      sorted.map((key) => key.evaluationId),
      sorted.map((key) => key.createdAt.getTime()),
      sorted.map((key) => Buffer.from(key.payloadHash).toString("base64")),
    ],
  );
  return new Set(rows.map((row) => row.evaluation_id));
}

/** When the evaluation was made; undefined when it is not known, or no longer. */
export async function findEvaluationTime(tx: Transaction, evaluationId: string): Promise<Date | undefined> {
  const rows = await runBound<{ created_ms: number }>(
    tx,
    `select (extract(epoch from created_at) * 1000)::float8 as created_ms from evaluation_key
     where org_id = $1 and evaluation_id = $2`,
    [tx.orgId, evaluationId],
  );
  return rows.map(({ created_ms }) => new Date(Math.round(created_ms)))[0];
}

/** The digests of the first payloads of these evaluations. */
export async function readPayloadHashes(
  tx: Transaction,
  evaluationIds: readonly string[],
): Promise<Map<string, Buffer>> {
  const rows = await runBound<{ evaluation_id: string; payload_hash: Buffer }>(
    tx,
    "select evaluation_id, payload_hash from evaluation_key where org_id = $1 and evaluation_id = any($2::uuid[])",
    [tx.orgId, [...evaluationIds]],
  );
  return new Map(rows.map((row) => [row.evaluation_id, row.payload_hash]));
}

/** Removes up to `limit` keys of evaluations before this time; returns how many. */
export async function deleteKeysBefore(tx: Transaction, before: Date, limit: number): Promise<number> {
  const rows = await runBound<{ gone: number }>(
    tx,
    `with gone as (
       delete from evaluation_key where org_id = $1 and evaluation_id in
         (select evaluation_id from evaluation_key where org_id = $1 and created_at < $2 limit $3) returning 1)
     select count(*)::int as gone from gone`,
    [tx.orgId, before, limit],
  );
  return rows[0]?.gone ?? 0;
}
