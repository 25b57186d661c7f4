// Who may send now. Each webhook that has something due gets a lane. Organizations take turns, and so do the lanes of each,
// one step at a time: a target with a thousand deliveries waits behind itself, and an organization with a hundred targets
// behind itself, and neither before others. Targets that are slow or silent have slots of their own (delivery-slots.ts) and
// are left alone in between (delivery-lane.ts). No job waits for a target: waking a lane returns at once.

import type { Logger } from "../kit/log.ts";
import { verdictOf } from "./delivery.ts";
import type { Attempt, AttemptResult, DeliveryAttempts } from "./delivery-attempt.ts";
import { Lane, type LaneMemory, slowMs } from "./delivery-lane.ts";
import { DeliverySlots, type DispatchLimits, defaultDispatchLimits } from "./delivery-slots.ts";
import type { WebhookAddress } from "./job.ts";

/** What a dispatcher needs. */
export interface DispatcherOptions {
  readonly attempts: DeliveryAttempts;
  readonly log: Logger;
  readonly limits?: DispatchLimits;
  /** Hears of each attempt. */
  readonly onResult?: (result: AttemptResult) => void;
}

/** Claims at once: below the connections to the database, since results are to be recorded too. */
const maxClaims = 6;
/** After this time it is looked again at what another process held. */
const heldMs = 250;
/** Targets of which something bad is remembered. */
const memoryLimit = 10_000;

/** What became of a lane's turn: it did something, can do nothing by itself, or waits for what others hold. */
type Step = "moved" | "idle" | "waiting";

/** Makes what is due, fairly. */
export class Dispatcher {
  readonly #attempts: DeliveryAttempts;
  readonly #log: Logger;
  readonly #onResult: (result: AttemptResult) => void;
  readonly #slots: DeliverySlots;
  /** By webhook id. */
  readonly #lanes = new Map<string, Lane>();
  /** Lanes that may do something, by organization; both in the order of their turns. */
  readonly #ready = new Map<string, Set<Lane>>();
  /** Lanes that wait for a slot for slow targets. */
  readonly #parked = new Set<Lane>();
  readonly #memories = new Map<string, LaneMemory>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #claims = 0;
  #isStopping = false;
  #idleWaiters: (() => void)[] = [];

  constructor({ attempts, log, limits = defaultDispatchLimits, onResult = () => {} }: DispatcherOptions) {
    this.#attempts = attempts;
    this.#log = log;
    this.#slots = new DeliverySlots(limits);
    this.#onResult = onResult;
  }

  /** Requests that are being made now. */
  get inFlight(): number {
    return this.#slots.used;
  }

  /** Looks for due deliveries of the webhook as soon as there is room. */
  wake(address: WebhookAddress): void {
    if (this.#isStopping) return;
    const id = address.webhook_id;
    const lane = this.#lanes.get(id) ?? new Lane(address, this.#memories.get(id));
    lane.isHungry = true;
    lane.isHeld = false;
    this.#lanes.set(id, lane);
    this.#turn(lane);
  }

  /** Resolves when nothing is being sent and nothing more was found due. */
  idle(): Promise<void> {
    if (this.#lanes.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Claims nothing more, gives back what is not begun, and resolves when what is being sent has been recorded. */
  stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const lane of this.#lanes.values()) {
      lane.isHungry = false;
      this.#giveBack(lane, { all: true });
      this.#settle(lane);
    }
    return this.idle();
  }

  /** The lane may do something: it gets a turn, and so do those that wait. */
  #turn(lane: Lane): void {
    const orgId = lane.address.org_id;
    const lanes = this.#ready.get(orgId) ?? new Set();
    this.#ready.set(orgId, lanes.add(lane));
    this.#pump();
  }

  // What is deleted from a map and set again comes once more in the same loop: that is the round.
  #pump(): void {
    for (const [orgId, lanes] of this.#ready) {
      const [lane] = lanes;
      if (lane !== undefined) {
        const step = this.#step(lane);
        if (step === "waiting") continue;
        lanes.delete(lane);
        if (step === "moved") lanes.add(lane);
      }
      this.#ready.delete(orgId);
      if (lanes.size > 0) this.#ready.set(orgId, lanes);
    }
  }

  #step(lane: Lane): Step {
    if (this.#isStopping) return "idle";
    const now = performance.now();
    const restMs = lane.restMs(now);
    if (restMs > 0) {
      this.#giveBack(lane, { all: true });
      if (lane.isHungry && lane.inFlight === 0 && !lane.isResting) {
        lane.isResting = true;
        this.#later(lane, restMs);
      }
      return "idle";
    }
    this.#giveBack(lane, { now });
    if (lane.queue.length > 0 && lane.hasRoom) return this.#start(lane);
    if (lane.isHungry && !lane.isClaiming && lane.releases === 0 && !lane.isHeld && lane.isLow) {
      if (this.#claims >= maxClaims) return "waiting";
      void this.#feed(lane);
      return "moved";
    }
    return "idle";
  }

  #start(lane: Lane): Step {
    const orgId = lane.address.org_id;
    if (lane.isSuspect && !this.#slots.hasSlow) {
      this.#parked.add(lane);
      return "idle";
    }
    if (!lane.isSuspect && !this.#slots.hasQuick(orgId)) return "waiting";
    const attempt = lane.take();
    if (attempt !== undefined) void this.#make(lane, attempt);
    return "moved";
  }

  async #feed(lane: Lane): Promise<void> {
    lane.isClaiming = true;
    lane.isHungry = false;
    this.#claims += 1;
    const { ended } = lane;
    try {
      const { attempts, mayHaveMore } = await this.#attempts.claim(lane.address, lane.wanted, lane.claimIds);
      lane.add(attempts, performance.now());
      lane.isHungry ||= mayHaveMore && !this.#isStopping;
      lane.isHeld = mayHaveMore && attempts.length === 0 && lane.ended === ended;
      if (this.#isStopping) this.#giveBack(lane, { all: true });
    } catch (err) {
      // The sweep wakes the lane again.
      this.#log.error({ err, ...lane.address }, "deliveries could not be claimed");
    } finally {
      lane.isClaiming = false;
      this.#claims -= 1;
      this.#settle(lane);
      this.#turn(lane);
    }
  }

  async #make(lane: Lane, attempt: Attempt): Promise<void> {
    const slot = this.#slots.take(lane.address.org_id, { isSlow: lane.isSuspect });
    lane.inFlight += 1;
    const slow = setTimeout(() => {
      lane.suspect();
      this.#slots.slowDown(slot);
      this.#pump();
    }, slowMs);
    try {
      const result = await this.#attempts.make(attempt);
      const { statusCode, sendMs, durationMs: turnMs } = result;
      lane.learn({ isAnswered: statusCode !== null, sendMs, turnMs }, performance.now());
      // The webhook is not active any more, so what was claimed for it is not to be sent.
      if (verdictOf(statusCode) === "gone") this.#giveBack(lane, { all: true });
      this.#onResult(result);
    } catch (err) {
      // The claim runs out, and the sweep finds the same attempt due again.
      this.#log.error({ err, ...lane.address, delivery_id: attempt.id }, "an attempt could not be made");
    } finally {
      clearTimeout(slow);
      lane.settle(attempt);
      lane.isHeld = false;
      lane.ended += 1;
      lane.inFlight -= 1;
      this.#slots.free(slot);
      this.#unpark();
      this.#settle(lane);
      this.#turn(lane);
    }
  }

  #unpark(): void {
    const [lane] = this.#parked;
    if (lane === undefined || !this.#slots.hasSlow) return;
    this.#parked.delete(lane);
    this.#turn(lane);
  }

  #giveBack(lane: Lane, { now = 0, all = false }: { readonly now?: number; readonly all?: boolean }): void {
    const stale = lane.takeStale(now, { all });
    if (stale.length === 0) return;
    for (const attempt of stale) lane.settle(attempt);
    lane.isHungry = !this.#isStopping;
    lane.releases += 1;
    this.#attempts
      .release(lane.address.org_id, stale)
      // The claims run out.
      .catch((err: unknown) => this.#log.warn({ err, ...lane.address }, "claims could not be given back"))
      .finally(() => {
        lane.releases -= 1;
        this.#settle(lane);
        this.#turn(lane);
      });
  }

  #later(lane: Lane, delayMs: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      lane.isResting = false;
      this.wake(lane.address);
    }, delayMs);
    timer.unref();
    this.#timers.add(timer);
  }

  // A lane goes when it has nothing to do. What another process holds is looked at again soon: it may have gone there after
  // that one had looked for the last time.
  #settle(lane: Lane): void {
    if (lane.inFlight > 0 || lane.isClaiming || lane.releases > 0 || lane.queue.length > 0) return;
    const isHeld = lane.isHungry && lane.isHeld;
    if (lane.isHungry && !isHeld) return;
    if (isHeld && this.#lanes.has(lane.address.webhook_id)) this.#later(lane, heldMs);
    this.#forget(lane);
    if (this.#lanes.size > 0) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  #forget(lane: Lane): void {
    const id = lane.address.webhook_id;
    this.#lanes.delete(id);
    this.#parked.delete(lane);
    this.#memories.delete(id);
    if (lane.memory === undefined) return;
    this.#memories.set(id, lane.memory);
    const [oldest] = this.#memories.keys();
    if (this.#memories.size > memoryLimit && oldest !== undefined) this.#memories.delete(oldest);
  }
}
