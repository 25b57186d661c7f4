// Who was erased, as keyed hashes: evaluations that a runtime made before and reports afterwards are stored without
// person and text.

import { defineEntity, p } from "@mikro-orm/core";
import { runBound } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "ErasedSubject",
  tableName: "erased_subject",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    digest: p.blob().primary(),
    /** Evaluations that were made before are concerned. */
    erasedAt: p.datetime(3),
  },
});

/** A subject that was erased. */
export class ErasedSubjectRow extends schema.class {}
schema.setClass(ErasedSubjectRow);

/** Notes that these subjects are erased as of now. */
export async function noteErasedSubjects(tx: Transaction, digests: readonly Uint8Array[]): Promise<void> {
  await runBound(
    tx,
    `insert into erased_subject (org_id, digest, erased_at)
     select $1, decode(digest, 'hex'), $3 from unnest($2::text[]) as added (digest) order by 2
     on conflict (org_id, digest) do update set erased_at = excluded.erased_at`,
    [tx.orgId, digests.map((digest) => Buffer.from(digest).toString("hex")), tx.now],
  );
}

/** Whether the organization has erased anybody lately. */
export async function hasErasedSubjects(tx: Transaction): Promise<boolean> {
  const rows = await runBound(tx, "select 1 as found from erased_subject where org_id = $1 limit 1", [tx.orgId]);
  return rows.length > 0;
}

/** When the subjects among these were erased, by their digests in hexadecimal digits. */
export async function findErasedSubjects(tx: Transaction, digests: readonly Uint8Array[]): Promise<Map<string, Date>> {
  const rows = await runBound<{ digest: string; erased_ms: number }>(
    tx,
    `select encode(digest, 'hex') as digest, (extract(epoch from erased_at) * 1000)::float8 as erased_ms
     from erased_subject where org_id = $1 and digest in (select decode(wanted, 'hex') from unnest($2::text[]) wanted)`,
    [tx.orgId, digests.map((digest) => Buffer.from(digest).toString("hex"))],
  );
  return new Map(rows.map(({ digest, erased_ms }) => [digest, new Date(Math.round(erased_ms))]));
}

/** Forgets subjects that were erased before the moment. */
export async function forgetErasedSubjects(tx: Transaction, before: Date): Promise<void> {
  await runBound(tx, "delete from erased_subject where org_id = $1 and erased_at < $2", [tx.orgId, before]);
}
