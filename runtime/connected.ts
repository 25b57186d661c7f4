// What makes a runtime a connected one: enrolment, the poller that keeps its bundle up to date, the spool and the
// reporter. None of it is needed to answer an evaluation once a bundle is on disk.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Client, Code, ConnectError, createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import { compressionBrotli, compressionGzip, createConnectTransport } from "@connectrpc/connect-node";
import { ReportingService, type TokenDigest } from "../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { maxBundleBytes } from "../src/kit/bundle-size.ts";
import type { Clock } from "../src/kit/clock.ts";
import { type Lock, takeLockFile } from "../src/kit/lock-file.ts";
import type { Logger } from "../src/kit/log.ts";
import { tokenDigest } from "../src/kit/token.ts";
import { Access } from "./access.ts";
import { BundleBuilder } from "./bundle/builder.ts";
import { BundleKeeper } from "./bundle-keeper.ts";
import { CandidateRunner } from "./candidate.ts";
import { type Enrolled, Enrolment } from "./enrolment.ts";
import { LeaseBook } from "./lease-book.ts";
import { Reporter } from "./report/reporter.ts";
import type { RuntimeConfig, Source } from "./runtime.ts";
import { openSpool } from "./spool/spool.ts";
import { runtimeVersion } from "./version.ts";

/** Where the control plane is, and as whom to call it. */
export interface ControlPlaneAddress {
  readonly url: string;
  readonly token: string;
}

/** What a connected runtime works with. */
export interface ConnectTools {
  readonly log: Logger;
  readonly clock: Clock;
  /** Builds engines. Default: one of its own; whoever has several runtimes in one process gives them one, and stops it. */
  readonly builder?: BundleBuilder;
}

/** What an answer may have beside the bundle. */
const envelopeBytes = 1024 * 1024;

/** Before the enrolment there is no bundle, so nothing that needs a fingerprint. */
const noKey = new Uint8Array(32);

/** A source that follows the control plane. Resolves when what is on disk is loaded; the rest goes on by itself. */
export async function connect(
  config: RuntimeConfig,
  address: ControlPlaneAddress,
  tools: ConnectTools,
): Promise<Source> {
  const lock = claim(config.dataFolder);
  try {
    return await openSource(config, address, { ...tools, lock });
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openSource(
  config: RuntimeConfig,
  address: ControlPlaneAddress,
  { log, clock, lock, builder: common }: ConnectTools & { readonly lock: Lock },
): Promise<Source> {
  const transport = transportTo(address);
  const builder = common ?? new BundleBuilder();
  const enrolment = new Enrolment(config.dataFolder, {
    onProblem: (err) => {
      if (err === undefined) log.info("the disk has taken the enrolment");
      else log.error({ err }, "the disk refuses the enrolment, which holds until a restart; it is tried again");
    },
  });
  const access = new Access(() => enrolment.current?.scope, clock);
  const bundles = new BundleKeeper(config, transport, { log, clock, builder });
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
  const candidates = new CandidateRunner({
    fetch: (signal) => bundles.fetchCandidate(signal),
    check: () => contentCheckOf(enrolment),
    instanceId: enrolment.instanceId,
    builder,
    clock,
    log,
  });
  bundles.onActivation = (activation) => candidates.follow(activation);
  const leases = new LeaseBook({
    isConnected: () => reporter.isConnected,
    onLow: () => reporter.notifyStatus(),
    spool: () => ({ firstSeq: spool.firstSeq, nextSeq: spool.firstSeq + spool.depth() }),
  });
  const reporter: Reporter = new Reporter({
    client,
    instanceId: enrolment.instanceId,
    spool,
    status: () => ({
      ...bundles.status(),
      leases: leases.held(),
      leaseWish: leases.wish(clock.now()),
      leaseDemand: leases.demand,
    }),
    onBundleChanged: () => bundles.nudge(),
    onTokens: takeTokens,
    candidateTally: () => candidates.takeTally(),
    onQuota: (quota) => leases.replace(quota),
    onConnect: async (signal) => {
      leases.reconnecting();
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
    meter: leases,
    candidates,
    spool: {
      append(record) {
        const stored = spool.append(record);
        reporter.notify();
        return stored;
      },
      together: (work) => spool.together(work),
    },
    reporting: { isConnected: () => reporter.isConnected, spool: () => spool.status(), leased: () => leases.left },
    interceptors: [],
    checks: {},
    shutdownSteps: [
      { name: "candidate", timeoutMs: 100, run: () => candidates.stop() },
      { name: "bundle builder", timeoutMs: 500, run: () => (common === undefined ? builder.stop() : undefined) },
      { name: "bundle poller", timeoutMs: 2_000, run: () => bundles.stop() },
      { name: "reporter", timeoutMs: 6_000, run: () => reporter.stop(AbortSignal.timeout(5_000)) },
      { name: "spool", timeoutMs: 5_000, run: () => spool.close() },
      { name: "enrolment", timeoutMs: 100, run: () => enrolment.close() },
      { name: "lock", timeoutMs: 100, run: () => lock.release() },
    ],
  };
}

function contentCheckOf(enrolment: Enrolment) {
  const { current } = enrolment;
  if (current === undefined) throw new Error("a candidate comes after the enrolment");
  const { trust, revoked } = current.root;
  return { trust, revoked, scope: current.scope, maxBytes: maxBundleBytes, runtimeVersion };
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
    // A bundle goes as it is: as JSON it would take a third more, and a long time in one piece to be read.
    useBinaryFormat: true,
    acceptCompression: [compressionBrotli, compressionGzip],
    readMaxBytes: maxBundleBytes + envelopeBytes,
    // Finds out within a minute that the network is gone, although nobody closed the connection.
    pingIntervalMs: 30_000,
    pingTimeoutMs: 10_000,
  });
}
