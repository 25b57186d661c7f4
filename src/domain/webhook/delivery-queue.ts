// The deliveries of one webhook within a process, and what is known of its target: how many requests it may get at
// once, how many deliveries to claim at once, and how long to leave it alone. A target begins with one request at a
// time and may get one more with each quick answer, up to four. One that hangs or is slow goes back to one. One that
// has not answered ten times in a row is left alone for three times as long as its last request took, then tried once
// (half-open), and so on until it answers. This is a circuit breaker whose pause fits what the target costs: one that
// refuses at once is still tried on schedule.

import type { WebhookAddress } from "../job.ts";
import type { Attempt } from "./attempt.ts";
import { maxPauseMs } from "./delivery.ts";
import { type Claimed, maxPerWebhook } from "./delivery-attempt.ts";

/** An answer that takes longer than this is slow. */
export const slowMs = 2_000;

/** Unanswered requests in a row after which a target is left alone for some time. */
export const breakerFailures = 10;

/** The schedule has room for the longest pause (delivery.ts): no retry leaves its window because of a pause. */
const breakerPause = { factor: 3, minMs: 100, maxMs: maxPauseMs };

/** Deliveries that are claimed at once. */
const maxBatch = 64;
/** A claim is about as much as is sent and recorded in this time: other processes do not see what waits in a queue. */
const batchMs = 500;
/** What was claimed and is not sent within this time is given back, since the webhook may have changed. */
const claimedFreshMs = 1_000;

/** What came of a request. */
export interface RequestResult {
  readonly isAnswered: boolean;
  readonly sendMs: number;
  /** From the beginning of the request until its result is recorded: until then it counts as in flight. */
  readonly totalMs: number;
}

/** What is remembered of a target whose queue has gone. */
export interface TargetMemory {
  readonly consecutiveFailures: number;
  readonly isSuspect: boolean;
  readonly restsUntil: number;
}

/**
 * What a queue waits for. "working": something of its own is under way or to be done. "held": another process holds
 * what is due. "done": nothing is due.
 */
export type QueueState = "working" | "held" | "done";

/** The queue of one webhook that has something due. */
export class DeliveryQueue {
  readonly address: WebhookAddress;
  /** Claimed, and not sent yet. */
  readonly #waiting: { readonly attempt: Attempt; readonly claimedAt: number }[] = [];
  /** By claim id: how many attempts are waiting or in flight. */
  readonly #claims = new Map<string, number>();
  /** Requests that are being made or recorded. */
  #inFlight = 0;
  /** Releases that are under way. Until they end, it looks as if other processes held what they give back. */
  #releases = 0;
  #isClaiming = false;
  /** Whether a request has ended since the last claim began. */
  #hasEndedSinceClaim = false;
  /** Whether to claim again. */
  #hasMoreDue = false;
  /** Whether another process holds what may be claimed: wait until a request of this queue has ended. */
  #isHeld = false;
  /** Whether a timer wakes the queue when its target may be tried again. */
  #isResting = false;
  #isStopped = false;
  /** Requests that the target may get at once. */
  #width = 1;
  #batch = 1;
  /** Requests without an answer, in a row. */
  #consecutiveFailures: number;
  /** Whether the last request was slow or unanswered. */
  #isSuspect: boolean;
  #restsUntil: number;

  constructor(
    address: WebhookAddress,
    memory: TargetMemory = { consecutiveFailures: 0, isSuspect: false, restsUntil: 0 },
  ) {
    this.address = address;
    this.#consecutiveFailures = memory.consecutiveFailures;
    this.#isSuspect = memory.isSuspect;
    this.#restsUntil = memory.restsUntil;
  }

  /** Whether the last request was slow or unanswered. */
  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  /** What the queue waits for. */
  get state(): QueueState {
    if (this.#inFlight > 0 || this.#isClaiming || this.#releases > 0 || this.#waiting.length > 0) return "working";
    if (!this.#hasMoreDue) return "done";
    return this.#isHeld ? "held" : "working";
  }

  /** Whether something can be sent now. */
  get canSend(): boolean {
    return this.#waiting.length > 0 && this.#inFlight < this.#width;
  }

  /** Whether to claim now: something may be due, and the queue would run dry before the claim is there. */
  get canClaim(): boolean {
    const isLow = this.#waiting.length <= this.#batch / 2;
    return this.#hasMoreDue && !this.#isClaiming && this.#releases === 0 && !this.#isHeld && isLow;
  }

  /** How many deliveries to claim now. */
  get claimSize(): number {
    return this.#batch;
  }

  /** Ids of the claims of which something is waiting or in flight. */
  get claimIds(): string[] {
    return [...this.#claims.keys()];
  }

  /** What to remember when the queue goes; undefined when the target has answered quickly. */
  get memory(): TargetMemory | undefined {
    const consecutiveFailures = this.#consecutiveFailures;
    if (!this.#isSuspect && consecutiveFailures === 0) return undefined;
    return { consecutiveFailures, isSuspect: this.#isSuspect, restsUntil: this.#restsUntil };
  }

  /** Something may be due. */
  wake(): void {
    this.#hasMoreDue = !this.#isStopped;
    this.#isHeld = false;
  }

  /** Claims nothing more. */
  stop(): void {
    this.#isStopped = true;
    this.#hasMoreDue = false;
  }

  /** A claim begins. */
  beginClaim(): void {
    this.#isClaiming = true;
    this.#hasMoreDue = false;
    this.#hasEndedSinceClaim = false;
  }

  /** Queues what was claimed. */
  add({ attempts, mayHaveMore }: Claimed, claimedAt: number): void {
    for (const attempt of attempts) {
      this.#waiting.push({ attempt, claimedAt });
      this.#claims.set(attempt.claim_id, (this.#claims.get(attempt.claim_id) ?? 0) + 1);
    }
    this.#hasMoreDue ||= mayHaveMore && !this.#isStopped;
    this.#isHeld = mayHaveMore && attempts.length === 0 && !this.#hasEndedSinceClaim;
  }

  /** The claim has ended, whether or not it brought anything. */
  endClaim(): void {
    this.#isClaiming = false;
  }

  /** Takes the next attempt out of the queue to send it; undefined when none is waiting. */
  beginRequest(): Attempt | undefined {
    const next = this.#waiting.shift();
    if (next !== undefined) this.#inFlight += 1;
    return next?.attempt;
  }

  /** The request has ended and what came of it is recorded, or could not be recorded. */
  endRequest(attempt: Attempt): void {
    this.#inFlight -= 1;
    this.#endAttempt(attempt);
    this.#isHeld = false;
    this.#hasEndedSinceClaim = true;
  }

  /**
   * Takes out of the queue what has waited for too long, or all of it, to give it back. Empty: there is no release to
   * end.
   */
  beginRelease(now: number, { all = false } = {}): readonly Attempt[] {
    const fresh = this.#waiting.findIndex(({ claimedAt }) => now - claimedAt <= claimedFreshMs);
    const count = all || fresh === -1 ? this.#waiting.length : fresh;
    const stale = this.#waiting.splice(0, count).map(({ attempt }) => attempt);
    if (stale.length === 0) return [];
    for (const attempt of stale) this.#endAttempt(attempt);
    this.#hasMoreDue = !this.#isStopped;
    this.#releases += 1;
    return stale;
  }

  /** The release has ended. */
  endRelease(): void {
    this.#releases -= 1;
  }

  /** How long the target is still left alone; 0 when it may be tried. */
  restMs(now: number): number {
    return Math.max(0, this.#restsUntil - now);
  }

  /** Returns whether a timer is to wake the queue when the rest is over: nothing else will, and there is none yet. */
  beginRest(): boolean {
    if (!this.#hasMoreDue || this.#inFlight > 0 || this.#isResting) return false;
    this.#isResting = true;
    return true;
  }

  /** The timer has come. */
  endRest(): void {
    this.#isResting = false;
  }

  /** The target has taken so long that it counts as slow, whatever it will answer. */
  suspect(): void {
    this.#isSuspect = true;
    this.#width = 1;
    this.#batch = 1;
  }

  /** Learns from what came of a request. */
  learn({ isAnswered, sendMs, totalMs }: RequestResult, now: number): void {
    this.#consecutiveFailures = isAnswered ? 0 : this.#consecutiveFailures + 1;
    if (isAnswered && sendMs < slowMs) {
      this.#isSuspect = false;
      this.#width = Math.min(maxPerWebhook, this.#width + 1);
      this.#batch = Math.max(1, Math.min(maxBatch, Math.floor((this.#width * batchMs) / Math.max(1, totalMs))));
    } else this.suspect();
    if (this.#consecutiveFailures < breakerFailures) return;
    const { factor, minMs, maxMs } = breakerPause;
    this.#restsUntil = now + Math.min(maxMs, Math.max(minMs, factor * sendMs));
  }

  #endAttempt({ claim_id }: Attempt): void {
    const left = (this.#claims.get(claim_id) ?? 0) - 1;
    if (left > 0) this.#claims.set(claim_id, left);
    else this.#claims.delete(claim_id);
  }
}
