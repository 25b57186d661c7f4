// Records locks of accounts in the log of evidence: one entry for each lock and each unlock, in every organization that
// the account is an active member of. A stranger can cause locks, but only about twelve in the first two days and one a
// day after that for each account, since each lock lasts twice as long as the one before
// (store/identity/login-failure.ts), and none for an address without an account. Only a sign-in of the account's owner,
// which has an entry itself, makes the locks start again at a minute.
//
// A job writes the entry of a lock. If the call wrote it, it would take longer for an address that has an account, and
// longer still for one in many organizations, and so tell a stranger that the account exists. A lock that expires has
// no entry of its own: the entry of the lock says when it ends.

import { newId } from "../../kit/process/id.ts";
import type { AuditIntent } from "../../kit/rpc/context.ts";
import type { Database } from "../../store/connection/database.ts";
import type { AccountTransaction, AuditAuthor } from "../../store/core/transaction.ts";
import { type AccountRow, findAccount, lookUpAccount } from "../../store/identity/account.ts";
import { emailDigest, liftLock } from "../../store/identity/login-failure.ts";
import { lookUpMemberships } from "../../store/identity/member.ts";
import { hasEntry } from "../../store/telemetry/evidence.ts";
import { type AccountLock, enqueueJob } from "../job.ts";
import { serviceCaller } from "../service-caller.ts";

/** Enqueues the job that records the lock of an address, whether or not the address has an account. */
export async function reportLock(database: Database, emailKey: string, until: Date, call: AuditIntent): Promise<void> {
  const found = await lookUpAccount(database, emailKey);
  const lock = { account_id: found?.id ?? newId(), locked_until: until.toISOString() };
  const { requestId: request_id, address } = call;
  // The transaction's organization does not exist: the job finds the organizations concerned.
  await database.systemTransaction(newId(), (tx) => enqueueJob(tx, "record-lock", { ...lock, request_id, address }));
}

/** Records locks. */
export class AccountLocks {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Writes the missing entries of a lock. Returns the number of the account's organizations. */
  async record({ account_id: accountId, locked_until, request_id: requestId, address }: AccountLock): Promise<number> {
    const account = await this.#database.readAccount(accountId, findAccount);
    if (account === null) return 0;
    const memberships = await lookUpMemberships(this.#database, accountId);
    const active = memberships.filter(({ state }) => state === "active");
    const action = "account.lock";
    const change = { resource: `account/${accountId}`, before: null, after: { email: account.email, locked_until } };
    for (const { org_id: orgId } of active) {
      await this.#database.transaction(serviceCaller(orgId, { action, requestId, address }), async (tx) => {
        if (!(await hasEntry(tx, action, change))) tx.changed(change);
      });
    }
    return active.length;
  }
}

/**
 * Deletes the failures of an account whose owner has proved to be the owner, and records the end of the lock, if there
 * was one.
 */
export async function unlock(tx: AccountTransaction, account: AccountRow, author: AuditAuthor): Promise<void> {
  const until = await liftLock(tx, emailDigest(account.emailKey));
  if (until === null || until <= tx.now) return;
  const { email, id } = account;
  tx.changed(
    { ...author, audit: { ...author.audit, action: "account.unlock" } },
    {
      resource: `account/${id}`,
      before: { email, locked_until: until.toISOString() },
      after: { email, locked_until: null },
    },
  );
}
