// The queue of one webhook within a process, and what is known of its target: how wide it may be served, how much to claim
// at once, and when to leave it alone. A target begins with one request at a time and widens with each quick answer up to
// four; one that hangs or is slow falls back to one. One that has not answered ten times in a row is left alone for three
// times as long as its last silence took, then tried once (half-open), and so on until it answers: a circuit breaker whose
// pause fits what the target costs, so that one that refuses at once is still tried on schedule.

import { longestPauseMs } from "./delivery.ts";
import type { Attempt } from "./delivery-attempt.ts";
import { maxPerWebhook } from "./delivery-attempt.ts";
import type { WebhookAddress } from "./job.ts";

/** An answer that takes longer than this is slow. */
export const slowMs = 2_000;

/** Unanswered requests in a row after which a target is left alone for some time. */
export const breakerFailures = 10;

/** The longest pause is what the schedule has room for (delivery.ts): no retry leaves its window for a pause. */
const breakerPause = { factor: 3, leastMs: 100, mostMs: longestPauseMs };

/** Most deliveries that are claimed at once. */
const maxBatch = 64;
/** A claim is about as much as is sent and recorded in this time: what waits in a queue is not seen by other processes. */
const batchMs = 500;
/** What was claimed and has not been begun for this time is given back, since the webhook may have changed. */
const claimedFreshMs = 1_000;

/** What came of a request, as far as the lane is concerned. */
export interface LaneResult {
  readonly isAnswered: boolean;
  readonly sendMs: number;
  /** From the request to the moment at which its result is recorded: until then it holds its place. */
  readonly turnMs: number;
}

/** What is remembered of a target whose lane has gone. */
export interface LaneMemory {
  readonly silences: number;
  readonly isSuspect: boolean;
  readonly restsUntil: number;
}

/** One webhook that has something due. */
export class Lane {
  readonly address: WebhookAddress;
  /** Claimed, and not begun. */
  readonly queue: { readonly attempt: Attempt; readonly claimedAt: number }[] = [];
  /** Requests that are being made or recorded. */
  inFlight = 0;
  /** Requests that have ended. */
  ended = 0;
  isClaiming = false;
  /** How often something is being given back at the moment. Until then it looks as if others held it. */
  releases = 0;
  /** Whether somebody will wake the lane when its target may be tried again. */
  isResting = false;
  /** Whether to claim again. */
  isHungry = false;
  /** Whether another process holds what may be claimed: wait until one of the lane's own requests has ended. */
  isHeld = false;
  #width = 1;
  #batch = 1;
  /** Requests without an answer, in a row. */
  #silences: number;
  /** Whether the last request was slow or unanswered. */
  #isSuspect: boolean;
  #restsUntil: number;
  readonly #claims = new Map<string, number>();

  constructor(address: WebhookAddress, memory: LaneMemory = { silences: 0, isSuspect: false, restsUntil: 0 }) {
    this.address = address;
    this.#silences = memory.silences;
    this.#isSuspect = memory.isSuspect;
    this.#restsUntil = memory.restsUntil;
  }

  /** How many deliveries to claim now. */
  get wanted(): number {
    return this.#batch;
  }

  /** Whether the target may take one more request. */
  get hasRoom(): boolean {
    return this.inFlight < this.#width;
  }

  /** Whether to claim while something is queued: the queue would run dry before the claim is there. */
  get isLow(): boolean {
    return this.queue.length <= this.#batch / 2;
  }

  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  /** Ids of the claims of which something is queued or in flight. */
  get claimIds(): string[] {
    return [...this.#claims.keys()];
  }

  /** What to remember when the lane goes; undefined when there is nothing but good to tell. */
  get memory(): LaneMemory | undefined {
    if (!this.#isSuspect && this.#silences === 0) return undefined;
    return { silences: this.#silences, isSuspect: this.#isSuspect, restsUntil: this.#restsUntil };
  }

  /** How long the target is still left alone; 0 when it may be tried. */
  restMs(now: number): number {
    return Math.max(0, this.#restsUntil - now);
  }

  /** Queues what was claimed. */
  add(attempts: readonly Attempt[], claimedAt: number): void {
    for (const attempt of attempts) {
      this.queue.push({ attempt, claimedAt });
      this.#claims.set(attempt.claim_id, (this.#claims.get(attempt.claim_id) ?? 0) + 1);
    }
  }

  /** The next attempt; undefined when none is queued. */
  take(): Attempt | undefined {
    return this.queue.shift()?.attempt;
  }

  /** Takes out of the queue what has waited for too long, or all of it. */
  takeStale(now: number, { all = false } = {}): Attempt[] {
    const fresh = this.queue.findIndex(({ claimedAt }) => now - claimedAt <= claimedFreshMs);
    const stale = all || fresh === -1 ? this.queue.length : fresh;
    return stale === 0 ? [] : this.queue.splice(0, stale).map(({ attempt }) => attempt);
  }

  /** Nothing of the attempt is left to do here. */
  settle({ claim_id }: Attempt): void {
    const left = (this.#claims.get(claim_id) ?? 0) - 1;
    if (left > 0) this.#claims.set(claim_id, left);
    else this.#claims.delete(claim_id);
  }

  /** The target has taken so long that it counts as slow, whatever it will answer. */
  suspect(): void {
    this.#isSuspect = true;
    this.#width = 1;
    this.#batch = 1;
  }

  /** Learns from what came of a request. */
  learn({ isAnswered, sendMs, turnMs }: LaneResult, now: number): void {
    this.#silences = isAnswered ? 0 : this.#silences + 1;
    if (isAnswered && sendMs < slowMs) {
      this.#isSuspect = false;
      this.#width = Math.min(maxPerWebhook, this.#width + 1);
      this.#batch = Math.max(1, Math.min(maxBatch, Math.floor((this.#width * batchMs) / Math.max(1, turnMs))));
    } else this.suspect();
    if (this.#silences < breakerFailures) return;
    const { factor, leastMs, mostMs } = breakerPause;
    this.#restsUntil = now + Math.min(mostMs, Math.max(leastMs, factor * sendMs));
  }
}
