// Who may send now. Each webhook that has something due gets a lane; lanes take turns, one claim at a time, so that a target
// with a thousand deliveries waits behind itself and not before others. A lane begins with one request at a time and widens
// with each quick answer up to four; a target that hangs or is slow falls back to one. So the share of the slots that dead
// targets can hold is small, however many events they owe, and no job waits for a target: waking a lane returns at once.

import type { Logger } from "../kit/log.ts";
import type { Attempt, AttemptResult, DeliveryAttempts } from "./delivery-attempt.ts";
import { maxPerWebhook } from "./delivery-attempt.ts";
import type { WebhookAddress } from "./job.ts";

/** How many requests one process makes at once. */
export interface DispatchLimits {
  readonly total: number;
  /** Of one organization: above its most webhooks, so that each of them has at least one. */
  readonly perOrganization: number;
}

/** Limits of a process. */
export const defaultDispatchLimits: DispatchLimits = { total: 512, perOrganization: 128 };

/** An answer that takes longer than this is slow. */
const slowMs = 2_000;

/** What a dispatcher needs. */
export interface DispatcherOptions {
  readonly attempts: DeliveryAttempts;
  readonly log: Logger;
  readonly limits?: DispatchLimits;
  /** Hears of each attempt. */
  readonly onResult?: (result: AttemptResult) => void;
}

interface Lane {
  readonly address: WebhookAddress;
  /** Requests at once, from 1 to maxPerWebhook. */
  width: number;
  inFlight: number;
  /** Requests that have ended. */
  ended: number;
  isClaiming: boolean;
  /** Whether to claim again. */
  isHungry: boolean;
  /** Whether others hold what may be claimed: wait until one of the lane's own requests has ended. */
  isHeld: boolean;
}

/** Makes what is due, fairly. */
export class Dispatcher {
  readonly #attempts: DeliveryAttempts;
  readonly #log: Logger;
  readonly #limits: DispatchLimits;
  readonly #onResult: (result: AttemptResult) => void;
  /** By webhook id; in the order in which they have their turn. */
  readonly #lanes = new Map<string, Lane>();
  readonly #slotsByOrganization = new Map<string, number>();
  #slots = 0;
  #isStopping = false;
  #idleWaiters: (() => void)[] = [];

  constructor({ attempts, log, limits = defaultDispatchLimits, onResult = () => {} }: DispatcherOptions) {
    this.#attempts = attempts;
    this.#log = log;
    this.#limits = limits;
    this.#onResult = onResult;
  }

  /** Requests that are being made now. */
  get inFlight(): number {
    return this.#slots;
  }

  /** Looks for due deliveries of the webhook as soon as there is room. */
  wake(address: WebhookAddress): void {
    if (this.#isStopping) return;
    const lane = this.#lanes.get(address.webhook_id) ?? newLane(address);
    lane.isHungry = true;
    lane.isHeld = false;
    this.#lanes.set(address.webhook_id, lane);
    this.#pump();
  }

  /** Resolves when nothing is being sent and nothing more was found due. */
  idle(): Promise<void> {
    if (this.#slots === 0 && this.#lanes.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Claims nothing more, and resolves when what is being sent has been recorded. */
  stop(): Promise<void> {
    this.#isStopping = true;
    for (const lane of this.#lanes.values()) lane.isHungry = false;
    this.#settle();
    return this.idle();
  }

  #pump(): void {
    for (const lane of [...this.#lanes.values()]) {
      if (this.#slots >= this.#limits.total) return;
      const room = this.#roomFor(lane);
      if (room > 0) void this.#feed(lane, room);
    }
  }

  #roomFor(lane: Lane): number {
    if (!lane.isHungry || lane.isClaiming || lane.isHeld) return 0;
    const organizationSlots = this.#slotsByOrganization.get(lane.address.org_id) ?? 0;
    return Math.min(
      lane.width - lane.inFlight,
      this.#limits.perOrganization - organizationSlots,
      this.#limits.total - this.#slots,
    );
  }

  async #feed(lane: Lane, room: number): Promise<void> {
    lane.isClaiming = true;
    lane.isHungry = false;
    this.#occupy(lane, room);
    const { ended } = lane;
    try {
      const { attempts, mayHaveMore } = await this.#attempts.claim(lane.address, room);
      lane.isHungry ||= mayHaveMore && !this.#isStopping;
      lane.isHeld = mayHaveMore && attempts.length === 0 && lane.ended === ended;
      this.#occupy(lane, attempts.length - room);
      for (const attempt of attempts) void this.#make(lane, attempt);
    } catch (err) {
      // The sweep wakes the lane again.
      this.#log.error({ err, ...lane.address }, "deliveries could not be claimed");
      this.#occupy(lane, -room);
    } finally {
      lane.isClaiming = false;
      this.#takeTurn(lane);
    }
  }

  async #make(lane: Lane, attempt: Attempt): Promise<void> {
    try {
      const result = await this.#attempts.make(attempt);
      const isQuick = result.statusCode !== null && result.durationMs < slowMs;
      lane.width = isQuick ? Math.min(maxPerWebhook, lane.width + 1) : 1;
      this.#onResult(result);
    } catch (err) {
      // The claim runs out, and the sweep finds the same attempt due again.
      this.#log.error({ err, ...lane.address, delivery_id: attempt.id }, "an attempt could not be made");
    } finally {
      lane.isHeld = false;
      lane.ended += 1;
      this.#occupy(lane, -1);
      this.#takeTurn(lane);
    }
  }

  #occupy(lane: Lane, slots: number): void {
    const organization = lane.address.org_id;
    lane.inFlight += slots;
    this.#slots += slots;
    const left = (this.#slotsByOrganization.get(organization) ?? 0) + slots;
    if (left === 0) this.#slotsByOrganization.delete(organization);
    else this.#slotsByOrganization.set(organization, left);
  }

  // Behind the others, or away when nothing more is known to be due.
  #takeTurn(lane: Lane): void {
    const id = lane.address.webhook_id;
    this.#lanes.delete(id);
    const isWaiting = lane.isHungry && !(lane.isHeld && lane.inFlight === 0);
    if (lane.inFlight > 0 || lane.isClaiming || isWaiting) this.#lanes.set(id, lane);
    this.#pump();
    this.#settle();
  }

  #settle(): void {
    if (this.#isStopping) {
      for (const [id, lane] of this.#lanes) if (lane.inFlight === 0 && !lane.isClaiming) this.#lanes.delete(id);
    }
    if (this.#slots > 0 || this.#lanes.size > 0) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }
}

function newLane(address: WebhookAddress): Lane {
  return { address, width: 1, inFlight: 0, ended: 0, isClaiming: false, isHungry: false, isHeld: false };
}
