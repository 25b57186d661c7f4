// Signing in. An address that has no account, and a password that is wrong, look alike and take as long.

import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import type { Clock } from "../kit/clock.ts";
import { Fault } from "../kit/error.ts";
import { isTicket, newTicket, tokenDigest } from "../kit/token.ts";
import { type AccountRow, type FoundAccount, findAccount, lookUpAccount, setPassword } from "../store/account.ts";
import type { AccountTransaction, Database } from "../store/database.ts";
import { addOneTimeToken, countTry, lookUpOneTimeToken, useOneTimeToken } from "../store/one-time-token.ts";
import { requireAccount } from "./account.ts";
import { parseEmail } from "./email.ts";
import type { LoginTries, TryResult } from "./login-try.ts";
import type { PasswordCheck, PasswordHasher } from "./password-hash.ts";
import type { CallOrigin } from "./registration.ts";
import type { SecondFactors } from "./second-factor.ts";
import { type IssuedSession, openSession } from "./session.ts";

/** Time for the second step of a sign-in. */
const secondStepMs = 5 * 60_000;
/** Codes that may be tried in it. */
const mostCodes = 5;

/** A session that has begun. */
export interface SignedIn {
  readonly account: AccountRow;
  readonly session: IssuedSession;
}

/** What a right password leads to: a session, or the question for a code. */
export type LoginAnswer = SignedIn | { readonly mfaToken: string };

/** Signs people in. */
export class Logins {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #parts: LoginParts;

  constructor(database: Database, clock: Clock, parts: LoginParts) {
    this.#database = database;
    this.#clock = clock;
    this.#parts = parts;
  }

  /** Begins a session with a password, or asks for a code when the account has a second factor. */
  async login(input: { readonly email: string; readonly password: string }, origin: CallOrigin): Promise<LoginAnswer> {
    const { key } = parseEmail(input.email);
    const answer = await this.#parts.tries.run(key, async (): Promise<TryResult<LoginAnswer | undefined>> => {
      const found = await lookUpAccount(this.#database, key);
      const check = await this.#parts.hasher.check(input.password, found?.password_hash);
      if (found === undefined || !check.matches) return { outcome: "wrong", value: undefined };
      if (found.mfa_enabled) return { outcome: "undecided", value: await this.#askForCode(found) };
      return { outcome: "right", value: await this.#begin(found, input.password, check, origin) };
    });
    if (answer === undefined) throw wrongLogin("the e-mail address or the password is wrong");
    return answer;
  }

  /** Finishes a sign-in with a code. */
  async complete(input: { readonly mfaToken: string; readonly code: string }, origin: CallOrigin): Promise<SignedIn> {
    const refusal = wrongLogin("the code is wrong or was used before, or the sign-in took too long; sign in again");
    if (!isTicket("mfa", input.mfaToken)) throw refusal;
    const digest = tokenDigest(input.mfaToken);
    const accountId = await lookUpOneTimeToken(this.#database, "mfa", digest, this.#clock.now());
    if (accountId === undefined) throw refusal;
    const { emailKey } = await this.#database.readAccount(accountId, async (tx) =>
      requireAccount(await findAccount(tx)),
    );
    const signedIn = await this.#parts.tries.run(emailKey, () =>
      // A refusal is not thrown here: that the code was tried has to be committed.
      this.#database.accountTransaction(accountId, (tx) => this.#tryCode(tx, digest, input.code, origin)),
    );
    if (signedIn === undefined) throw refusal;
    return signedIn;
  }

  async #tryCode(
    tx: AccountTransaction,
    digest: Buffer,
    code: string,
    origin: CallOrigin,
  ): Promise<TryResult<SignedIn | undefined>> {
    if (!(await countTry(tx, digest, mostCodes))) return { outcome: "undecided", value: undefined };
    const account = requireAccount(await findAccount(tx));
    if (!(await this.#parts.factors.take(tx, account, code))) return { outcome: "wrong", value: undefined };
    await useOneTimeToken(tx, "mfa", digest);
    return { outcome: "right", value: await signIn(tx, account, origin) };
  }

  #askForCode({ id }: FoundAccount): Promise<LoginAnswer> {
    const mfaToken = newTicket("mfa");
    return this.#database.accountTransaction(id, async (tx) => {
      addOneTimeToken(tx, "mfa", { digest: tokenDigest(mfaToken), payload: {}, lifeMs: secondStepMs });
      return { mfaToken };
    });
  }

  async #begin({ id }: FoundAccount, password: string, check: PasswordCheck, origin: CallOrigin): Promise<SignedIn> {
    const renewed = check.outdated ? await this.#parts.hasher.hash(password) : undefined;
    return this.#database.accountTransaction(id, async (tx) => {
      if (renewed !== undefined) await setPassword(tx, renewed);
      return signIn(tx, requireAccount(await findAccount(tx)), origin);
    });
  }
}

async function signIn(tx: AccountTransaction, account: AccountRow, origin: CallOrigin): Promise<SignedIn> {
  const session = await openSession(tx, "password", origin);
  const author = { credential: { id: account.id, label: account.email }, audit: origin.audit };
  tx.changed(author, { resource: `session/${session.sessionId}`, before: null, after: { state: "live" } });
  return { account, session };
}

/** What signing in is made of. */
export interface LoginParts {
  readonly tries: LoginTries;
  readonly hasher: PasswordHasher;
  readonly factors: SecondFactors;
}

/** A sign-in that failed; the message never says which part of it was wrong. */
export function wrongLogin(message: string): Fault {
  return new Fault(Reason.UNAUTHENTICATED, message, {
    headers: { "WWW-Authenticate": 'Bearer realm="policy-guard"' },
  });
}
