// Signs people in with a password. An unknown address and a wrong password get the same answer after the same time.

import { isTicket, newTicket, tokenDigest } from "../../kit/crypto/token.ts";
import { unauthenticated } from "../../kit/fault/fault.ts";
import type { Clock } from "../../kit/process/clock.ts";
import type { Database } from "../../store/connection/database.ts";
import type { AccountTransaction } from "../../store/core/transaction.ts";
import {
  type AccountRow,
  type FoundAccount,
  findAccount,
  lookUpAccount,
  setPassword,
} from "../../store/identity/account.ts";
import { addOneTimeToken, countTry, lookUpOneTimeToken, useOneTimeToken } from "../../store/identity/one-time-token.ts";
import { parseEmail } from "../mail/email.ts";
import { requireAccount } from "./account.ts";
import type { LoginTries, TryResult } from "./login-try.ts";
import type { PasswordCheck, PasswordHasher } from "./password-hash.ts";
import type { SecondFactors } from "./second-factor.ts";
import { openSession } from "./session.ts";
import type { CallOrigin, SignedIn } from "./sign-in.ts";
import type { NoteRefusal } from "./sign-in-refusal.ts";

/** Time for the second step of a sign-in. */
const secondStepMs = 5 * 60_000;
/** Codes that may be tried in the second step. */
const maxCodes = 5;

/** The answer to a right password: a session, or a token for the second step. */
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
    const answer = await this.#parts.tries.run(
      key,
      origin.audit,
      async (): Promise<TryResult<LoginAnswer | undefined>> => {
        const found = await lookUpAccount(this.#database, key);
        const check = await this.#parts.hasher.check(input.password, found?.password_hash);
        if (found === undefined || !check.matches) return { outcome: "wrong", value: undefined };
        if (found.mfa_enabled) return { outcome: "undecided", value: await this.#askForCode(found) };
        return { outcome: "right", value: await this.#begin(found, input.password, check, origin) };
      },
    );
    if (answer === undefined) throw unauthenticated("the e-mail address or the password is wrong");
    return answer;
  }

  /** Finishes a sign-in with a code. */
  async complete(input: { readonly mfaToken: string; readonly code: string }, origin: CallOrigin): Promise<SignedIn> {
    const refusal = unauthenticated(
      "the code is wrong or was used before, or the sign-in took too long; sign in again",
    );
    const digest = tokenDigest(input.mfaToken);
    const accountId = isTicket("mfa", input.mfaToken)
      ? await lookUpOneTimeToken(this.#database, "mfa", digest, this.#clock.now())
      : undefined;
    if (accountId === undefined) {
      this.#parts.note?.("expired", origin.audit);
      throw refusal;
    }
    const { emailKey } = await this.#database.readAccount(accountId, async (tx) =>
      requireAccount(await findAccount(tx)),
    );
    const signedIn = await this.#parts.tries.run(emailKey, origin.audit, () =>
      // A refusal is not thrown here, since the count of the attempt has to be committed.
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
    if (!(await countTry(tx, digest, maxCodes))) return { outcome: "undecided", value: undefined };
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

/** What the service is built from. */
export interface LoginParts {
  readonly tries: LoginTries;
  readonly hasher: PasswordHasher;
  readonly factors: SecondFactors;
  /** Called for refusals that are not counted as attempts. */
  readonly note?: NoteRefusal;
}
