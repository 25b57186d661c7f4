// Reads and writes columns with sealed secrets, to seal them anew.

import type { Lookups, Transaction } from "./transaction.ts";

/** A column of a tenant table that holds sealed secrets. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The column that, with org_id, names the row. */
  readonly rowKey: string;
}

/** One sealed secret. */
export interface SealedValue {
  readonly key: string;
  readonly sealed: Buffer;
}

/** Which sealed secrets to look for: those that do not begin with the prefix, after this key. */
export interface SealQuery<Key> {
  readonly prefix: Uint8Array;
  readonly after: Key;
  readonly limit: number;
}

/** Secrets of the organization that are sealed with another key, locked until the commit. */
export function lockSealedOtherwise(
  tx: Transaction,
  { table, column, rowKey }: SealedColumn,
  { prefix, after, limit }: SealQuery<string>,
): Promise<SealedValue[]> {
  const key = `${rowKey}::text collate "C"`;
  return tx.sql<SealedValue>(
    `select ${rowKey}::text as key, ${column} as sealed from ${table}
     where org_id = ? and ${column} is not null and ${key} > ? and substring(${column} for ?) <> ?
     order by ${key} limit ? for no key update`,
    [tx.orgId, after, prefix.length, Buffer.from(prefix), limit],
  );
}

/** Writes a secret that was locked. */
export async function writeSealed(
  tx: Transaction,
  { table, column, rowKey }: SealedColumn,
  { key, sealed }: SealedValue,
): Promise<void> {
  await tx.sql(`update ${table} set ${column} = ? where org_id = ? and ${rowKey}::text = ?`, [sealed, tx.orgId, key]);
}

/** Ids of accounts whose second factor is sealed with another key. */
export async function accountsSealedOtherwise(
  database: Lookups,
  { prefix, after, limit }: SealQuery<string>,
): Promise<string[]> {
  const rows = await database.lookup<{ id: string }>("accounts_sealed_otherwise", [Buffer.from(prefix), after, limit]);
  return rows.map(({ id }) => id);
}

/** A mail in the job queue. */
export interface SealedMailJob {
  readonly job_id: string;
  readonly mail_id: string;
  /** Base64. */
  readonly sealed: string;
}

/** Mails that are sealed with another key. */
export function mailsSealedOtherwise(
  database: Lookups,
  { prefix, after, limit }: SealQuery<string>,
): Promise<SealedMailJob[]> {
  return database.lookup("mails_sealed_otherwise", [Buffer.from(prefix), after, limit]);
}

/** Replaces the payload of a mail's job unless the job is gone. */
export async function replaceMail(database: Lookups, job: SealedMailJob, renewed: string): Promise<boolean> {
  return (await database.lookup("replace_mail", [job.job_id, job.sealed, renewed])).length > 0;
}
