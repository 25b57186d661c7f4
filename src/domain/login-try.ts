// Tries to sign in, counted by address whether or not there is an account. Five wrong ones in a row lock the address for a minute;
// each further one doubles the time, up to a day. In one process the tries of an address take turns, and each is counted before it
// is made (see store/login-failure.ts), so that a thousand guesses at the same time are no more than five guesses.

import { createHash } from "node:crypto";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import type { Clock } from "../kit/clock.ts";
import { Fault } from "../kit/error.ts";
import type { Database } from "../store/database.ts";
import { beginTry, forgetTries, takeBackTry } from "../store/login-failure.ts";
import { overloaded } from "./password-hash.ts";

/** How a try ended. "undecided" is neither: a right password of two factors, or a token that asked for no guess. */
export interface TryResult<T> {
  readonly outcome: "right" | "wrong" | "undecided";
  readonly value: T;
}

/** Tries of one address that may wait for each other. */
const mostWaiting = 100;

/** Counts tries and locks addresses. */
export class LoginTries {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #turns = new Map<string, { tail: Promise<void>; length: number }>();

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Makes a try. Throws ACCOUNT_LOCKED without making it when the address is locked. */
  run<T>(emailKey: string, work: () => Promise<TryResult<T>>): Promise<T> {
    const key = digestOf(emailKey);
    return this.#inTurn(key.toString("base64"), () => this.#counted(key, work));
  }

  /** Forgets the failures of an address, and its lock. */
  async forget(emailKey: string): Promise<void> {
    await forgetTries(this.#database, digestOf(emailKey));
  }

  async #counted<T>(key: Buffer, work: () => Promise<TryResult<T>>): Promise<T> {
    const now = this.#clock.now();
    const begun = await beginTry(this.#database, key, now);
    if (begun.refused_until !== null) throw accountLocked(begun.refused_until, now);
    const { outcome, value } = await work().catch(async (error: unknown) => {
      await takeBackTry(this.#database, key, begun);
      throw error;
    });
    if (outcome === "right") await forgetTries(this.#database, key);
    if (outcome === "undecided") await takeBackTry(this.#database, key, begun);
    return value;
  }

  async #inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turns = this.#turns.get(name) ?? { tail: Promise.resolve(), length: 0 };
    if (turns.length >= mostWaiting) throw overloaded();
    this.#turns.set(name, turns);
    turns.length += 1;
    const before = turns.tail;
    const { promise, resolve } = Promise.withResolvers<void>();
    turns.tail = promise;
    try {
      await before;
      return await work();
    } finally {
      turns.length -= 1;
      if (turns.length === 0) this.#turns.delete(name);
      resolve();
    }
  }
}

function digestOf(emailKey: string): Buffer {
  return createHash("sha256").update(emailKey).digest();
}

function accountLocked(until: Date, now: Date): Fault {
  const waitSeconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000));
  return new Fault(Reason.ACCOUNT_LOCKED, `too many failed attempts; try again in ${waitSeconds} seconds`, {
    extra: { retry_after: waitSeconds },
    headers: { "Retry-After": String(waitSeconds) },
  });
}
