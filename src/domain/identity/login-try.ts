// Counts attempts to sign in by address, whether or not there is an account. Five wrong ones in a row lock the address
// for a minute; each further one doubles the time, up to a day. In one process the attempts of an address are made one
// after the other, and each is counted before it is made (see store/identity/login-failure.ts), so that of a thousand
// guesses at the same time only five are made.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { Clock } from "../../kit/process/clock.ts";
import type { AuditIntent } from "../../kit/rpc/context.ts";
import type { Database } from "../../store/connection/database.ts";
import { beginTry, emailDigest, forgetTries, takeBackTry } from "../../store/identity/login-failure.ts";
import { reportLock } from "./account-lock.ts";
import { overloaded } from "./password-hash.ts";
import type { NoteRefusal } from "./sign-in-refusal.ts";

/**
 * How an attempt ended. "undecided" is neither right nor wrong: a right password when a second factor is still missing,
 * or a token that needed no guess.
 */
export interface TryResult<T> {
  readonly outcome: "right" | "wrong" | "undecided";
  readonly value: T;
}

/** Attempts of one address that may wait for each other. */
const maxWaiting = 100;

/** Counts attempts and locks addresses. */
export class LoginTries {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #note: NoteRefusal | undefined;
  readonly #queues = new Map<string, { tail: Promise<void>; length: number }>();

  /** `note` is called for each refusal. */
  constructor(database: Database, clock: Clock, note?: NoteRefusal) {
    this.#database = database;
    this.#clock = clock;
    this.#note = note;
  }

  /** Makes an attempt for the call. Throws ACCOUNT_LOCKED without making it when the address is locked. */
  run<T>(emailKey: string, call: AuditIntent, work: () => Promise<TryResult<T>>): Promise<T> {
    const name = emailDigest(emailKey).toString("base64");
    return this.#inOrder(name, () => this.#counted(emailKey, call, work));
  }

  async #counted<T>(emailKey: string, call: AuditIntent, work: () => Promise<TryResult<T>>): Promise<T> {
    const now = this.#clock.now();
    const key = emailDigest(emailKey);
    const begun = await beginTry(this.#database, key, now);
    if (begun.refused_until !== null) {
      this.#note?.("locked", call);
      throw accountLocked(begun.refused_until, now);
    }
    const { outcome, value } = await work().catch(async (error: unknown) => {
      await takeBackTry(this.#database, key, begun);
      throw error;
    });
    if (outcome === "right") await forgetTries(this.#database, key);
    if (outcome === "undecided") await takeBackTry(this.#database, key, begun);
    if (outcome === "wrong") {
      this.#note?.("wrong_credential", call);
      if (begun.lock !== null) await reportLock(this.#database, emailKey, begun.lock, call);
    }
    return value;
  }

  async #inOrder<T>(name: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(name) ?? { tail: Promise.resolve(), length: 0 };
    if (queue.length >= maxWaiting) throw overloaded();
    this.#queues.set(name, queue);
    queue.length += 1;
    const before = queue.tail;
    const { promise, resolve } = Promise.withResolvers<void>();
    queue.tail = promise;
    try {
      await before;
      return await work();
    } finally {
      queue.length -= 1;
      if (queue.length === 0) this.#queues.delete(name);
      resolve();
    }
  }
}

function accountLocked(until: Date, now: Date): Fault {
  const waitSeconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000));
  return new Fault(Reason.ACCOUNT_LOCKED, `too many failed attempts; try again in ${waitSeconds} seconds`, {
    extra: { retry_after: waitSeconds },
    headers: { "Retry-After": String(waitSeconds) },
  });
}
