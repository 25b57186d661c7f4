// Which webhook may send now. Each webhook that has something due gets a queue. Organizations take turns, and so do the
// queues of each, one step at a time: a target with a thousand deliveries delays only itself, and an organization with
// a hundred targets delays only its own. Targets that are slow or do not answer have slots of their own
// (delivery-slots.ts) and are left alone in between (delivery-queue.ts). No job waits for a target: waking a queue
// returns at once.

import type { Logger } from "../../kit/observability/log.ts";
import { BoundedCache } from "../../kit/process/bounded-cache.ts";
import type { WebhookAddress } from "../job.ts";
import type { Attempt } from "./attempt.ts";
import type { AttemptResult, DeliveryAttempts } from "./delivery-attempt.ts";
import { DeliveryQueue, slowMs, type TargetMemory } from "./delivery-queue.ts";
import { DeliverySlots, type DispatchLimits, defaultDispatchLimits } from "./delivery-slots.ts";

/** What a dispatcher needs. */
export interface DispatcherOptions {
  readonly attempts: DeliveryAttempts;
  readonly log: Logger;
  readonly limits?: DispatchLimits;
  /** Called with what came of each attempt. */
  readonly onResult?: (result: AttemptResult) => void;
}

/** Claims at once: fewer than the connections to the database, since results have to be recorded too. */
const maxClaims = 6;
/** Time after which the dispatcher looks again at what another process held. */
const heldMs = 250;
/** Targets of which it is remembered that they were slow or did not answer. */
const maxMemories = 10_000;

/**
 * What a queue did when it was its turn: something, nothing because it has nothing to do, or nothing because others
 * hold all slots.
 */
type Step = "moved" | "idle" | "waiting";

/** Makes the attempts that are due, fairly. */
export class Dispatcher {
  readonly #attempts: DeliveryAttempts;
  readonly #log: Logger;
  readonly #onResult: (result: AttemptResult) => void;
  readonly #slots: DeliverySlots;
  /** By webhook id. */
  readonly #queues = new Map<string, DeliveryQueue>();
  /** Queues that may do something, by organization; both in the order in which they take turns. */
  readonly #ready = new Map<string, Set<DeliveryQueue>>();
  /** Queues that wait for a slot for slow targets. */
  readonly #parked = new Set<DeliveryQueue>();
  /** By webhook id. */
  readonly #memories = new BoundedCache<string, TargetMemory>({ maxEntries: maxMemories });
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
    const queue = this.#queues.get(id) ?? new DeliveryQueue(address, this.#memories.get(id));
    queue.wake();
    this.#queues.set(id, queue);
    this.#schedule(queue);
  }

  /** Resolves when nothing is being sent and nothing more was found due. */
  idle(): Promise<void> {
    if (this.#queues.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Claims nothing more, gives back what is not begun, and resolves when what is being sent has been recorded. */
  stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const queue of this.#queues.values()) {
      queue.stop();
      this.#giveBack(queue, { all: true });
      this.#settle(queue);
    }
    return this.idle();
  }

  /** The queue may do something: it gets its turn, and so do those that wait. */
  #schedule(queue: DeliveryQueue): void {
    const orgId = queue.address.org_id;
    const queues = this.#ready.get(orgId) ?? new Set();
    this.#ready.set(orgId, queues.add(queue));
    this.#pump();
  }

  // An entry that is deleted from a map and set again is visited again by the same loop: that makes the rounds.
  #pump(): void {
    for (const [orgId, queues] of this.#ready) {
      const [queue] = queues;
      if (queue !== undefined) {
        const step = this.#step(queue);
        if (step === "waiting") continue;
        queues.delete(queue);
        if (step === "moved") queues.add(queue);
      }
      this.#ready.delete(orgId);
      if (queues.size > 0) this.#ready.set(orgId, queues);
    }
  }

  #step(queue: DeliveryQueue): Step {
    if (this.#isStopping) return "idle";
    const now = performance.now();
    const restMs = queue.restMs(now);
    if (restMs > 0) {
      this.#giveBack(queue, { all: true });
      if (queue.beginRest()) this.#wakeLater(queue, restMs);
      return "idle";
    }
    this.#giveBack(queue, { now });
    if (queue.canSend) return this.#start(queue);
    if (!queue.canClaim) return "idle";
    if (this.#claims >= maxClaims) return "waiting";
    void this.#claim(queue);
    return "moved";
  }

  #start(queue: DeliveryQueue): Step {
    if (queue.isSuspect && !this.#slots.hasSlow) {
      this.#parked.add(queue);
      return "idle";
    }
    if (!queue.isSuspect && !this.#slots.hasQuick(queue.address.org_id)) return "waiting";
    const attempt = queue.beginRequest();
    if (attempt !== undefined) void this.#make(queue, attempt);
    return "moved";
  }

  async #claim(queue: DeliveryQueue): Promise<void> {
    queue.beginClaim();
    this.#claims += 1;
    try {
      const claimed = await this.#attempts.claim(queue.address, queue.claimSize, queue.claimIds);
      queue.add(claimed, performance.now());
      if (this.#isStopping) this.#giveBack(queue, { all: true });
    } catch (err) {
      // The sweep wakes the queue again.
      this.#log.error({ err, ...queue.address }, "deliveries could not be claimed");
    } finally {
      queue.endClaim();
      this.#claims -= 1;
      this.#settle(queue);
      this.#schedule(queue);
    }
  }

  async #make(queue: DeliveryQueue, attempt: Attempt): Promise<void> {
    const slot = this.#slots.take(queue.address.org_id, { isSlow: queue.isSuspect });
    const slow = setTimeout(() => {
      queue.suspect();
      this.#slots.slowDown(slot);
      this.#pump();
    }, slowMs);
    try {
      const result = await this.#attempts.make(attempt);
      const { statusCode, isGivenUp, sendMs, durationMs: totalMs } = result;
      queue.learn({ isAnswered: statusCode !== null, sendMs, totalMs }, performance.now());
      // The webhook is not active any more, so what was claimed for it must not be sent.
      if (isGivenUp) this.#giveBack(queue, { all: true });
      this.#onResult(result);
    } catch (err) {
      // The claim expires, and the sweep finds the same attempt due again.
      this.#log.error({ err, ...queue.address, delivery_id: attempt.id }, "an attempt could not be made");
    } finally {
      clearTimeout(slow);
      queue.endRequest(attempt);
      this.#slots.free(slot);
      this.#unpark();
      this.#settle(queue);
      this.#schedule(queue);
    }
  }

  #unpark(): void {
    const [queue] = this.#parked;
    if (queue === undefined || !this.#slots.hasSlow) return;
    this.#parked.delete(queue);
    this.#schedule(queue);
  }

  #giveBack(queue: DeliveryQueue, { now = 0, all = false }: { readonly now?: number; readonly all?: boolean }): void {
    const stale = queue.beginRelease(now, { all });
    if (stale.length === 0) return;
    this.#attempts
      .release(queue.address.org_id, stale)
      // The claims expire.
      .catch((err: unknown) => this.#log.warn({ err, ...queue.address }, "claims could not be given back"))
      .finally(() => {
        queue.endRelease();
        this.#settle(queue);
        this.#schedule(queue);
      });
  }

  #wakeLater(queue: DeliveryQueue, delayMs: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      queue.endRest();
      this.wake(queue.address);
    }, delayMs);
    timer.unref();
    this.#timers.add(timer);
  }

  // A queue goes when it has nothing to do. What another process holds is looked at again soon: more may have become
  // due after that process had looked for the last time.
  #settle(queue: DeliveryQueue): void {
    const { state } = queue;
    if (state === "working") return;
    if (state === "held" && this.#queues.has(queue.address.webhook_id)) this.#wakeLater(queue, heldMs);
    this.#forget(queue);
    if (this.#queues.size > 0) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  #forget(queue: DeliveryQueue): void {
    const id = queue.address.webhook_id;
    this.#queues.delete(id);
    this.#parked.delete(queue);
    if (queue.memory === undefined) this.#memories.delete(id);
    else this.#memories.set(id, queue.memory);
  }
}
