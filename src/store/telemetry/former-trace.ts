// Traces of form 0: their text is still in the record, they are in no count, and only their rules are facets.

import { runBound } from "../core/bulk.ts";
import type { Transaction } from "../core/transaction.ts";

/** A trace of form 0. */
export interface FormerTrace {
  readonly id: string;
  readonly createdAt: Date;
  readonly projectId: string;
  readonly environment: string;
  readonly agentKey: string | null;
  readonly record: Buffer;
}

/** A trace of form 1, in place of one of form 0. */
export interface UpgradedTrace {
  readonly id: string;
  readonly createdAt: Date;
  readonly record: Uint8Array;
  readonly payloadHash: Uint8Array;
}

/** How much is locked at once. */
export interface FormerTraceBounds {
  readonly traces: number;
  /** Bytes of records after which no further one is taken. */
  readonly bytes: number;
}

/** The newest traces of form 0, locked until the commit: at least one, where there is any. */
export async function lockFormerTraces(tx: Transaction, bounds: FormerTraceBounds): Promise<FormerTrace[]> {
  const rows = await runBound<{
    id: string;
    created_ms: number;
    project_id: string;
    environment: string;
    agent_key: string | null;
    record: Buffer;
  }>(
    tx,
    // The length of a record is known without reading it.
    `with newest as (select id, created_at, octet_length(record) as bytes from trace
       where org_id = $1 and form = 0 order by created_at desc, id limit $2),
     sized as (select id, created_at, sum(bytes) over (order by created_at desc, id) - bytes as before from newest)
     select t.id, (extract(epoch from t.created_at) * 1000)::float8 as created_ms, t.project_id, t.environment,
       t.agent_key, t.record
     from sized join trace t on t.org_id = $1 and t.id = sized.id and t.created_at = sized.created_at
     where sized.before < $3 and t.form = 0 order by t.created_at desc, t.id for update of t`,
    [tx.orgId, bounds.traces, bounds.bytes],
  );
  return rows.map((row) => ({
    id: row.id,
    createdAt: new Date(Math.round(row.created_ms)),
    projectId: row.project_id,
    environment: row.environment,
    agentKey: row.agent_key,
    record: row.record,
  }));
}

/** Writes traces of form 1 in place of those that were locked. */
export async function writeUpgraded(tx: Transaction, traces: readonly UpgradedTrace[]): Promise<void> {
  const ids = traces.map(({ id }) => id);
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
  const times = traces.map(({ createdAt }) => createdAt);
  await runBound(
    tx,
    `update trace t set record = decode(new.record, 'base64'), form = 1
     from unnest($2::uuid[], $3::text[]) as new (id, record)
     where t.org_id = $1 and t.id = new.id and t.form = 0 and t.created_at >= $4 and t.created_at <= $5`,
    [
      ...[tx.orgId, ids, traces.map(({ record }) => base64(record))],
      ...[new Date(Math.min(...times.map(Number))), new Date(Math.max(...times.map(Number)))],
    ],
  );
  await runBound(
    tx,
    `update evaluation_key k set payload_hash = decode(new.payload_hash, 'base64')
     from unnest($2::uuid[], $3::text[]) as new (id, payload_hash) where k.org_id = $1 and k.evaluation_id = new.id`,
    [tx.orgId, ids, traces.map(({ payloadHash }) => base64(payloadHash))],
  );
}
