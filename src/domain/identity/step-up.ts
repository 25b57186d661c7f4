// Step-up authentication: whoever takes over a session must not be able to take over the account. Sensitive operations
// require the password, or a session whose sign-in was a short time ago. Refreshing a session does not make it fresh.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, unauthenticated } from "../../kit/fault/fault.ts";
import type { Clock } from "../../kit/process/clock.ts";
import type { AccountCaller, AuditIntent } from "../../kit/rpc/context.ts";
import type { Database } from "../../store/connection/database.ts";
import { type AccountRow, findAccount } from "../../store/identity/account.ts";
import { findSessionStart } from "../../store/identity/session.ts";
import { requireAccount } from "./account.ts";
import type { LoginTries } from "./login-try.ts";
import type { PasswordHasher } from "./password-hash.ts";

/** A sign-in up to this age replaces the password. */
const freshMs = 10 * 60_000;

/** What the service is built from. */
export interface StepUpParts {
  readonly clock: Clock;
  readonly hasher: PasswordHasher;
  readonly tries: LoginTries;
}

/** Requires more than a session. */
export class StepUp {
  readonly #database: Database;
  readonly #parts: StepUpParts;

  constructor(database: Database, parts: StepUpParts) {
    this.#database = database;
    this.#parts = parts;
  }

  /**
   * Throws unless the password is right or, without one, the session is fresh. A wrong password counts as a failed
   * sign-in.
   */
  async require(caller: AccountCaller, password: string | undefined): Promise<void> {
    if (password === undefined) return this.#requireFresh(caller);
    const account = await this.#database.readAccount(caller.accountId, async (tx) =>
      requireAccount(await findAccount(tx)),
    );
    if (!(await isPasswordOf(account, password, caller.audit, this.#parts)))
      throw unauthenticated("the password is wrong");
  }

  async #requireFresh({ accountId, sessionId }: AccountCaller): Promise<void> {
    const start = await this.#database.readAccount(accountId, (tx) => findSessionStart(tx, sessionId));
    const isFresh = start !== undefined && this.#parts.clock.now().getTime() - start.getTime() <= freshMs;
    if (isFresh) return;
    throw new Fault(
      Reason.STEP_UP_REQUIRED,
      "this needs the password, or a sign-in at most ten minutes ago; send `password`, or sign in again",
    );
  }
}

/** Whether it is the account's password. A wrong one counts as a failed sign-in. */
export function isPasswordOf(
  account: AccountRow,
  password: string,
  call: AuditIntent,
  { hasher, tries }: Pick<StepUpParts, "hasher" | "tries">,
): Promise<boolean> {
  return tries.run(account.emailKey, call, async () => {
    const { matches } = await hasher.check(password, account.passwordHash);
    return { outcome: matches ? ("right" as const) : ("wrong" as const), value: matches };
  });
}
