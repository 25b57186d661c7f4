// Sets new passwords, by the old one or by a mailed link. Both end everything that others may have: sessions, links and
// half-finished sign-ins.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { isTicket, newTicket, tokenDigest } from "../../kit/crypto/token.ts";
import { Fault, linkInvalid, unauthenticated } from "../../kit/fault/fault.ts";
import type { Clock } from "../../kit/process/clock.ts";
import { newId } from "../../kit/process/id.ts";
import type { AccountCaller, AuditIntent } from "../../kit/rpc/context.ts";
import type { Database } from "../../store/connection/database.ts";
import type { AccountTransaction, AuditAuthor } from "../../store/core/transaction.ts";
import {
  type AccountRow,
  findAccount,
  lookUpAccount,
  proveAddress,
  setPassword,
} from "../../store/identity/account.ts";
import {
  addOneTimeToken,
  lookUpOneTimeToken,
  useOneTimeToken,
  voidOneTimeTokens,
} from "../../store/identity/one-time-token.ts";
import { revokeSessions } from "../../store/identity/session.ts";
import { parseEmail } from "../mail/email.ts";
import { mayMail, type Post, passwordResetMail } from "../mail/mail.ts";
import { requireAccount } from "./account.ts";
import { unlock } from "./account-lock.ts";
import type { LoginTries } from "./login-try.ts";
import type { PasswordHasher } from "./password-hash.ts";
import { checkPassword } from "./password-rule.ts";
import { isPasswordOf } from "./step-up.ts";

const linkMs = 3_600_000;

/** What the service is built from. */
export interface PasswordParts {
  readonly hasher: PasswordHasher;
  readonly tries: LoginTries;
  readonly post: Post | undefined;
}

/** Changes and resets passwords. */
export class Passwords {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #parts: PasswordParts;

  constructor(database: Database, clock: Clock, parts: PasswordParts) {
    this.#database = database;
    this.#clock = clock;
    this.#parts = parts;
  }

  /** Changes the caller's password and ends every other session. A wrong old password counts as a failed sign-in. */
  async change(caller: AccountCaller, input: { readonly current: string; readonly next: string }): Promise<void> {
    const account = await this.#read(caller.accountId);
    checkPassword(input.next, personOf(account));
    if (input.next === input.current)
      throw new Fault(Reason.PASSWORD_REFUSED, "the new password is the same as the current one");
    if (!(await isPasswordOf(account, input.current, caller.audit, this.#parts)))
      throw unauthenticated("the current password is wrong");
    const passwordHash = await this.#parts.hasher.hash(input.next);
    await this.#database.accountTransaction(caller.accountId, (tx) =>
      replacePassword(tx, caller, passwordHash, { except: caller.sessionId }),
    );
  }

  /**
   * Mails a link for a new password when the address has an account. The answer is the same, and takes as long, when it
   * has none; without mail nothing happens.
   */
  async requestReset(input: { readonly email: string }): Promise<void> {
    const email = parseEmail(input.email);
    const { post } = this.#parts;
    if (post === undefined || !(await mayMail(this.#database, email, this.#clock.now()))) return;
    const found = await lookUpAccount(this.#database, email.key);
    const token = newTicket("link");
    await this.#database.accountTransaction(found?.id ?? newId(), async (tx) =>
      addOneTimeToken(tx, "reset", { digest: tokenDigest(token), payload: {}, lifeMs: linkMs }),
    );
    if (found !== undefined) post.mailer.send(passwordResetMail(post, { text: found.email, key: email.key }, token));
  }

  /**
   * Sets a new password with a mailed link, ends every session, and lifts the lock, since the link proves who the
   * caller is.
   */
  async reset(input: { readonly token: string; readonly next: string }, audit: AuditIntent): Promise<void> {
    if (!isTicket("link", input.token)) throw linkInvalid();
    const digest = tokenDigest(input.token);
    const accountId = await lookUpOneTimeToken(this.#database, "reset", digest, this.#clock.now());
    if (accountId === undefined) throw linkInvalid();
    const account = await this.#database.readAccount(accountId, findAccount);
    if (account === null) throw linkInvalid();
    // A refused password leaves the link as it is.
    checkPassword(input.next, personOf(account));
    const passwordHash = await this.#parts.hasher.hash(input.next);
    await this.#database.accountTransaction(accountId, async (tx) => {
      if ((await useOneTimeToken(tx, "reset", digest)) === undefined) throw linkInvalid();
      // The link was mailed to the address. A second factor stays: otherwise the mailbox alone would open the account.
      await proveAddress(tx);
      const author = { credential: { id: accountId, label: account.email }, audit };
      await replacePassword(tx, author, passwordHash);
      await unlock(tx, account, author);
    });
  }

  #read(accountId: string): Promise<AccountRow> {
    return this.#database.readAccount(accountId, async (tx) => requireAccount(await findAccount(tx)));
  }
}

/** Sets a password and ends everything that was begun with the former one. */
export async function replacePassword(
  tx: AccountTransaction,
  author: AuditAuthor,
  passwordHash: string,
  keep: { readonly except?: string } = {},
): Promise<void> {
  await setPassword(tx, passwordHash);
  await revokeSessions(tx, keep);
  await voidOneTimeTokens(tx);
  tx.changed(author, { resource: `account/${tx.accountId}`, before: null, after: { password_changed: true } });
}

/** The person whose name a new password must not be. */
export function personOf({ email, emailKey, name }: AccountRow) {
  return { email: { text: email, key: emailKey }, name };
}
