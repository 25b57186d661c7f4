// The metrics of a runtime, besides those of its calls.

import { type DescEnum, getOption } from "@bufbuild/protobuf";
import { Counter, Gauge, Histogram } from "prom-client";
import { wire } from "../../gen/policyguard/options/v1/options_pb.ts";
import type { Unjudged } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import {
  FailModeSchema,
  type Outcome,
  OutcomeSchema,
  type Stage,
  StageSchema,
} from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { type Fault, reasonRule } from "../../src/kit/fault/fault.ts";
import type { Metrics } from "../../src/kit/observability/metrics.ts";
import { createTally, TallyHistogram } from "../../src/kit/observability/tally.ts";
import type { Clock } from "../../src/kit/process/clock.ts";
import type { BundleHolder } from "../bundle/active-bundle.ts";
import type { SpoolStatus } from "../control-plane/spool/spool.ts";
import { arrayBytes, patternStateBytes } from "../engine/pattern/memory-budget.ts";
import type { ScanCache } from "../engine/scan/scan-cache.ts";
import type { ModelClient } from "../model-host/client.ts";
import type { SessionStore } from "../session/session-store.ts";
import type { Backends } from "./backend/backends.ts";

/** One finished evaluation. */
export interface FinishedEvaluation {
  readonly stage: Stage;
  readonly outcome: Outcome;
  /** The time of the engine. */
  readonly latencyUs: number;
  /** What could not be judged. */
  readonly unjudged: readonly Pick<Unjudged, "detector" | "reason" | "onError">[];
}

/** Measures evaluations. */
export interface EvaluationMeters {
  readonly onEvaluation: (evaluation: FinishedEvaluation) => void;
  /**
   * Called before each evaluation. Returns the function that takes the time of each detector in microseconds, or
   * undefined for an evaluation whose detectors are not timed.
   */
  readonly detectorTime?: () => ((detector: string, us: number) => void) | undefined;
}

/** The state of the reporting of a connected runtime. */
export interface ReportingState {
  readonly isConnected: () => boolean;
  readonly spool: () => SpoolStatus;
  /** Evaluations that are leased and not made yet. */
  readonly leased: () => number;
  /** Whether the log of evidence contradicts the checkpoint that the runtime keeps. */
  readonly isEvidenceForked: () => boolean;
}

/** The parts that are measured. */
export interface RuntimeMetricsParts {
  readonly metrics: Metrics;
  readonly holder: BundleHolder;
  /** Undefined for a runtime that reports to nobody. */
  readonly reporting: ReportingState | undefined;
  readonly sessions: SessionStore;
  readonly memory: ScanCache;
  readonly clock: Clock;
}

/** One evaluation in this many has its detectors timed, which costs it some microseconds. */
const timedEach = 64;

/** Ends of calls to backends that took the backend's time. */
const answered: ReadonlySet<string> = new Set(["ok", "timeout", "error", "model_crash"]);

const bucketsSeconds = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
const detectorBucketsSeconds = [0.000005, 0.00001, 0.000025, ...bucketsSeconds];

/** Registers the metrics of a runtime; returns the functions that measure evaluations. */
export function createRuntimeMetrics(parts: RuntimeMetricsParts): Required<EvaluationMeters> {
  measureBundle(parts);
  measureTables(parts);
  measureSessions(parts);
  measureMemory(parts);
  if (parts.reporting !== undefined) measureReporting(parts.metrics, parts.reporting);
  return { onEvaluation: countEvaluations(parts.metrics), detectorTime: timeDetectors(parts.metrics) };
}

function timeDetectors({ registry }: Metrics): Required<EvaluationMeters>["detectorTime"] {
  const durations = new TallyHistogram({
    name: "detector_seconds",
    help: `Time of a detector within an evaluation, of one evaluation in ${timedEach}; "shared" is what is done for all of them.`,
    labelNames: ["detector"],
    buckets: detectorBucketsSeconds,
    registry,
  });
  const observers = new Map<string, (seconds: number) => void>();
  const observe = (detector: string, us: number) => {
    const known = observers.get(detector) ?? kept(observers, detector, durations.bind({ detector }));
    known(us / 1_000_000);
  };
  let count = 0;
  return () => (count++ % timedEach === 0 ? observe : undefined);
}

/** Registers the metric of Envoy's exchanges that could not be judged; returns the function that counts them. */
export function countUnjudgedExchanges({ registry }: Metrics): (fault: Fault) => void {
  const total = new Counter({
    name: "envoy_unjudged_total",
    help: "Exchanges of Envoy that could not be judged, by the reason.",
    labelNames: ["reason"],
    registers: [registry],
  });
  return ({ reason }) => total.inc({ reason: reasonRule(reason).error || "other" });
}

function measureMemory({ metrics: { registry }, memory }: RuntimeMetricsParts): void {
  new Counter({
    name: "remembered_texts_total",
    help: "Texts by whether their findings were remembered (known) or they had to be scanned (scanned).",
    labelNames: ["result"],
    registers: [registry],
    collect() {
      this.reset();
      const { known, scanned } = memory.status;
      this.inc({ result: "known" }, known);
      this.inc({ result: "scanned" }, scanned);
    },
  });
}

function countEvaluations({ registry }: Metrics): (evaluation: FinishedEvaluation) => void {
  const total = createTally({
    name: "evaluations_total",
    help: "Evaluations by stage and outcome.",
    labelNames: ["stage", "outcome"],
    registry,
  });
  const durations = new TallyHistogram({
    name: "evaluation_engine_seconds",
    help: "Time that the engine took for an evaluation.",
    labelNames: ["stage"],
    buckets: bucketsSeconds,
    registry,
  });
  const unjudgedTotal = createTally({
    name: "unjudged_total",
    help: "What could not be judged in evaluations, by what the rule did about it: with fail_open, as if nothing had been found.",
    labelNames: ["detector", "reason", "on_error"],
    registry,
  });
  const gaps = new Map<string, () => void>();
  const countGap = ({ detector, reason, onError }: FinishedEvaluation["unjudged"][number]) => {
    const labels = { detector, reason, on_error: nameOf(FailModeSchema, onError) };
    const key = JSON.stringify(labels);
    (gaps.get(key) ?? kept(gaps, key, unjudgedTotal(labels)))();
  };
  const counters = new Map<number, () => void>();
  const observers = new Map<Stage, (seconds: number) => void>();
  return ({ stage, outcome, latencyUs, unjudged }) => {
    const key = stage * 256 + outcome;
    const stageName = () => nameOf(StageSchema, stage);
    const count =
      counters.get(key) ?? kept(counters, key, total({ stage: stageName(), outcome: nameOf(OutcomeSchema, outcome) }));
    const observe = observers.get(stage) ?? kept(observers, stage, durations.bind({ stage: stageName() }));
    count();
    observe(latencyUs / 1_000_000);
    for (const gap of unjudged) countGap(gap);
  };
}

function kept<K, V>(map: Map<K, V>, key: K, value: V): V {
  map.set(key, value);
  return value;
}

function nameOf(schema: DescEnum, number: number): string {
  const value = schema.value[number];
  return value === undefined ? String(number) : getOption(value, wire);
}

function measureBundle({ metrics, holder, clock }: RuntimeMetricsParts): void {
  const gauge = createGauges(metrics, "max");
  gauge(
    "bundle_version",
    "Version of the bundle in force; 0 before the first.",
    () => holder.loaded?.reference.version,
  );
  gauge("bundle_activation_seq", "Sequence number of the activation in force.", () => {
    return holder.loaded?.reference.activationSeq;
  });
  gauge("bundle_age_seconds", "Time since the activation in force was signed or refreshed.", () => {
    const issuedAt = holder.loaded?.activation.issued_at;
    return issuedAt === undefined ? undefined : (clock.now().getTime() - Date.parse(issuedAt)) / 1000;
  });
  gauge("bundle_stale", "1 when the activation in force has expired.", () => {
    return Number(holder.loaded?.reference.stale ?? false);
  });
  gauge("bundle_rejected", "1 when the newest bundle that was offered was refused.", () => {
    return Number(holder.rejection !== undefined);
  });
}

function measureTables({ metrics, holder }: RuntimeMetricsParts): void {
  const gauge = createGauges(metrics);
  gauge("bundle_tables_bytes", "Memory of the tables of the compiled bundle in force.", () => {
    const tables = holder.loaded?.engine.tables;
    return tables === undefined ? undefined : arrayBytes(tables);
  });
  gauge(
    "pattern_states_bytes",
    "Memory of the automaton states that patterns have built while reading texts.",
    patternStateBytes,
  );
}

function measureSessions({ metrics, sessions }: RuntimeMetricsParts): void {
  const gauge = createGauges(metrics);
  gauge("sessions", "Sessions that are kept.", () => sessions.status().count);
  gauge("sessions_characters", "Characters of names, placeholders and originals that are kept for sessions.", () => {
    return sessions.status().units;
  });
  new Counter({
    name: "sessions_evicted_total",
    help: "Sessions that were removed before their time because too much was kept.",
    registers: [metrics.registry],
    collect() {
      this.reset();
      this.inc(sessions.status().evicted);
    },
  });
}

/** Registers the metrics of streams. */
export function measureStreams(metrics: Metrics, streams: { readonly count: number; readonly heldBack: number }): void {
  const gauge = createGauges(metrics);
  gauge("streams_open", "Streams of text that are being judged.", () => streams.count);
  gauge(
    "stream_held_back_characters",
    "Text of open streams that has arrived and is held back, in UTF-16 code units.",
    () => {
      return streams.heldBack;
    },
  );
}

/** Registers the metrics of the models that this machine runs, by the name of their folder. */
export function measureModels(metrics: Metrics, models: ModelClient): void {
  new Gauge({
    name: "model_ready",
    help: "1 for a model that is loaded, 0 for one that is out, with the reason.",
    labelNames: ["model", "reason"],
    aggregator: "min",
    registers: [metrics.registry],
    collect() {
      this.reset();
      for (const { name, state, reason } of models.models)
        this.labels(name, reason ?? state).set(Number(state === "ready"));
    },
  });
  const gauge = createGauges(metrics, "max");
  gauge("model_host_connected", "1 while the host of models answers this process.", () => Number(models.isConnected));
  gauge("model_host_restarts", "How often the host of models had to be replaced.", () => models.state.restarts);
}

/** Registers the metrics of detector backends. */
export function measureBackends(metrics: Metrics, backends: Backends): void {
  const registers = [metrics.registry];
  const total = new Counter({
    name: "backend_calls_total",
    help: "Calls to detector backends by result.",
    labelNames: ["backend", "result"],
    registers,
  });
  const durations = new Histogram({
    name: "backend_seconds",
    help: "Time that calls to detector backends took.",
    labelNames: ["backend"],
    buckets: bucketsSeconds,
    registers,
  });
  createGauges(metrics)("backend_circuits_open", "Detector backends that are not asked because they fail.", () => {
    return backends.open;
  });
  backends.meter = {
    onCall: (backend, result, seconds) => {
      total.labels(backend, result).inc();
      if (answered.has(result)) durations.labels(backend).observe(seconds);
    },
  };
}

function measureReporting(metrics: Metrics, { isConnected, spool, leased, isEvidenceForked }: ReportingState): void {
  const gauge = createGauges(metrics);
  createGauges(metrics, "min")("reporting_stream_connected", "1 while the stream to the control plane is open.", () =>
    Number(isConnected()),
  );
  gauge(
    "quota_lease_evaluations",
    "Evaluations that are leased and not made yet; 0 under a plan without a limit.",
    leased,
  );
  createGauges(metrics, "max")(
    "evidence_fork",
    "1 while the log of evidence contradicts the checkpoint that the runtime keeps.",
    () => Number(isEvidenceForked()),
  );
  gauge("spool_records", "Evaluations that wait to be acknowledged by the control plane.", () => spool().depth);
  gauge("spool_size_bytes", "Disk space of the spool.", () => spool().sizeBytes);
  gauge("spool_degraded", "1 while writing to disk fails.", () => {
    return Number(Object.keys(spool().problems).length > 0);
  });
  new Counter({
    name: "spool_lost_total",
    help: "Evaluations that will never be reported, by reason.",
    labelNames: ["reason"],
    registers: [metrics.registry],
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(spool().lost)) this.inc({ reason }, count);
    },
  });
}

type ReadValue = () => number | undefined;

/** How a gauge of several processes that share a port is combined: their sum, or the max or min. */
type Aggregator = "sum" | "max" | "min";

function createGauges(
  { registry }: Metrics,
  aggregator: Aggregator = "sum",
): (name: string, help: string, read: ReadValue) => void {
  return (name, help, read) => {
    new Gauge({
      name,
      help,
      aggregator,
      registers: [registry],
      collect() {
        this.set(read() ?? 0);
      },
    });
  };
}
