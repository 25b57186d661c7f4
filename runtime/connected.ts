// The source of a connected runtime: enrolment, the sync of bundles, the spool and the reporter. A runtime with a
// bundle on disk answers evaluations without any of these.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Client, Code, ConnectError, createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import { compressionBrotli, compressionGzip, createConnectTransport } from "@connectrpc/connect-node";
import {
  ReportingService,
  type TokenDigest,
  type WitnessedCheckpoint,
} from "../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { maxBundleBytes } from "../src/kit/bundle/bundle-size.ts";
import { tokenDigest } from "../src/kit/crypto/token.ts";
import type { Logger } from "../src/kit/observability/log.ts";
import type { Clock } from "../src/kit/process/clock.ts";
import { type Lock, takeLockFile } from "../src/kit/process/lock-file.ts";
import { BundleBuilder } from "./bundle/builder.ts";
import { runtimeVersion } from "./bundle/version.ts";
import { BundleSync } from "./control-plane/bundle-sync.ts";
import { recordCalls } from "./control-plane/call-span.ts";
import { CandidateRunner } from "./control-plane/candidate.ts";
import { type Enrolled, Enrolment } from "./control-plane/enrolment.ts";
import { QuotaLeases } from "./control-plane/quota-leases.ts";
import { readLabels } from "./control-plane/report/label.ts";
import { Reporter } from "./control-plane/report/reporter.ts";
import { openSpool, type Spool } from "./control-plane/spool/spool.ts";
import { TokenAuthenticator } from "./control-plane/token-authenticator.ts";
import { Witness } from "./control-plane/witness.ts";
import { readBackendOrigins } from "./evaluate/backend/origin.ts";
import type { SharedRecordSink } from "./evaluate/evaluator.ts";
import type { ModelClient } from "./model-host/client.ts";
import type { RuntimeConfig, Source } from "./runtime.ts";

/** Where the control plane is, and as whom to call it. */
export interface ControlPlaneAddress {
  readonly url: string;
  readonly token: string;
}

/** Options of a connected runtime. */
export interface ConnectTools {
  readonly log: Logger;
  readonly clock: Clock;
  /**
   * Builds engines. Default: a builder of its own. A caller with several runtimes in one process passes one builder,
   * and stops it.
   */
  readonly builder?: BundleBuilder;
  /** Whether the first enrolment pins the signing keys anew. */
  readonly isRepinned?: boolean;
  /** The host of models, of which the status tells; undefined for a runtime without models. */
  readonly models?: ModelClient | undefined;
}

/** Max bytes of an answer beside the bundle. */
const envelopeBytes = 1024 * 1024;

/** Max backends that a status names; an organization has no more. */
const maxNamedBackends = 100;

/** Before the enrolment there is no bundle, so no fingerprint is made. */
const noKey = new Uint8Array(32);

/**
 * A source that follows the control plane. Resolves when the content of the disk is loaded; enrolment, polling and
 * reporting go on in the background.
 */
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
  { log, clock, lock, models, builder: common, isRepinned = false }: ConnectTools & { readonly lock: Lock },
): Promise<Source> {
  const transport = transportTo(address);
  const builder = common ?? new BundleBuilder();
  const enrolment = openEnrolment(config.dataFolder, { log, isRepinned });
  const authenticator = new TokenAuthenticator(() => enrolment.current?.scope, clock);
  const bundles = new BundleSync(config, transport, { log, clock, builder });
  if (enrolment.current !== undefined) {
    authenticator.replace(enrolment.current.tokens);
    await bundles.loadFromDisk(enrolment.current);
  }
  const spool = await openSpool({
    folder: join(config.dataFolder, "spool"),
    mode: config.spoolMode,
    maxBytes: config.spoolMegabytes * 1024 * 1024,
    clock,
  });
  const candidates = new CandidateRunner({
    fetch: (signal) => bundles.fetchCandidate(signal),
    check: () => contentCheckOf(enrolment),
    instanceId: enrolment.instanceId,
    builder,
    clock,
    log,
  });
  bundles.onActivation = (activation) => candidates.follow(activation);
  const witness = new Witness(config.dataFolder, log);
  const parts = { transport, enrolment, authenticator, bundles, spool, candidates, witness, models, log, clock };
  const { leases, reporter } = startReporting(config, address, parts);
  return {
    holder: bundles.holder,
    authenticate: (token) => authenticator.authenticate(token),
    fingerprintKey: () => enrolment.current?.fingerprintKey ?? noKey,
    meter: leases,
    candidates,
    spool: reportedSpool(spool, reporter),
    reporting: {
      isConnected: () => reporter.isConnected,
      spool: () => spool.status(),
      leased: () => leases.left,
      isEvidenceForked: () => witness.isForked,
    },
    interceptors: [],
    checks: {},
    shutdownSteps: [
      { name: "candidate", timeoutMs: 100, run: () => candidates.stop() },
      { name: "bundle builder", timeoutMs: 500, run: () => (common === undefined ? builder.stop() : undefined) },
      { name: "bundle poller", timeoutMs: 2_000, run: () => bundles.stop() },
      { name: "reporter", timeoutMs: 6_000, run: () => reporter.stop(AbortSignal.timeout(5_000)) },
      { name: "spool", timeoutMs: 5_000, run: () => spool.close() },
      { name: "enrolment", timeoutMs: 100, run: () => enrolment.close() },
      { name: "witness", timeoutMs: 100, run: () => witness.close() },
      { name: "lock", timeoutMs: 100, run: () => lock.release() },
    ],
  };
}

function openEnrolment(
  folder: string,
  { log, isRepinned }: { readonly log: Logger; readonly isRepinned: boolean },
): Enrolment {
  return new Enrolment(folder, {
    isRepinned,
    onProblem: (err) => {
      if (err === undefined) log.info("the enrolment is on disk again");
      else
        log.error({ err }, "the enrolment could not be written to disk, and would be lost at a restart; trying again");
    },
  });
}

/** The spool, which wakes the reporter with each record. */
function reportedSpool(spool: Spool, reporter: Reporter): SharedRecordSink {
  return {
    append(record) {
      const stored = spool.append(record);
      reporter.notify();
      return stored;
    },
    together: (work) => spool.together(work),
  };
}

/** The parts between which the reporting stream carries messages. */
interface ReportedParts {
  readonly transport: Transport;
  readonly enrolment: Enrolment;
  readonly authenticator: TokenAuthenticator;
  readonly bundles: BundleSync;
  readonly spool: Spool;
  readonly candidates: CandidateRunner;
  readonly witness: Witness;
  readonly models: ModelClient | undefined;
  readonly log: Logger;
  readonly clock: Clock;
}

/** Starts the reporter and the leases that it renews. */
function startReporting(config: RuntimeConfig, address: ControlPlaneAddress, parts: ReportedParts) {
  const { transport, enrolment, authenticator, bundles, spool, candidates, witness, models, log, clock } = parts;
  const origins = readBackendOrigins(config);
  const client = createClient(ReportingService, transport);
  const labels = readLabels(config.labels);
  const takeTokens = (tokens: readonly TokenDigest[]) => {
    enrolment.replaceTokens(tokens);
    authenticator.replace(tokens);
  };
  const leases = new QuotaLeases({
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
      refusedBackends: origins.refused(bundles.holder.loaded?.backends.values() ?? []).slice(0, maxNamedBackends),
      models: modelStatus(models),
      labels,
      leases: leases.held(),
      leaseWish: leases.wish(clock.now()),
      leaseDemand: leases.demand,
      ...witness.status(),
    }),
    onBundleChanged: () => bundles.nudge(),
    onTokens: takeTokens,
    candidateTally: () => candidates.takeTally(),
    onQuota: (quota) => leases.replace(quota),
    // Counts name no leases, so where there are some every evaluation has a record.
    maySample: () => (bundles.holder.loaded?.sampling === undefined ? false : leases.isUnlimited),
    onCheckpoint: (checkpoint) => void takeCheckpoint(checkpoint, parts),
    onConnect: async (signal) => {
      leases.reconnecting();
      const enrolled = await enrol(enrolment, client, { ownToken: address.token, takeTokens, signal });
      authenticator.replace(enrolled.tokens);
      bundles.follow(enrolment);
    },
    log,
  });
  bundles.onChange = () => reporter.notifyStatus();
  if (models !== undefined) models.onState = () => reporter.notifyStatus();
  return { leases, reporter };
}

function modelStatus(client: ModelClient | undefined) {
  const models = client?.models.slice(0, maxNamedBackends) ?? [];
  return models.map(({ name, state, reason, digest = "" }) => ({ name, state: reason ?? state, digest }));
}

/** Takes a checkpoint, after the key set that names the key of the log. */
async function takeCheckpoint(checkpoint: WitnessedCheckpoint, { enrolment, witness, log }: ReportedParts) {
  try {
    if (checkpoint.keySet !== undefined) await enrolment.takeKeySet(checkpoint.keySet);
    const { current } = enrolment;
    if (current === undefined) return;
    const { scope, logKeys: keys, trust } = current;
    await witness.take(checkpoint, { orgId: scope.orgId, keys, trust });
  } catch (err) {
    log.warn({ err }, "the keys of a checkpoint of the log of evidence are not vouched for, and it was ignored");
  }
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
      "give each runtime its own folder with POLICY_GUARD_DATA",
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
      // The runtime's own token was revoked while it was away. Callers that use the same token must be refused too.
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
    interceptors: [authorize, recordCalls],
    // A bundle is transferred as binary: as JSON it would be a third larger, and reading it would block for long.
    useBinaryFormat: true,
    acceptCompression: [compressionBrotli, compressionGzip],
    readMaxBytes: maxBundleBytes + envelopeBytes,
    // Detects within a minute that the network is gone, although nobody closed the connection.
    pingIntervalMs: 30_000,
    pingTimeoutMs: 10_000,
  });
}
