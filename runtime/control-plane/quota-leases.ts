// The evaluations that a connected runtime may make without asking. The control plane grants leases in advance over the
// reporting stream (src/domain/billing/quota.ts), and each evaluation takes one unit, at once and without waiting.
// While the control plane is away the leases are used up; then evaluations go on without a lease, and their records are
// counted as overage. A runtime that is connected and has no lease refuses.

import { timestampDate } from "@bufbuild/protobuf/wkt";
import { LeaseWish, type Quota, QuotaState } from "../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { paymentRequired, planLimitExceeded } from "../../src/kit/rpc/quota-fault.ts";

/** How long leases may be used after the stream broke. The control plane takes them back after twice this time. */
const lifetimeMs = 60_000;
/** The next lease is asked for when this share of the current one is left. */
const lowShare = 0.3;
/** How long before the end of the month the next month's lease is asked for. */
const earlyMs = 60_000;

/** Grants evaluations one by one. */
export interface Meter {
  /** Takes one evaluation: the lease's id, or "" for one without a lease. Throws when nothing is left. */
  take(now: Date): string;
  /** Gives back an evaluation that was taken and failed. */
  giveBack(leaseId: string): void;
}

/** Options of quota leases. */
export interface QuotaLeasesOptions {
  readonly isConnected: () => boolean;
  /** Called when another lease is needed at once. */
  readonly onLow: () => void;
  /** Sequence number of the oldest record that is not acknowledged, and of the next one. */
  readonly spool: () => { readonly firstSeq: number; readonly nextSeq: number };
}

interface Held {
  readonly id: string;
  readonly size: number;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  left: number;
  /**
   * Set when the lease is used up: once everything up to this sequence number is acknowledged, no record of it is
   * pending.
   */
  lastSeq: number | undefined;
}

/** Keeps the leases of a connected runtime. */
export class QuotaLeases implements Meter {
  readonly #options: QuotaLeasesOptions;
  #quota: Quota | undefined;
  #leases: Held[] = [];
  /** Whether the newest stream has answered yet. */
  #isAnswered = false;
  /** Whether another lease was asked for, and the answer is on its way. */
  #isAsking = false;
  #awaySinceMs: number | undefined;
  /** Evaluations of the current second, and of the one before. */
  #second = 0;
  #inSecond = 0;
  #perSecond = 0;

  constructor(options: QuotaLeasesOptions) {
    this.#options = options;
  }

  take(now: Date): string {
    const nowMs = now.getTime();
    this.#countAt(nowMs);
    const isConnected = this.#isAnswered && this.#options.isConnected();
    if (this.#quota?.state === QuotaState.UNLIMITED) return "";
    if (isConnected && this.#quota?.state === QuotaState.BLOCKED) throw paymentRequired();
    const lease = this.#usable(nowMs, isConnected);
    if (lease !== undefined) return this.#spend(lease, nowMs);
    if (!isConnected || this.#quota === undefined) return "";
    this.#askIfLow(nowMs);
    const { limit, used, resetsAt, advice, state } = this.#quota;
    const until = resetsAt === undefined ? now : timestampDate(resetsAt);
    throw planLimitExceeded({ limit, used, resetsAt: until, advice, isWaiting: state !== QuotaState.EXHAUSTED });
  }

  giveBack(leaseId: string): void {
    const lease = this.#leases.find(({ id }) => id === leaseId);
    if (lease === undefined) return;
    lease.left += 1;
    lease.lastSeq = undefined;
  }

  /** The leases of a status: those in use, and those with records that are not acknowledged. */
  held(): string[] {
    const { firstSeq } = this.#options.spool();
    this.#leases = this.#leases.filter(({ left, lastSeq }) => left > 0 || lastSeq === undefined || lastSeq >= firstSeq);
    return this.#leases.slice(-64).map(({ id }) => id);
  }

  /** The lease that a status asks for. */
  wish(now: Date): LeaseWish {
    const wish = this.#wish(now.getTime());
    if (wish !== LeaseWish.UNSPECIFIED) this.#isAsking = true;
    return wish;
  }

  /** Expected evaluations of the next five seconds. */
  get demand(): number {
    return 5 * Math.max(this.#perSecond, this.#inSecond);
  }

  /** Takes over an answer. A lease that it does not name is gone. */
  replace(quota: Quota): void {
    const known = new Map(this.#leases.map((lease) => [lease.id, lease]));
    this.#leases = quota.leases.map(({ leaseId: id, size, startsAt, endsAt }) => {
      const startsAtMs = startsAt === undefined ? 0 : timestampDate(startsAt).getTime();
      const endsAtMs = endsAt === undefined ? 0 : timestampDate(endsAt).getTime();
      return known.get(id) ?? { id, size, startsAtMs, endsAtMs, left: size, lastSeq: undefined };
    });
    // An answer without a grant does not say how much is used.
    const used = quota.used === 0 ? (this.#quota?.used ?? 0) : quota.used;
    this.#quota = { ...quota, used };
    this.#isAnswered = true;
    this.#isAsking = false;
    this.#awaySinceMs = undefined;
  }

  /** A stream is about to open: until it answers, nothing is known. */
  reconnecting(): void {
    this.#isAnswered = false;
    this.#isAsking = false;
  }

  /** Whether evaluations need no leases; undefined until the newest stream has said so. */
  get isUnlimited(): boolean | undefined {
    return this.#isAnswered ? this.#quota?.state === QuotaState.UNLIMITED : undefined;
  }

  /** Evaluations that are left in all leases, of this month and the next. */
  get left(): number {
    return this.#leases.reduce((sum, { left }) => sum + left, 0);
  }

  #usable(nowMs: number, isConnected: boolean): Held | undefined {
    if (isConnected) this.#awaySinceMs = undefined;
    else {
      this.#awaySinceMs ??= nowMs;
      if (nowMs - this.#awaySinceMs > lifetimeMs) return undefined;
    }
    return this.#leases.find(({ left, startsAtMs, endsAtMs }) => left > 0 && startsAtMs <= nowMs && nowMs < endsAtMs);
  }

  #spend(lease: Held, nowMs: number): string {
    lease.left -= 1;
    // The record of this evaluation is appended after this, and others may be about to be.
    if (lease.left === 0) lease.lastSeq = this.#options.spool().nextSeq + 16;
    if (lease.left <= this.#lowAt(lease)) this.#askIfLow(nowMs);
    return lease.id;
  }

  // A lease should last until the next one arrives, which can take a second after a backlog of reports.
  #lowAt({ size }: Held): number {
    return Math.max(size * lowShare, this.#perSecond);
  }

  #countAt(nowMs: number): void {
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.#second) {
      this.#perSecond = second === this.#second + 1 ? this.#inSecond : 0;
      this.#second = second;
      this.#inSecond = 0;
    }
    this.#inSecond += 1;
  }

  #askIfLow(nowMs: number): void {
    if (this.#isAsking || this.#quota?.state === QuotaState.EXHAUSTED || !this.#isAnswered) return;
    if (this.#wish(nowMs) === LeaseWish.UNSPECIFIED) return;
    this.#isAsking = true;
    this.#options.onLow();
  }

  #wish(nowMs: number): LeaseWish {
    const state = this.#quota?.state;
    if (state === QuotaState.UNLIMITED || state === QuotaState.BLOCKED) return LeaseWish.UNSPECIFIED;
    const current = this.#leases.filter(({ startsAtMs, endsAtMs }) => startsAtMs <= nowMs && nowMs < endsAtMs);
    const newest = current.at(-1);
    const left = current.reduce((sum, each) => sum + each.left, 0);
    if (newest === undefined || left <= this.#lowAt(newest)) return LeaseWish.NOW;
    const isEnding = newest.endsAtMs - nowMs <= earlyMs;
    const hasNext = this.#leases.some(({ startsAtMs }) => startsAtMs > nowMs);
    return isEnding && !hasNext ? LeaseWish.NEXT_MONTH : LeaseWish.UNSPECIFIED;
  }
}
