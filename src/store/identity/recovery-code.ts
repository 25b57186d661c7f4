import { defineEntity, p } from "@mikro-orm/core";
import { insertRows } from "../core/bulk.ts";
import type { AccountTransaction } from "../core/transaction.ts";
import { accountTable } from "./account-table.ts";

const schema = defineEntity({
  name: "RecoveryCode",
  tableName: "recovery_code",
  ...accountTable("account_id"),
  properties: {
    accountId: p.uuid().primary(),
    digest: p.blob().primary(),
    usedAt: p.datetime(3).nullable(),
  },
});

/** A code that stands in for the second factor, once: its digest. */
export class RecoveryCodeRow extends schema.class {}
schema.setClass(RecoveryCodeRow);

/** Replaces the account's recovery codes. */
export async function replaceRecoveryCodes(tx: AccountTransaction, digests: readonly Uint8Array[]): Promise<void> {
  await deleteRecoveryCodes(tx);
  await insertRows(tx, {
    table: "recovery_code",
    columns: ["account_id", "digest"],
    rows: digests.map((digest) => [tx.accountId, Buffer.from(digest)]),
  });
}

/** Deletes the account's recovery codes. */
export async function deleteRecoveryCodes(tx: AccountTransaction): Promise<void> {
  await tx.sql("delete from recovery_code where account_id = ?", [tx.accountId]);
}

/** Uses a recovery code up: of racing uses one gets true. */
export async function useRecoveryCode(tx: AccountTransaction, digest: Uint8Array): Promise<boolean> {
  const rows = await tx.sql(
    "update recovery_code set used_at = ? where account_id = ? and digest = ? and used_at is null returning digest",
    [tx.now, tx.accountId, Buffer.from(digest)],
  );
  return rows.length === 1;
}
