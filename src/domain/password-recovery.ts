// The way back in for somebody whose mail does not arrive and whom nobody else can let in: the operator of the installation, who
// has the database anyway, sets a password.

import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import type { Clock } from "../kit/clock.ts";
import type { AuditIntent } from "../kit/context.ts";
import { Fault } from "../kit/error.ts";
import { findAccount, lockAccount, lookUpAccount } from "../store/account.ts";
import type { Database } from "../store/database.ts";
import { requireAccount } from "./account.ts";
import { parseEmail } from "./email.ts";
import { LoginTries } from "./login-try.ts";
import { personOf, replacePassword } from "./password-change.ts";
import type { PasswordHasher } from "./password-hash.ts";
import { checkPassword } from "./password-rule.ts";
import { removeFactor } from "./second-factor.ts";

/** What the operator decides about an account. */
export interface Recovery {
  readonly email: string;
  readonly password: string;
  /** For somebody who has lost the app and the recovery codes too. */
  readonly removeFactor: boolean;
}

/** Lets people back in on the operator's word. */
export class PasswordRecovery {
  readonly #database: Database;
  readonly #hasher: PasswordHasher;
  readonly #tries: LoginTries;

  constructor(database: Database, clock: Clock, hasher: PasswordHasher) {
    this.#database = database;
    this.#hasher = hasher;
    this.#tries = new LoginTries(database, clock);
  }

  /** Sets the password, ends every session, and lifts the lock. Throws NOT_FOUND, or PASSWORD_REFUSED as at registration. */
  async recover(recovery: Recovery, audit: AuditIntent): Promise<void> {
    const { key, text } = parseEmail(recovery.email);
    const found = await lookUpAccount(this.#database, key);
    if (found === undefined) throw new Fault(Reason.NOT_FOUND, `no account has the address ${text}`);
    const account = await this.#database.readAccount(found.id, async (tx) => requireAccount(await findAccount(tx)));
    checkPassword(recovery.password, personOf(account));
    const passwordHash = await this.#hasher.hash(recovery.password);
    await this.#database.accountTransaction(found.id, async (tx) => {
      if (recovery.removeFactor) await removeFactor(tx, requireAccount(await lockAccount(tx)));
      await replacePassword(tx, { credential: { id: "operator", label: "operator" }, audit }, passwordHash);
    });
    await this.#tries.forget(key);
  }
}
