// Follows the control plane's bundles. A bundle that arrives is verified, compiled, kept on disk and put into force. A
// refused one changes nothing but the reason that is shown.

import { join } from "node:path";
import { type Client, Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import type { Bundle } from "../../gen/policyguard/bundle/v1/bundle_pb.ts";
import { BundleService } from "../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { maxBundleBytes } from "../../src/kit/bundle/bundle-size.ts";
import type { ActivationPayload } from "../../src/kit/bundle/statement-payload.ts";
import { verifyStatement } from "../../src/kit/crypto/statement.ts";
import type { Logger } from "../../src/kit/observability/log.ts";
import type { Clock } from "../../src/kit/process/clock.ts";
import type { VerifiedActivation } from "../bundle/activation.ts";
import { BundleHolder, type EngineBuilder } from "../bundle/active-bundle.ts";
import { createBundleCache } from "../bundle/cache.ts";
import { type BundlePoller, createBundlePoller, type PollAnswer, type PollRequest } from "../bundle/poll.ts";
import { BundleRejection, rejectionText } from "../bundle/rejection.ts";
import { unreadable } from "../bundle/unreadable.ts";
import { heldParts, type VerifiedBundle, verifyBundle } from "../bundle/verify.ts";
import { runtimeVersion } from "../bundle/version.ts";
import type { Enrolled, Enrolment } from "./enrolment.ts";

const waitSeconds = 25;
/** Time for the answer itself: a bundle of 50 MB on a line of 10 Mbit/s. */
const transferSeconds = 60;

/** Settings of a bundle sync. */
export interface BundleSyncSettings {
  /** The folder below which the last good bundle is kept. */
  readonly dataFolder: string;
  /** Min time between two questions for a new bundle. */
  readonly pollIntervalMs: number;
}

/** Options of a bundle sync. */
export interface BundleSyncTools {
  readonly log: Logger;
  readonly clock: Clock;
  readonly builder: EngineBuilder;
}

/** Keeps the bundle in force up to date, and on disk. */
export class BundleSync {
  readonly holder: BundleHolder;
  /** Called when the bundle in force, or the reason of a refusal, changed. */
  onChange: () => void = () => undefined;
  /** Called with every activation that the control plane confirmed. */
  onActivation: (activation: ActivationPayload) => void = () => undefined;
  readonly #builder: EngineBuilder;
  readonly #settings: BundleSyncSettings;
  readonly #client: Client<typeof BundleService>;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #cache: ReturnType<typeof createBundleCache>;
  #last: VerifiedBundle | undefined;
  #poller: BundlePoller | undefined;
  /** Whether the disk refused the latest activation. */
  #isDiskRefusing = false;

  constructor(settings: BundleSyncSettings, transport: Transport, { log, clock, builder }: BundleSyncTools) {
    this.holder = new BundleHolder({ builder });
    this.#builder = builder;
    this.#settings = settings;
    this.#client = createClient(BundleService, transport);
    this.#log = log;
    this.#clock = clock;
    this.#cache = createBundleCache({ folder: join(settings.dataFolder, "bundle") });
  }

  /**
   * Loads the bundle that the last process kept, and verifies it like any other. One that is refused is logged and
   * ignored.
   */
  async loadFromDisk({ scope, root }: Enrolled): Promise<void> {
    const { bundle, ratchet } = await this.#cache.read();
    if (bundle === undefined) return;
    const now = this.#clock.now();
    try {
      const { trust, revoked, serial: keysSerial } = root;
      const check = { trust, revoked, keysSerial, scope, ratchet, now, runtimeVersion, maxBytes: maxBundleBytes };
      const found = await verifyBundle({ ...check, bundle, from: "disk" });
      await this.holder.adopt(found, { now, isConfirmed: false, keep: async () => undefined });
      this.#last = found;
      this.#log.info({ version: found.manifest.version }, "bundle loaded from disk");
    } catch (error) {
      this.#reject(error);
    }
  }

  /** Starts to follow the control plane; once is enough. */
  follow(enrolment: Enrolment): void {
    const enrolled = enrolment.current;
    if (this.#poller !== undefined || enrolled === undefined) return;
    this.#poller = createBundlePoller({
      client: (request) => this.#ask(request),
      root: () => enrolment.current?.root ?? enrolled.root,
      renewKeys: (signal) => this.#renewKeys(enrolment, signal),
      takeKeys: (keySet) => enrolment.takeKeySet(keySet),
      scope: enrolled.scope,
      runtimeVersion,
      maxBytes: maxBundleBytes,
      start: { ratchet: this.#last?.activation.ratchet, isInForce: this.#last !== undefined },
      // Until the first bundle is in force no evaluations are answered, so verifying here blocks none.
      verify: (check) =>
        this.#last === undefined
          ? verifyBundle(check)
          : this.#builder.verify({ ...check, held: heldParts(this.#last) }),
      adopt: (found) => this.#adopt(found),
      refresh: async (activation, bundle) => {
        this.holder.refresh(activation, this.#clock.now());
        if (bundle !== undefined) this.#last = bundle;
        this.onActivation(activation.payload);
        await this.#keepActivation(activation);
      },
      onRejection: (rejection) => this.#reject(rejection),
      onError: (error) => this.#complain(error),
      clock: this.#clock,
      intervalMs: this.#settings.pollIntervalMs,
      waitSeconds,
    });
  }

  /**
   * Asks for the newest keys. When none of them signed the bundle in force, asks for that bundle again: from disk it
   * would be refused.
   */
  async #renewKeys(enrolment: Enrolment, signal: AbortSignal): Promise<void> {
    const { statement } = await this.#client.listSigningKeys({}, { signal, timeoutMs: 10_000 });
    if (statement === undefined) throw new Error("the control plane answered without its key set");
    await enrolment.takeKeySet(statement);
    const root = enrolment.current?.root;
    const manifest = this.#last?.bundle.manifest;
    if (root === undefined || manifest === undefined) return;
    const isBelieved = await verifyStatement("manifest", manifest, root.trust).then(
      () => true,
      () => false,
    );
    if (!isBelieved) this.#poller?.refetch();
  }

  /** The candidate that the control plane has for this runtime. It is not verified yet. */
  async fetchCandidate(signal: AbortSignal): Promise<Bundle> {
    const { bundle } = await this.#client.getCandidateBundle({}, { signal, timeoutMs: transferSeconds * 1000 });
    if (bundle === undefined) throw new Error("the control plane answered without a candidate");
    return bundle;
  }

  /** Asks for the bundle at once. */
  nudge(): void {
    this.#poller?.nudge();
  }

  /** Ends following. */
  async stop(): Promise<void> {
    await this.#poller?.stop();
  }

  /** The state of the bundle, for the control plane. */
  status() {
    const { loaded, rejection } = this.holder;
    return {
      bundleVersion: loaded?.reference.version ?? 0,
      activationSeq: loaded?.reference.activationSeq ?? 0,
      rejection: rejection ?? "",
    };
  }

  async #ask({ ifNoneMatch, waitSeconds: seconds, signal }: PollRequest): Promise<PollAnswer> {
    // Whoever names the bundle in force has its parts, and needs only those that it lacks.
    const wishes = [
      ...(seconds === 0 ? [] : [`wait=${seconds}`]),
      ...(ifNoneMatch === undefined ? [] : ["parts=changed"]),
    ];
    const prefer = wishes.length === 0 ? undefined : wishes.join(", ");
    const call = { signal, timeoutMs: (seconds + transferSeconds) * 1000 };
    const answer = await this.#client.getLatestBundle({ ifNoneMatch, prefer }, call).catch((error: unknown) => {
      throw unreadable(error) ?? error;
    });
    if (answer.notModified) return { notModified: true, activation: answer.activation };
    if (answer.bundle === undefined) throw new BundleRejection("malformed", "the answer has no bundle");
    return { notModified: false, bundle: answer.bundle };
  }

  async #adopt(found: VerifiedBundle): Promise<void> {
    const now = this.#clock.now();
    await this.holder.adopt(found, { now, isConfirmed: true, keep: () => this.#cache.write(found) });
    this.#last = found;
    this.onActivation(found.activation.payload);
    const { activation_seq: activationSeq, version } = found.activation.payload;
    this.#log.info({ version, activationSeq }, "bundle in force");
    this.onChange();
  }

  // A full disk does not make the activation invalid: it is in force, and the next answer writes the next one.
  async #keepActivation(activation: VerifiedActivation): Promise<void> {
    if (this.#last === undefined) return;
    const wasRefused = this.#isDiskRefusing;
    try {
      await this.#cache.write({ bundle: this.#last.bundle, activation });
      this.#isDiskRefusing = false;
      if (wasRefused) this.#log.info("the activation of the bundle is on disk again");
    } catch (err) {
      this.#isDiskRefusing = true;
      if (!wasRefused)
        this.#log.error(
          { err },
          "the activation of the bundle could not be written to disk, and would be lost at a restart",
        );
    }
  }

  #reject(error: unknown): void {
    this.holder.reject(rejectionText(error));
    this.#log.error({ err: error }, "bundle refused; the one in force stays");
    this.onChange();
  }

  #complain(error: unknown): void {
    const { code } = ConnectError.from(error);
    if (code === Code.NotFound) this.#log.info("the environment has no active bundle yet");
    else this.#log.warn({ err: error }, "the control plane could not be asked for the bundle");
  }
}
