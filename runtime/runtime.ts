// A runtime put together: what is created here lives as long as the process, in the order of its start. A connected
// runtime enrols, polls and reports; a standalone one has a bundle file and talks to nobody.

import type { ConnectRouter, Interceptor } from "@connectrpc/connect";
import type { MetricObject } from "prom-client";
import { serve } from "../gateway/serve.ts";
import { AdapterService } from "../gen/policyguard/runtime/v1/adapter_service_pb.ts";
import { EvaluationService } from "../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { type Clock, systemClock } from "../src/kit/clock.ts";
import type { Config } from "../src/kit/config.ts";
import type { Credential } from "../src/kit/context.ts";
import { createInterceptors } from "../src/kit/interceptors/order.ts";
import type { Logger } from "../src/kit/log.ts";
import { type ReadinessCheck, startManagement } from "../src/kit/management.ts";
import { createMetrics } from "../src/kit/metrics.ts";
import { drainDelay, type ShutdownStep } from "../src/kit/shutdown.ts";
import { Backends, readBackendSecrets } from "./backend/backends.ts";
import type { CandidateRunner } from "./candidate.ts";
import { callLimits, type runtimeSchema } from "./config.ts";
import { createJudgeEach } from "./each/evaluate-each.ts";
import { ScanMemory } from "./engine/scan-memory.ts";
import { Evaluator, type SharedRecordSink } from "./evaluator.ts";
import { fastEvaluations, fastStreams } from "./fast/evaluate.ts";
import type { Meter } from "./lease-book.ts";
import type { BundleHolder } from "./loaded-bundle.ts";
import { createRuntimeMetrics, measureBackends, measureStreams, type ReportingState } from "./metrics.ts";
import { readOpenApi } from "./openapi.ts";
import type { Place } from "./process/place.ts";
import { Siblings, type SiblingWork, serveSiblings } from "./process/sibling.ts";
import { restorePlaceholders } from "./restore.ts";
import { adapterHandlers } from "./rpc/adapter.ts";
import { evaluationHandlers } from "./rpc/evaluation.ts";
import { SessionStore } from "./session/session-store.ts";
import { createHttpStream } from "./stream/http-stream.ts";
import { OpenStreams } from "./stream/open-streams.ts";
import { FamilyStreams, OwnStreams, type StreamCalls } from "./stream/stream-calls.ts";
import type { StreamLimits } from "./stream/stream-limits.ts";
import { StreamSessions } from "./stream/stream-sessions.ts";

/** Settings of a runtime, as read from its environment. */
export type RuntimeConfig = Config<typeof runtimeSchema> & {
  /** Where the management port listens, when that is not where evaluations are taken. */
  readonly managementHost?: string;
};

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
  /** How its reporting stands, for the measurements. */
  readonly reporting?: ReportingState;
  /** Interceptors before all others. */
  readonly interceptors: readonly Interceptor[];
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  /** How it ends, after the server has. */
  readonly shutdownSteps: readonly ShutdownStep[];
}

/** A running runtime. */
export interface Runtime {
  readonly port: number;
  readonly managementPort: number;
  /** Its measurements, to be added to those of others. */
  readonly metrics: () => Promise<readonly MetricObject[]>;
  /** How it ends, in order. */
  readonly shutdownSteps: readonly ShutdownStep[];
}

/** What a runtime works with besides its settings and its source. */
export interface RuntimeTools {
  readonly log: Logger;
  readonly clock?: Clock;
  /** Which of several processes it is; undefined when it is the only one. */
  readonly place?: Place | undefined;
  /** Bounds of its streams; those that docs/streaming.md tells when absent. */
  readonly streamLimits?: StreamLimits | undefined;
}

const ageEveryMs = 60_000;
const idleEveryMs = 5_000;

/** Serves evaluations from a source. */
export async function startRuntime(
  config: RuntimeConfig,
  source: Source,
  { log, clock = systemClock, place, streamLimits }: RuntimeTools,
): Promise<Runtime> {
  const { holder, spool, fingerprintKey, reporting } = source;
  const metrics = createMetrics();
  const sessions = new SessionStore({ count: config.sessions, ttlMs: config.sessionTtlMs });
  const memory = new ScanMemory(config.textMemoryMegabytes * 1024 * 1024);
  const meters = createRuntimeMetrics({ metrics, holder, reporting, sessions, memory, clock });
  const siblings = place && new Siblings(place);
  const backends = new Backends(readBackendSecrets(config.backendSecrets), log);
  measureBackends(metrics, backends);
  const evaluator = new Evaluator({
    backends,
    meter: source.meter,
    candidates: source.candidates,
    holder,
    spool,
    fingerprintKey,
    clock,
    sessions,
    siblings,
    memory,
    meters,
  });
  const streams = new OpenStreams(evaluator, streamLimits);
  const streamSessions = new StreamSessions(streams, place?.index);
  const ownStreams = new OwnStreams({ streams, sessions: streamSessions, clock });
  const streamCalls = siblings === undefined ? ownStreams : new FamilyStreams(ownStreams, siblings);
  const ending = setInterval(() => streamSessions.expire(clock.now().getTime()), idleEveryMs).unref();
  measureStreams(metrics, streams);
  const family =
    place && (await serveSiblings(place, siblingWork({ evaluator, sessions, clock, streams: ownStreams }), log));
  const aging = setInterval(() => {
    holder.age(clock.now());
    sessions.expire(clock.now().getTime());
  }, ageEveryMs).unref();
  const management = await startManagement({
    port: config.managementPort,
    host: config.managementHost ?? config.host,
    log,
    metrics,
    checks: { bundle: () => assertLoaded(holder), warm_up: () => assertWarm(holder), ...source.checks },
  });
  const interceptors = createInterceptors({
    authenticate: async (token) => source.authenticate(token),
    // Plans and bills are the control plane's business; it tells a runtime by its leases.
    entitlements: async () => ({ plan: "enterprise", billingBlocked: false }),
    log,
    metrics,
    maxTimeoutMs: callLimits.timeoutMs,
  });
  const judgeEach = createJudgeEach(evaluator, log);
  const server = await serve({
    services: [EvaluationService, AdapterService],
    routes: (router: ConnectRouter) => {
      router.service(
        EvaluationService,
        evaluationHandlers({
          ...{ evaluator, holder, sessions, siblings, clock, log, streams, streamCalls, judgeEach },
          authenticate: source.authenticate,
        }),
      );
      router.service(AdapterService, adapterHandlers(evaluator));
    },
    interceptors: [...source.interceptors, ...interceptors],
    port: config.port,
    host: config.host,
    certificate: certificateOf(config),
    isShared: place !== undefined,
    trustedHops: config.trustedHops,
    limits: callLimits,
    openapi: readOpenApi,
    conversations: (parts) => [createHttpStream(parts)],
    // Interceptors of the source's own would be passed by.
    fastPath:
      source.interceptors.length > 0
        ? undefined
        : {
            methods: fastEvaluations(evaluator),
            streams: fastStreams(judgeEach),
            authenticate: source.authenticate,
            countCall: metrics.countCall,
            together: spool === undefined ? (work) => work() : (work) => spool.together(work),
          },
    log,
  });
  holder.listen((err) => log.error({ err }, "the bundle in force could not be made ready"));
  return {
    port: server.port,
    managementPort: management.port,
    metrics: () => metrics.registry.getMetricsAsJSON(),
    shutdownSteps: [
      { name: "not ready", timeoutMs: 1_000, run: () => management.drain() },
      drainDelay(config.drainDelayMs),
      { name: "server", timeoutMs: 15_000, run: () => server.close({ graceMs: 10_000 }) },
      { name: "siblings", timeoutMs: 1_000, run: () => family?.close() },
      {
        name: "streams",
        timeoutMs: 2_000,
        run: () => {
          clearInterval(ending);
          streamSessions.close();
        },
      },
      { name: "backends", timeoutMs: 1_000, run: () => backends.close() },
      ...source.shutdownSteps,
      {
        name: "management",
        timeoutMs: 2_000,
        run: () => {
          clearInterval(aging);
          return management.close();
        },
      },
    ],
  };
}

// Whoever calls is told only that there is no bundle; whoever operates the runtime, also why the one that there was is not in force.
function assertLoaded(holder: BundleHolder): void {
  if (holder.loaded === undefined && holder.rejection !== undefined)
    throw new Error(`the bundle was refused, and there is no other: ${holder.rejection}`);
  holder.require();
}

function assertWarm({ isWarm }: BundleHolder): void {
  if (!isWarm) throw new Error("the first evaluations of this process are still slow");
}

function siblingWork(parts: {
  readonly evaluator: Evaluator;
  readonly sessions: SessionStore;
  readonly clock: Clock;
  readonly streams: StreamCalls;
}): SiblingWork {
  return {
    streams: parts.streams,
    evaluate: (request, moment) => parts.evaluator.judgeOwn(request, moment),
    restore: (request) => restorePlaceholders(request, parts.sessions, parts.clock.now().getTime()),
  };
}

function certificateOf({ tlsCertificate, tlsKey }: RuntimeConfig) {
  return tlsCertificate === undefined || tlsKey === undefined ? undefined : { cert: tlsCertificate, key: tlsKey };
}
