// Lets a person back in whose mail does not arrive and whom nobody else can help: the operator of the installation, who
// has access to the database anyway, sets a password.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { AuditIntent } from "../../kit/rpc/context.ts";
import type { Database } from "../../store/connection/database.ts";
import type { AccountTransaction, AuditAuthor } from "../../store/core/transaction.ts";
import { findAccount, lockAccount, lookUpAccount, proveAddress } from "../../store/identity/account.ts";
import { parseEmail } from "../mail/email.ts";
import { requireAccount } from "./account.ts";
import { unlock } from "./account-lock.ts";
import { personOf, replacePassword } from "./password-change.ts";
import type { PasswordHasher } from "./password-hash.ts";
import { checkPassword } from "./password-rule.ts";
import { removeFactor } from "./second-factor.ts";

/** What the operator decides about an account. */
export interface Recovery {
  readonly email: string;
  readonly password: string;
  /** For a person who has also lost the app and the recovery codes. */
  readonly removeFactor: boolean;
  /** Whether the operator knows that the address is the person's, which single sign-on requires. */
  readonly confirmAddress: boolean;
}

/** Lets people back in when the operator says so. */
export class PasswordRecovery {
  readonly #database: Database;
  readonly #hasher: PasswordHasher;

  constructor(database: Database, hasher: PasswordHasher) {
    this.#database = database;
    this.#hasher = hasher;
  }

  /**
   * Sets the password, ends every session, and lifts the lock. Throws NOT_FOUND, or PASSWORD_REFUSED as at
   * registration.
   */
  async recover(recovery: Recovery, audit: AuditIntent): Promise<void> {
    const { key, text } = parseEmail(recovery.email);
    const found = await lookUpAccount(this.#database, key);
    if (found === undefined) throw new Fault(Reason.NOT_FOUND, `no account has the address ${text}`);
    const account = await this.#database.readAccount(found.id, async (tx) => requireAccount(await findAccount(tx)));
    checkPassword(recovery.password, personOf(account));
    const passwordHash = await this.#hasher.hash(recovery.password);
    await this.#database.accountTransaction(found.id, async (tx) => {
      const author = { credential: { id: "operator", label: "operator" }, audit };
      if (recovery.removeFactor) await this.#removeFactor(tx, author);
      await replacePassword(tx, author, passwordHash);
      if (recovery.confirmAddress && (await proveAddress(tx))) {
        const verified = { before: { email_verified: false }, after: { email_verified: true } };
        tx.changed(author, { resource: `account/${tx.accountId}`, ...verified });
      }
      await unlock(tx, account, author);
    });
  }

  async #removeFactor(tx: AccountTransaction, author: AuditAuthor): Promise<void> {
    const account = requireAccount(await lockAccount(tx));
    if (account.mfaEnabledAt == null) return;
    await removeFactor(tx, account);
    tx.changed(
      { ...author, audit: { ...author.audit, action: "account.mfa_disable" } },
      { resource: `account/${account.id}`, before: { mfa_enabled: true }, after: { mfa_enabled: false } },
    );
  }
}
