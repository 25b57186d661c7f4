import { defineEntity, p } from "@mikro-orm/core";
import { insertRows, runBound } from "../core/bulk.ts";
import type { AccountTransaction, Lookups, Transaction } from "../core/transaction.ts";
import { accountTable } from "./account-table.ts";

const schema = defineEntity({
  name: "Account",
  tableName: "account",
  ...accountTable("id"),
  uniques: [{ name: "account_email", properties: ["emailKey"] }],
  properties: {
    id: p.uuid().primary(),
    /** As it was typed; shown and written to. */
    email: p.text(),
    /** By which it is found: two spellings of one address have the same. */
    emailKey: p.text(),
    /**
     * When its owner opened a link that was sent there, or signed in at its domain's provider; null when neither
     * happened.
     */
    emailVerifiedAt: p.datetime(3).nullable(),
    name: p.text(),
    /** PHC string; null for somebody who signs in through an identity provider only. */
    passwordHash: p.text().nullable(),
    mfaSecretSealed: p.blob().nullable(),
    /** Null while the set-up of the second factor is not finished. */
    mfaEnabledAt: p.datetime(3).nullable(),
    /** Time step of the last code that was taken; an older or equal one is a replay. */
    mfaLastStep: p.integer().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** A person. */
export class AccountRow extends schema.class {}
schema.setClass(AccountRow);

/** What the look-up of an address finds before anybody is signed in. */
export interface FoundAccount {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly password_hash: string | null;
  readonly mfa_enabled: boolean;
}

/** The account with this address. */
export async function lookUpAccount(database: Lookups, emailKey: string): Promise<FoundAccount | undefined> {
  const rows = await database.lookup<FoundAccount>("find_account", [emailKey]);
  return rows[0];
}

/** Whether somebody has shown that the address of the account is theirs. */
export async function isProven(tx: Transaction, accountId: string): Promise<boolean> {
  const rows = await tx.sql<{ proven: boolean }>("select app.address_proven(?) as proven", [accountId]);
  return rows[0]?.proven === true;
}

/** Renames the transaction's account. */
export async function renameAccount(tx: AccountTransaction, name: string): Promise<void> {
  await tx.sql("update account set name = ?, updated_at = ? where id = ?", [name, tx.now, tx.accountId]);
}

/** The transaction's account, or null when it is gone. */
export function findAccount(tx: AccountTransaction): Promise<AccountRow | null> {
  return tx.em.findOne(AccountRow, { id: tx.accountId });
}

/** The same, locked until the commit. */
export async function lockAccount(tx: AccountTransaction): Promise<AccountRow | null> {
  await tx.sql("select id from account where id = ? for update", [tx.accountId]);
  return findAccount(tx);
}

/**
 * Inserts the transaction's account; false when the address has one. The hash travels apart from the statement's text.
 */
export async function insertAccount(
  tx: AccountTransaction,
  row: Pick<AccountRow, "email" | "emailKey" | "name" | "passwordHash" | "emailVerifiedAt">,
): Promise<boolean> {
  const rows = await insertRows(tx, {
    table: "account",
    columns: ["id", "email", "email_key", "name", "password_hash", "email_verified_at", "created_at", "updated_at"],
    rows: [[tx.accountId, row.email, row.emailKey, row.name, row.passwordHash, row.emailVerifiedAt, tx.now, tx.now]],
    suffix: "on conflict (email_key) do nothing returning id",
  });
  return rows.length === 1;
}

/** Sets the account's password. */
export async function setPassword(tx: AccountTransaction, passwordHash: string): Promise<void> {
  await runBound(tx, "update account set password_hash = $1, updated_at = $2 where id = $3", [
    passwordHash,
    tx.now,
    tx.accountId,
  ]);
}

/** Notes that the account's address has been shown to be its owner's; false when it was before. */
export async function proveAddress(tx: AccountTransaction): Promise<boolean> {
  const rows = await tx.sql(
    "update account set email_verified_at = ?, updated_at = ? where id = ? and email_verified_at is null returning id",
    [tx.now, tx.now, tx.accountId],
  );
  return rows.length === 1;
}

/** Takes a code of this time step unless it, or a later one, was taken before; of racing uses one gets true. */
export async function takeMfaStep(tx: AccountTransaction, step: number): Promise<boolean> {
  const rows = await tx.sql(
    `update account set mfa_last_step = ? where id = ? and mfa_secret_sealed is not null
       and (mfa_last_step is null or mfa_last_step < ?) returning id`,
    [step, tx.accountId, step],
  );
  return rows.length === 1;
}
