// What makes a runtime a connected one: enrolment, the poller that keeps its bundle up to date, the spool and the
// reporter. None of it is needed to answer an evaluation once a bundle is on disk.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Client, Code, ConnectError, createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { BundleService } from "../gen/policyguard/control/v1/bundle_service_pb.ts";
import { ReportingService, type TokenDigest } from "../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import type { Clock } from "../src/kit/clock.ts";
import { type Lock, takeLockFile } from "../src/kit/lock-file.ts";
import type { Logger } from "../src/kit/log.ts";
import { tokenDigest } from "../src/kit/token.ts";
import { Access } from "./access.ts";
import { createBundleCache } from "./bundle/cache.ts";
import { type BundlePoller, createBundlePoller, type PollAnswer, type PollRequest } from "./bundle/poll.ts";
import { BundleRejection } from "./bundle/rejection.ts";
import type { VerifiedBundle } from "./bundle/verify.ts";
import { verifyBundle } from "./bundle/verify.ts";
import { maxBundleBytes } from "./config.ts";
import { type Enrolled, Enrolment } from "./enrolment.ts";
import { BundleHolder } from "./loaded-bundle.ts";
import { Reporter } from "./report/reporter.ts";
import type { RuntimeConfig, Source } from "./runtime.ts";
import { openSpool } from "./spool/spool.ts";
import { runtimeVersion } from "./version.ts";

/** Where the control plane is, and as whom to call it. */
export interface ControlPlaneAddress {
  readonly url: string;
  readonly token: string;
}

const waitSeconds = 25;
/** Before the enrolment there is no bundle, so nothing that needs a fingerprint. */
const noKey = new Uint8Array(32);

/** A source that follows the control plane. Resolves when what is on disk is loaded; the rest goes on by itself. */
export async function connect(
  config: RuntimeConfig,
  address: ControlPlaneAddress,
  { log, clock }: { readonly log: Logger; readonly clock: Clock },
): Promise<Source> {
  const lock = claim(config.dataFolder);
  try {
    return await openSource(config, address, { log, clock, lock });
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openSource(
  config: RuntimeConfig,
  address: ControlPlaneAddress,
  { log, clock, lock }: { readonly log: Logger; readonly clock: Clock; readonly lock: Lock },
): Promise<Source> {
  const transport = transportTo(address);
  const enrolment = new Enrolment(config.dataFolder);
  const access = new Access(() => enrolment.current?.scope, clock);
  const bundles = new BundleKeeper(config, transport, { log, clock });
  if (enrolment.current !== undefined) {
    access.replace(enrolment.current.tokens);
    await bundles.loadFromDisk(enrolment.current);
  }
  const spool = await openSpool({
    folder: join(config.dataFolder, "spool"),
    mode: config.spoolMode,
    maxBytes: config.spoolMegabytes * 1024 * 1024,
    clock,
  });
  const takeTokens = (tokens: readonly TokenDigest[]) => {
    enrolment.replaceTokens(tokens);
    access.replace(tokens);
  };
  const client = createClient(ReportingService, transport);
  const reporter = new Reporter({
    client,
    instanceId: enrolment.instanceId,
    spool,
    status: () => bundles.status(),
    onBundleChanged: () => bundles.nudge(),
    onTokens: takeTokens,
    onConnect: async (signal) => {
      const enrolled = await enrol(enrolment, client, { ownToken: address.token, takeTokens, signal });
      access.replace(enrolled.tokens);
      bundles.follow(enrolment);
    },
    log,
  });
  bundles.onChange = () => reporter.notifyStatus();
  return {
    holder: bundles.holder,
    authenticate: (token) => access.authenticate(token),
    fingerprintKey: () => enrolment.current?.fingerprintKey ?? noKey,
    spool: {
      append(record) {
        const stored = spool.append(record);
        reporter.notify();
        return stored;
      },
    },
    reporting: { isConnected: () => reporter.isConnected, spool: () => spool.status() },
    interceptors: [],
    checks: {},
    shutdownSteps: [
      { name: "bundle poller", timeoutMs: 2_000, run: () => bundles.stop() },
      { name: "reporter", timeoutMs: 6_000, run: () => reporter.stop(AbortSignal.timeout(5_000)) },
      { name: "spool", timeoutMs: 5_000, run: () => spool.close() },
      { name: "lock", timeoutMs: 100, run: () => lock.release() },
    ],
  };
}

/** Spool, bundle and enrolment of a folder belong to one process: two of them would overwrite each other's. */
function claim(folder: string): Lock {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = takeLockFile(join(folder, "runtime.lock"));
  if (!("heldBy" in lock)) return lock;
  throw new Error(
    `the data folder ${folder} belongs to process ${lock.heldBy}, which is running; ` +
      "give each runtime a folder of its own with POLICY_GUARD_DATA",
  );
}

/** Keeps the bundle in force up to date, and on disk. */
class BundleKeeper {
  readonly holder = new BundleHolder();
  /** Called when the bundle in force, or the reason of a refusal, changed. */
  onChange: () => void = () => undefined;
  readonly #config: RuntimeConfig;
  readonly #client: Client<typeof BundleService>;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #cache: ReturnType<typeof createBundleCache>;
  #last: VerifiedBundle | undefined;
  #poller: BundlePoller | undefined;

  constructor(config: RuntimeConfig, transport: Transport, { log, clock }: { log: Logger; clock: Clock }) {
    this.#config = config;
    this.#client = createClient(BundleService, transport);
    this.#log = log;
    this.#clock = clock;
    this.#cache = createBundleCache({ folder: join(config.dataFolder, "bundle") });
  }

  /** Loads what the last process kept, verified like anything else. What does not hold is left, and said. */
  async loadFromDisk({ scope, trust }: Enrolled): Promise<void> {
    const { bundle, ratchet } = await this.#cache.read();
    if (bundle === undefined) return;
    const now = this.#clock.now();
    try {
      const check = { trust, scope, ratchet, now, runtimeVersion, maxBytes: maxBundleBytes };
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
      trust: () => enrolment.current?.trust ?? enrolled.trust,
      scope: enrolled.scope,
      runtimeVersion,
      maxBytes: maxBundleBytes,
      start: { ratchet: this.#last?.activation.ratchet, isInForce: this.#last !== undefined },
      adopt: (found) => this.#adopt(found),
      refresh: async (activation) => {
        this.holder.refresh(activation, this.#clock.now());
        if (this.#last !== undefined) await this.#cache.write({ bundle: this.#last.bundle, activation });
      },
      onRejection: (rejection) => this.#reject(rejection),
      onError: (error) => this.#complain(error),
      clock: this.#clock,
      intervalMs: this.#config.pollIntervalMs,
      waitSeconds,
    });
  }

  /** Asks for the bundle at once. */
  nudge(): void {
    this.#poller?.nudge();
  }

  /** Ends following. */
  async stop(): Promise<void> {
    await this.#poller?.stop();
  }

  /** How the bundle stands, for the control plane. */
  status() {
    const { loaded, rejection } = this.holder;
    return {
      bundleVersion: loaded?.reference.version ?? 0,
      activationSeq: loaded?.reference.activationSeq ?? 0,
      rejection: rejection ?? "",
    };
  }

  async #ask({ ifNoneMatch, waitSeconds: seconds, signal }: PollRequest): Promise<PollAnswer> {
    const prefer = seconds === 0 ? undefined : `wait=${seconds}`;
    const answer = await this.#client.getLatestBundle(
      { ifNoneMatch, prefer },
      { signal, timeoutMs: (seconds + 10) * 1000 },
    );
    if (answer.notModified) return { notModified: true, activation: answer.activation };
    if (answer.bundle === undefined) throw new Error("the control plane answered without a bundle");
    return { notModified: false, bundle: answer.bundle };
  }

  async #adopt(found: VerifiedBundle): Promise<void> {
    const now = this.#clock.now();
    await this.holder.adopt(found, { now, isConfirmed: true, keep: () => this.#cache.write(found) });
    this.#last = found;
    const { activation_seq: activationSeq, version } = found.activation.payload;
    this.#log.info({ version, activationSeq }, "bundle in force");
    this.onChange();
  }

  #reject(error: unknown): void {
    const reason = error instanceof BundleRejection ? `${error.reason}: ${error.message}` : String(error);
    this.holder.reject(reason);
    this.#log.error({ err: error }, "bundle refused; the one in force stays");
    this.onChange();
  }

  #complain(error: unknown): void {
    const { code } = ConnectError.from(error);
    if (code === Code.NotFound) this.#log.info("the environment has no active bundle yet");
    else this.#log.warn({ err: error }, "the control plane could not be asked for the bundle");
  }
}

async function enrol(
  enrolment: Enrolment,
  client: Client<typeof ReportingService>,
  options: {
    readonly ownToken: string;
    readonly takeTokens: (tokens: readonly TokenDigest[]) => void;
    readonly signal: AbortSignal;
  },
): Promise<Enrolled> {
  try {
    return await enrolment.renew(client, options.signal);
  } catch (error) {
    const { current } = enrolment;
    if (ConnectError.from(error).code === Code.Unauthenticated && current !== undefined) {
      // The runtime's own token was revoked while it was away; callers who use the same one must be refused too.
      const own = tokenDigest(options.ownToken);
      options.takeTokens(current.tokens.filter((token) => !own.equals(token.sha256)));
    }
    throw error;
  }
}

function transportTo({ url, token }: ControlPlaneAddress): Transport {
  const authorize: Interceptor = (next) => (request) => {
    request.header.set("Authorization", `Bearer ${token}`);
    return next(request);
  };
  return createConnectTransport({
    baseUrl: url,
    httpVersion: "2",
    interceptors: [authorize],
    readMaxBytes: maxBundleBytes,
    // Finds out within a minute that the network is gone, although nobody closed the connection.
    pingIntervalMs: 30_000,
    pingTimeoutMs: 10_000,
  });
}
