// Assembles a runtime. Everything that is created here lives as long as the process, in the order of its start. A
// connected runtime enrols, polls and reports; a standalone one has a bundle file and calls nobody.

import type { ConnectRouter, Interceptor } from "@connectrpc/connect";
import type { MetricObject } from "prom-client";
import { type ServeOptions, serve } from "../gateway/serve.ts";
import { ExternalProcessor } from "../gen/envoy/service/ext_proc/v3/external_processor_pb.ts";
import { AdapterService } from "../gen/policyguard/runtime/v1/adapter_service_pb.ts";
import { EvaluationService } from "../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { certificateOf } from "../src/kit/net/certificate.ts";
import { measureCertificate } from "../src/kit/net/certificate-metrics.ts";
import { NotReady, type ReadinessCheck, startManagement } from "../src/kit/net/management.ts";
import type { Logger } from "../src/kit/observability/log.ts";
import { createMetrics, type Metrics } from "../src/kit/observability/metrics.ts";
import { type Clock, systemClock } from "../src/kit/process/clock.ts";
import type { Config } from "../src/kit/process/config.ts";
import { drainDelay, type ShutdownStep } from "../src/kit/process/shutdown.ts";
import type { Credential } from "../src/kit/rpc/context.ts";
import { createInterceptors } from "../src/kit/rpc/interceptors/order.ts";
import type { ExchangeParts } from "./adapters/envoy/exchange.ts";
import type { BundleHolder } from "./bundle/active-bundle.ts";
import type { PeerWork, StreamCalls } from "./cluster/peer.ts";
import { Peers, servePeers } from "./cluster/peer-socket.ts";
import type { WorkerSlot } from "./cluster/worker-slot.ts";
import { callLimits, type runtimeSchema } from "./config.ts";
import type { CandidateRunner } from "./control-plane/candidate.ts";
import type { Meter } from "./control-plane/quota-leases.ts";
import { ScanCache } from "./engine/scan/scan-cache.ts";
import { Backends } from "./evaluate/backend/backends.ts";
import { readBackendOrigins } from "./evaluate/backend/origin.ts";
import { createJudgeEach, type JudgeEach } from "./evaluate/evaluate-each.ts";
import { Evaluator, type SharedRecordSink } from "./evaluate/evaluator.ts";
import { fastEvaluations, fastStreams } from "./evaluate/fast-evaluate.ts";
import {
  countUnjudgedExchanges,
  createRuntimeMetrics,
  measureBackends,
  measureModels,
  measureStreams,
  type ReportingState,
} from "./evaluate/metrics.ts";
import { type ModelClient, modelNotes } from "./model-host/client.ts";
import { readOpenApi } from "./openapi.ts";
import { adapterHandlers } from "./rpc/adapter.ts";
import { evaluationHandlers } from "./rpc/evaluation.ts";
import { externalProcessorHandlers } from "./rpc/external-processor.ts";
import { restorePlaceholders } from "./session/restore.ts";
import { SessionStore } from "./session/session-store.ts";
import { createHttpStream } from "./stream/http-stream.ts";
import { OpenStreams } from "./stream/open-streams.ts";
import { LocalStreams, RoutedStreams } from "./stream/stream-calls.ts";
import type { StreamLimits } from "./stream/stream-limits.ts";
import { StreamSessions } from "./stream/stream-sessions.ts";

/** Settings of a runtime, as read from its environment. */
export type RuntimeConfig = Config<typeof runtimeSchema>;

/** Where a runtime gets its bundle, its callers and its reporting from. */
export interface Source {
  readonly holder: BundleHolder;
  /** The credential of a caller's token; undefined for one that is not known. */
  readonly authenticate: (token: string) => Credential | undefined;
  readonly fingerprintKey: () => Uint8Array;
  /** Takes records of evaluations; undefined for a runtime that reports to nobody. */
  readonly spool: SharedRecordSink | undefined;
  /** Allows each evaluation; undefined for a runtime that is not metered. */
  readonly meter?: Meter;
  /** Evaluates another version beside the one in force; undefined for a runtime that has none. */
  readonly candidates?: CandidateRunner;
  /** The state of its reporting, for the metrics. */
  readonly reporting?: ReportingState;
  /** Interceptors before all others. */
  readonly interceptors: readonly Interceptor[];
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  /** The steps of its shutdown, after the server has closed. */
  readonly shutdownSteps: readonly ShutdownStep[];
}

/** A running runtime. */
export interface Runtime {
  readonly port: number;
  readonly managementPort: number;
  /** Its metrics, to be added to those of other processes. */
  readonly metrics: () => Promise<readonly MetricObject[]>;
  /** The steps of its shutdown, in order. */
  readonly shutdownSteps: readonly ShutdownStep[];
}

/** What a runtime needs besides its settings and its source. */
export interface RuntimeTools {
  readonly log: Logger;
  readonly clock?: Clock;
  /** The slot of this process; undefined when it is the only one. */
  readonly slot?: WorkerSlot | undefined;
  /** Asks the host of models, and is closed with the runtime; undefined for a runtime without models. */
  readonly models?: ModelClient | undefined;
  /** Default: metrics of its own. */
  readonly metrics?: Metrics;
  /** Bounds of its streams. Default: those of docs/streaming.md. */
  readonly streamLimits?: StreamLimits | undefined;
}

const ageEveryMs = 60_000;
const idleEveryMs = 5_000;

/** Serves evaluations from a source. */
export async function startRuntime(config: RuntimeConfig, source: Source, tools: RuntimeTools): Promise<Runtime> {
  const { log, clock = systemClock, slot, models, metrics = createMetrics(), streamLimits } = tools;
  const { holder } = source;
  const evaluation = createEvaluation(config, source, { log, clock, slot, models, metrics });
  const streaming = createStreaming(evaluation, { clock, slot, streamLimits });
  const peerServer = slot && (await servePeers(slot, peerWork(evaluation, streaming, clock), log));
  const timers = startTimers(holder, evaluation, streaming, clock);
  const management = await startManagement({
    port: config.managementPort,
    host: config.managementHost,
    log,
    metrics,
    checks: {
      bundle: () => assertLoaded(holder),
      warm_up: () => assertWarm(holder),
      ...(models !== undefined && { models: () => assertTried(models) }),
      ...source.checks,
    },
    notes: () => modelNotes(models),
  });
  const server = await serve(serveOptions(config, source, { ...evaluation, ...streaming, log, clock, slot }));
  holder.listen((err) => log.error({ err }, "the bundle in force could not be made ready"));
  return {
    port: server.port,
    managementPort: management.port,
    metrics: () => metrics.registry.getMetricsAsJSON(),
    shutdownSteps: [
      {
        name: "not ready",
        timeoutMs: 1_000,
        run: () => {
          management.drain();
          server.retire();
        },
      },
      drainDelay(config.drainDelayMs),
      { name: "server", timeoutMs: 15_000, run: () => server.close({ graceMs: 10_000 }) },
      { name: "peers", timeoutMs: 1_000, run: () => peerServer?.close() },
      { name: "streams", timeoutMs: 2_000, run: () => streaming.streamSessions.close() },
      { name: "backends", timeoutMs: 1_000, run: () => evaluation.backends.close() },
      { name: "model client", timeoutMs: 100, run: () => models?.close() },
      ...source.shutdownSteps,
      {
        name: "management",
        timeoutMs: 2_000,
        run: () => {
          timers.stop();
          return management.close();
        },
      },
    ],
  };
}

type StartTools = Pick<RuntimeTools, "log" | "slot" | "models"> & { readonly clock: Clock; readonly metrics: Metrics };

/** The parts that evaluate requests and remember sessions. */
interface EvaluationParts {
  readonly metrics: Metrics;
  readonly sessions: SessionStore;
  /** The other processes; undefined when there is one. */
  readonly peers: Peers | undefined;
  readonly backends: Backends;
  readonly evaluator: Evaluator;
}

function createEvaluation(config: RuntimeConfig, source: Source, tools: StartTools): EvaluationParts {
  const { log, clock, slot, models, metrics } = tools;
  const { holder, spool, fingerprintKey, reporting, meter, candidates } = source;
  const sessions = new SessionStore({ count: config.sessions, ttlMs: config.sessionTtlMs });
  const memory = new ScanCache(config.textMemoryMegabytes * 1024 * 1024);
  const meters = createRuntimeMetrics({ metrics, holder, reporting, sessions, memory, clock });
  const peers = slot && new Peers(slot);
  const backends = new Backends(readBackendOrigins(config), log, models);
  measureBackends(metrics, backends);
  measureCertificate(metrics, certificateOf(config));
  if (models !== undefined) measureModels(metrics, models);
  const evaluator = new Evaluator({
    ...{ holder, spool, fingerprintKey, meter, candidates },
    ...{ backends, clock, sessions, peers, memory, meters },
  });
  return { metrics, sessions, peers, backends, evaluator };
}

/** The parts that keep streams of text. */
interface StreamingParts {
  readonly streams: OpenStreams;
  readonly streamSessions: StreamSessions;
  /** Calls about the streams of this process. */
  readonly localStreams: StreamCalls;
  /** Calls about the streams of all processes. */
  readonly streamCalls: StreamCalls;
}

function createStreaming(
  { evaluator, peers, metrics }: EvaluationParts,
  { clock, slot, streamLimits }: Omit<RuntimeTools, "log"> & { readonly clock: Clock },
): StreamingParts {
  const streams = new OpenStreams(evaluator, streamLimits);
  const streamSessions = new StreamSessions(streams, slot?.index);
  const localStreams = new LocalStreams({ streams, sessions: streamSessions, clock });
  const streamCalls = peers === undefined ? localStreams : new RoutedStreams(localStreams, peers);
  measureStreams(metrics, streams);
  return { streams, streamSessions, localStreams, streamCalls };
}

/** The calls that this process answers for its peers, from its own sessions and streams. It asks no further peer. */
function peerWork({ evaluator, sessions }: EvaluationParts, { localStreams }: StreamingParts, clock: Clock): PeerWork {
  return {
    streams: localStreams,
    evaluate: (request, kind) => evaluator.judgeLocally(request, kind),
    restore: (request) => restorePlaceholders(request, sessions, clock.now().getTime()),
  };
}

/** Starts the timers of stale bundles, expired sessions and idle streams. */
function startTimers(
  holder: BundleHolder,
  { sessions }: EvaluationParts,
  { streamSessions }: StreamingParts,
  clock: Clock,
): { readonly stop: () => void } {
  const nowMs = () => clock.now().getTime();
  const timers = [
    setInterval(() => streamSessions.expire(nowMs()), idleEveryMs),
    setInterval(() => {
      holder.age(clock.now());
      sessions.expire(nowMs());
    }, ageEveryMs),
  ];
  for (const timer of timers) timer.unref();
  return {
    stop: () => {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/** The server that callers reach. */
function serveOptions(
  config: RuntimeConfig,
  source: Source,
  parts: StartTools & EvaluationParts & StreamingParts,
): ServeOptions {
  const { evaluator, metrics, log, slot } = parts;
  const { holder, authenticate } = source;
  const judgeEach = createJudgeEach(evaluator, log);
  const interceptors = createInterceptors({
    authenticate: async (token) => authenticate(token),
    // The control plane decides about plans and bills, and tells a runtime by its leases.
    entitlements: async () => ({ plan: "enterprise", billingBlocked: false }),
    log,
    metrics,
    maxTimeoutMs: callLimits.timeoutMs,
  });
  const envoy = envoyPartsOf(config, parts);
  return {
    services: [EvaluationService, AdapterService, ...(envoy === undefined ? [] : [ExternalProcessor])],
    routes: (router: ConnectRouter) => {
      router.service(EvaluationService, evaluationHandlers({ ...parts, holder, judgeEach, authenticate }));
      router.service(AdapterService, adapterHandlers(evaluator));
      if (envoy !== undefined) router.service(ExternalProcessor, externalProcessorHandlers(envoy));
    },
    interceptors: [...source.interceptors, ...interceptors],
    port: config.port,
    host: config.host,
    certificate: certificateOf(config),
    isShared: slot !== undefined,
    trustedHops: config.trustedHops,
    limits: callLimits,
    // The port serves nothing outside of /v1/evaluate/.
    pages: {
      openApi: readOpenApi,
      documentPath: "/v1/evaluate/openapi.json",
      docsPath: "/v1/evaluate/docs",
      hasFrontPage: false,
    },
    conversations: (conversation) => [createHttpStream(conversation)],
    fastPath: fastPathOf(source, evaluator, judgeEach, metrics),
    log,
  };
}

/** What exchanges of Envoy need; undefined where the operator does not want them. */
function envoyPartsOf(
  { envoy }: RuntimeConfig,
  { evaluator, metrics, log }: Pick<EvaluationParts, "evaluator" | "metrics"> & Pick<StartTools, "log">,
): ExchangeParts | undefined {
  if (envoy === "off") return undefined;
  return { evaluator, failureMode: envoy, log, onUnjudged: countUnjudgedExchanges(metrics) };
}

/** The fast path; undefined for a source with interceptors of its own, since the fast path calls none. */
function fastPathOf(
  { interceptors, authenticate, spool }: Source,
  evaluator: Evaluator,
  judgeEach: JudgeEach,
  { countCall }: Metrics,
): ServeOptions["fastPath"] {
  if (interceptors.length > 0) return undefined;
  return {
    methods: fastEvaluations(evaluator),
    streams: fastStreams(judgeEach),
    authenticate,
    countCall,
    together: spool === undefined ? (work) => work() : (work) => spool.together(work),
  };
}

// A caller learns only that there is no bundle. The operator, who reads this, also learns why the last one was refused.
function assertLoaded({ loaded, rejection }: BundleHolder): void {
  if (loaded !== undefined) return;
  if (rejection === undefined) throw new NotReady("no_bundle", "this runtime has no bundle yet");
  throw new NotReady("bundle_refused", `the bundle was refused, and there is no other: ${rejection}`);
}

function assertTried({ wasSettled }: ModelClient): void {
  if (!wasSettled) throw new NotReady("models_loading", "models are being loaded");
}

function assertWarm({ isWarm }: BundleHolder): void {
  if (!isWarm) throw new NotReady("warming_up", "the first evaluations of this process are still slow");
}
