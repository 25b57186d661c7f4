// New passwords: by the old one, or by a mailed link. Either ends what others may have: sessions, links, half-finished sign-ins.

import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import type { Clock } from "../kit/clock.ts";
import type { AccountCaller, AuditIntent } from "../kit/context.ts";
import { Fault } from "../kit/error.ts";
import { newId } from "../kit/id.ts";
import { isTicket, newTicket, tokenDigest } from "../kit/token.ts";
import { type AccountRow, findAccount, lookUpAccount, setPassword } from "../store/account.ts";
import type { AuditAuthor } from "../store/audit-entry.ts";
import type { AccountTransaction, Database } from "../store/database.ts";
import { addOneTimeToken, lookUpOneTimeToken, useOneTimeToken, voidOneTimeTokens } from "../store/one-time-token.ts";
import { revokeSessions } from "../store/session.ts";
import { requireAccount } from "./account.ts";
import { parseEmail } from "./email.ts";
import { wrongLogin } from "./login.ts";
import type { LoginTries } from "./login-try.ts";
import { mayMail, type Post, passwordResetMail } from "./mail.ts";
import type { PasswordHasher } from "./password-hash.ts";
import { checkPassword } from "./password-rule.ts";
import { linkInvalid } from "./registration.ts";

const linkMs = 3_600_000;

/** What setting passwords is made of. */
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
    if (input.next === input.current) throw new Fault(Reason.PASSWORD_REFUSED, "the new password is the present one");
    const { hasher, tries } = this.#parts;
    const isRight = await tries.run(account.emailKey, async () => {
      const { matches } = await hasher.check(input.current, account.passwordHash);
      return { outcome: matches ? ("right" as const) : ("wrong" as const), value: matches };
    });
    if (!isRight) throw wrongLogin("the current password is wrong");
    const passwordHash = await hasher.hash(input.next);
    await this.#database.accountTransaction(caller.accountId, (tx) =>
      replacePassword(tx, caller, passwordHash, { except: caller.sessionId }),
    );
  }

  /**
   * Mails a link for a new password when the address has an account. The answer is the same, and takes as long, when it has none;
   * without mail nothing happens.
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

  /** Sets a new password with a mailed link, ends every session, and lifts the lock: the link shows who it is. */
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
      const author = { credential: { id: accountId, label: account.email }, audit };
      await replacePassword(tx, author, passwordHash);
    });
    await this.#parts.tries.forget(account.emailKey);
  }

  #read(accountId: string): Promise<AccountRow> {
    return this.#database.readAccount(accountId, async (tx) => requireAccount(await findAccount(tx)));
  }
}

/** Sets a password and ends whatever was reached with the former one. */
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

/** The person that a new password must not be the name of. */
export function personOf({ email, emailKey, name }: AccountRow) {
  return { email: { text: email, key: emailKey }, name };
}
