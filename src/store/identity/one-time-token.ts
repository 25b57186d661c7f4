// Tokens for one use: a mailed link, or the second step of a sign-in. Only their digests are stored.

import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p } from "@mikro-orm/core";
import type { AccountTransaction, Lookups } from "../core/transaction.ts";
import { accountTable } from "./account-table.ts";

const schema = defineEntity({
  name: "OneTimeToken",
  tableName: "one_time_token",
  ...accountTable("account_id"),
  indexes: [{ name: "one_time_token_account", properties: ["accountId"] }],
  properties: {
    digest: p.blob().primary(),
    /** The account that it is for; for a registration the id that the account will have. */
    accountId: p.uuid(),
    purpose: p.text().$type<OneTimePurpose>(),
    /** Data for its use: for a registration, the account to make. */
    payload: p.json<JsonObject>(),
    tries: p.integer().default(0),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    usedAt: p.datetime(3).nullable(),
  },
});

/** The purpose of a one-time token. */
export type OneTimePurpose = "register" | "reset" | "mfa" | "sso";

/** A one-time token. */
export class OneTimeTokenRow extends schema.class {}
schema.setClass(OneTimeTokenRow);

/** The account of a token that is unused and has not expired. */
export async function lookUpOneTimeToken(
  database: Lookups,
  purpose: OneTimePurpose,
  digest: Uint8Array,
  now: Date,
): Promise<string | undefined> {
  const rows = await database.lookup<{ account_id: string }>("find_one_time_token", [purpose, digest, now]);
  return rows[0]?.account_id;
}

/** Uses the token up: of racing uses one gets its payload. */
export async function useOneTimeToken(
  tx: AccountTransaction,
  purpose: OneTimePurpose,
  digest: Uint8Array,
): Promise<JsonObject | undefined> {
  const rows = await tx.sql<{ payload: JsonObject }>(
    `update one_time_token set used_at = ? where digest = ? and account_id = ? and purpose = ?
       and used_at is null and expires_at > ? returning payload`,
    [tx.now, Buffer.from(digest), tx.accountId, purpose, tx.now],
  );
  return rows[0]?.payload;
}

/** Counts an attempt. Returns false when the token has had `maxTries`, is used up or has expired. */
export async function countTry(tx: AccountTransaction, digest: Uint8Array, maxTries: number): Promise<boolean> {
  const rows = await tx.sql(
    `update one_time_token set tries = tries + 1 where digest = ? and account_id = ? and tries < ?
       and used_at is null and expires_at > ? returning tries`,
    [Buffer.from(digest), tx.accountId, maxTries, tx.now],
  );
  return rows.length === 1;
}

/** Invalidates every unused token of the account. */
export async function voidOneTimeTokens(tx: AccountTransaction): Promise<void> {
  await tx.sql("update one_time_token set used_at = ? where account_id = ? and used_at is null", [
    tx.now,
    tx.accountId,
  ]);
}

/** Adds a token for the transaction's account. */
export function addOneTimeToken(
  tx: AccountTransaction,
  purpose: OneTimePurpose,
  input: { readonly digest: Buffer; readonly payload: JsonObject; readonly lifeMs: number },
): void {
  tx.em.create(OneTimeTokenRow, {
    digest: input.digest,
    accountId: tx.accountId,
    purpose,
    payload: input.payload,
    tries: 0,
    createdAt: tx.now,
    expiresAt: new Date(tx.now.getTime() + input.lifeMs),
    usedAt: null,
  });
}
