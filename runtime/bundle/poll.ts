// Keeps the bundle in force up to date by an endless long poll of GET /v1/bundles/latest (Prefer: wait=N, RFC 7240). It
// backs off with jitter while the control plane is away, and asks at once when the reporting stream announces an
// activation. Every answer is verified; no failure touches the bundle in force.

import { setTimeout as timer } from "node:timers/promises";
import type { Bundle } from "../../gen/policyguard/bundle/v1/bundle_pb.ts";
import { etagOf } from "../../src/kit/bundle/entity-tag.ts";
import { decodeStatement, type SignedStatement } from "../../src/kit/crypto/statement.ts";
import { type BackOff, backOffMs } from "../../src/kit/process/back-off.ts";
import type { Clock } from "../../src/kit/process/clock.ts";
import {
  type ActivationCheck,
  type BundleScope,
  type Ratchet,
  type VerifiedActivation,
  verified,
  verifyActivation,
} from "./activation.ts";
import type { TrustRoot } from "./key-set.ts";
import { BundleRejection } from "./rejection.ts";
import { type MessageCheck, type VerifiedBundle, verifyBundle } from "./verify.ts";

/** One question to the control plane. */
export interface PollRequest {
  /** Entity tag of the bundle in force; undefined to get the whole bundle in any case. */
  readonly ifNoneMatch: string | undefined;
  /** How long the control plane may wait for a change before it answers; 0 for an answer at once. */
  readonly waitSeconds: number;
  readonly signal: AbortSignal;
}

/** The control plane's answer. Any other answer, such as 404 before the first activation, is thrown. */
export type PollAnswer =
  | { readonly notModified: true /** The header X-Policy-Guard-Activation. */; readonly activation: string }
  | { readonly notModified: false; readonly bundle: Bundle };

/** Options of a poller. */
export interface BundlePollerOptions {
  readonly client: (request: PollRequest) => Promise<PollAnswer>;
  /** The trust root; asked each time, since keys are rotated. */
  readonly root: () => TrustRoot;
  /** Asks for the newest key set and takes it over. Rejects when that is not possible. */
  readonly renewKeys: (signal: AbortSignal) => Promise<void>;
  /** Takes over the key set by which a bundle was verified. */
  readonly takeKeys: (keySet: SignedStatement) => Promise<void>;
  readonly scope: BundleScope;
  readonly runtimeVersion: string;
  readonly maxBytes: number;
  /** The newest activation that was ever adopted, and whether its bundle is in force now. */
  readonly start: { readonly ratchet: Ratchet | undefined; readonly isInForce: boolean };
  /** Verifies a bundle. Default: `verifyBundle`. */
  readonly verify?: (check: MessageCheck) => Promise<VerifiedBundle>;
  /** Compiles the bundle, keeps it on disk and swaps it in. When it throws, the old bundle is still in force. */
  readonly adopt: (bundle: VerifiedBundle) => Promise<void>;
  /**
   * Takes over a fresh activation of the bundle in force; with the bundle itself when that came too, under new
   * signatures.
   */
  readonly refresh: (activation: VerifiedActivation, bundle?: VerifiedBundle) => Promise<void>;
  /** Called with each bundle that was refused. */
  readonly onRejection: (rejection: BundleRejection) => void;
  /** Called with each failure to ask at all. */
  readonly onError: (error: unknown) => void;
  readonly clock: Clock;
  /** Min time from one question to the next when nothing changed; varied by 10 %. */
  readonly intervalMs: number;
  readonly waitSeconds: number;
  /** Sleeps; rejects when aborted. */
  readonly sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>;
  /** A number in [0, 1). */
  readonly random?: () => number;
}

/** A poller at work. */
export interface BundlePoller {
  /** Asks at once, because something is said to have changed. */
  nudge(): void;
  /** Asks for the whole bundle at once: no trusted key signs the one at hand any more. */
  refetch(): void;
  /** Ends the polling and resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

type Outcome = "adopted" | "unchanged" | "failed" | "interrupted";

const backOff: BackOff = { baseMs: 100, maxMs: 30_000, jitter: "above-base" };

/** Starts to poll, and goes on until it is stopped. */
export function createBundlePoller(options: BundlePollerOptions): BundlePoller {
  const poller = new Poller(options);
  const finished = poller.run();
  return {
    nudge: () => poller.nudge(),
    refetch: () => poller.refetch(),
    stop: () => {
      poller.stop();
      return finished;
    },
  };
}

class Poller {
  readonly #options: BundlePollerOptions;
  readonly #sleep: (delayMs: number, signal: AbortSignal) => Promise<void>;
  readonly #random: () => number;
  #ratchet: Ratchet | undefined;
  /** Whether the bundle of the ratchet is in force, so that its entity tag may be sent. */
  #isInForce: boolean;
  /** After a refusal the whole bundle is asked for: a 304 would hide that the next answer is refused as well. */
  #isRefused = false;
  /** Whether the whole bundle is wanted, although nothing was refused. */
  #isWhole = false;
  #isNudged = false;
  /** Serial of the newest key set, as the activation in force says. */
  #keysSerial = 0;
  readonly #end = new AbortController();
  /** Aborts what may be interrupted: a sleep, or a long poll. */
  #interrupt = new AbortController();

  constructor(options: BundlePollerOptions) {
    this.#options = options;
    this.#sleep = options.sleep ?? ((delayMs, signal) => timer(delayMs, undefined, { signal }));
    this.#random = options.random ?? Math.random;
    this.#ratchet = options.start.ratchet;
    this.#isInForce = options.start.isInForce;
  }

  nudge(): void {
    this.#isNudged = true;
    this.#interrupt.abort();
  }

  refetch(): void {
    this.#isWhole = true;
    this.nudge();
  }

  stop(): void {
    this.#end.abort();
  }

  async run(): Promise<void> {
    let failures = 0;
    while (!this.#end.signal.aborted) {
      const startedAtMs = this.#options.clock.now().getTime();
      const outcome = await this.#ask();
      failures = outcome === "failed" ? failures + 1 : 0;
      const elapsedMs = this.#options.clock.now().getTime() - startedAtMs;
      await this.#pause(this.#delayMs(outcome, failures, elapsedMs));
    }
  }

  async #ask(): Promise<Outcome> {
    // The question after a nudge is answered at once, and a second nudge must not abort the answer to the first.
    const waitSeconds = this.#isNudged ? 0 : this.#options.waitSeconds;
    this.#isNudged = false;
    this.#interrupt = new AbortController();
    const signals = waitSeconds === 0 ? [this.#end.signal] : [this.#end.signal, this.#interrupt.signal];
    const signal = AbortSignal.any(signals);
    try {
      const answer = await this.#options.client({ ifNoneMatch: this.#etag(), waitSeconds, signal });
      return await this.#take(answer, signal);
    } catch (error) {
      if (error instanceof BundleRejection) {
        this.#isRefused = true;
        this.#report(() => this.#options.onRejection(error));
      } else if (signal.aborted) {
        return "interrupted";
      } else {
        this.#report(() => this.#options.onError(error));
      }
      return "failed";
    }
  }

  /** Adopts an answer. One that no known key signed is checked again with the newest keys. */
  async #take(answer: PollAnswer, signal: AbortSignal): Promise<Outcome> {
    const take = () => (answer.notModified ? this.#refresh(answer.activation) : this.#adopt(answer.bundle));
    const before = this.#options.root().serial;
    let outcome: Outcome;
    try {
      outcome = await take();
    } catch (error) {
      if (!(error instanceof BundleRejection) || error.reason !== "unknown_kid") throw error;
      await this.#options.renewKeys(signal).catch((cause) => this.#report(() => this.#options.onError(cause)));
      if (this.#options.root().serial === before) throw error;
      outcome = await take();
    }
    this.#isRefused = false;
    if (this.#keysSerial > this.#options.root().serial) await this.#options.renewKeys(signal);
    return outcome;
  }

  async #adopt(bundle: Bundle): Promise<Outcome> {
    const { maxBytes, runtimeVersion, verify = verifyBundle } = this.#options;
    const found = await verify({ ...this.#check(), bundle, maxBytes, runtimeVersion });
    this.#keysSerial = found.activation.payload.keys_serial ?? 0;
    this.#isWhole = false;
    if (found.keySet !== undefined) await this.#options.takeKeys(found.keySet);
    const { activationSeq } = found.activation.ratchet;
    if (this.#isInForce && activationSeq === this.#ratchet?.activationSeq) {
      // The same bundle once more, from a server that does not look at the entity tag.
      return this.#takeOver(found.activation, found);
    }
    try {
      await this.#options.adopt(found);
    } catch (cause) {
      if (cause instanceof BundleRejection) throw cause;
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new BundleRejection("not_adopted", `the bundle could not be put into force: ${message}`, { cause });
    }
    this.#ratchet = found.activation.ratchet;
    this.#isInForce = true;
    return "adopted";
  }

  async #refresh(header: string): Promise<Outcome> {
    const statement = await verified(async () => decodeStatement(header));
    const activation = await verifyActivation(statement, this.#check());
    if (activation.ratchet.activationSeq !== this.#ratchet?.activationSeq) {
      throw new BundleRejection(
        "equivocation",
        "the control plane says both that nothing changed and that something did",
      );
    }
    return this.#takeOver(activation);
  }

  async #takeOver(activation: VerifiedActivation, bundle?: VerifiedBundle): Promise<Outcome> {
    this.#keysSerial = activation.payload.keys_serial ?? 0;
    await this.#options.refresh(activation, bundle);
    this.#ratchet = activation.ratchet;
    return "unchanged";
  }

  #check(): ActivationCheck {
    const { root, scope, clock } = this.#options;
    const { trust, revoked, serial: keysSerial } = root();
    return { trust, revoked, keysSerial, scope, ratchet: this.#ratchet, now: clock.now(), from: "network" };
  }

  #etag(): string | undefined {
    return this.#isInForce && !this.#isRefused && !this.#isWhole && this.#ratchet !== undefined
      ? etagOf(this.#ratchet.digest, this.#ratchet.activationSeq)
      : undefined;
  }

  #delayMs(outcome: Outcome, failures: number, elapsedMs: number): number {
    if (outcome === "failed") return backOffMs(failures, backOff, this.#random);
    // After an adoption the sequence number has grown, so asking again at once cannot repeat for ever.
    if (outcome !== "unchanged") return 0;
    return Math.max(0, this.#options.intervalMs * (0.9 + 0.2 * this.#random()) - elapsedMs);
  }

  async #pause(delayMs: number): Promise<void> {
    if (delayMs === 0 || this.#isNudged || this.#end.signal.aborted) return;
    this.#interrupt = new AbortController();
    try {
      await this.#sleep(delayMs, AbortSignal.any([this.#end.signal, this.#interrupt.signal]));
    } catch {
      // Nudged or stopped.
    }
  }

  /** A callback's failure must not end the polling. */
  #report(tell: () => void): void {
    try {
      tell();
    } catch {
      // There is nobody else to report it to.
    }
  }
}
