import { create, type JsonValue, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  TraceAnnotation,
  TraceAnnotationSchema,
  TraceReplayability,
  TraceSchema,
} from "../../../gen/policyguard/control/v1/trace_pb.ts";
import { type TraceService, TraceView } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { Outcome, Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { CaptureMode } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { detectorNameOf } from "../../domain/policy/detector.ts";
import type { TraceAnalytics } from "../../domain/telemetry/analytics.ts";
import type { Trace, Traces } from "../../domain/telemetry/trace.ts";
import { traceCsvHeader, traceCsvLine } from "../../domain/telemetry/trace-csv.ts";
import { wireName } from "../../kit/protobuf/wire-name.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { timestamp } from "../time.ts";
import { analyticsMessage, analyticsRequestOf } from "./trace-analytics.ts";

/** Writes a message as the JSON of the API. */
export type JsonWriter = (message: Message) => JsonValue;

/** The format of an export. */
interface ExportForm {
  readonly contentType: string;
  readonly extension: string;
  readonly header: string;
  readonly line: (trace: Trace) => string;
}

/** What the handlers call. */
export interface TraceDomain {
  readonly traces: Traces;
  readonly traceAnalytics: TraceAnalytics;
}

/** Handlers of TraceService, replays aside. `writeTrace` writes the lines of JSONL. */
export function traceHandlers(
  { traces, traceAnalytics }: TraceDomain,
  writeTrace: JsonWriter,
): Omit<ServiceImpl<typeof TraceService>, "replayTrace"> {
  const csv: ExportForm = {
    contentType: "text/csv; charset=utf-8; header=present",
    extension: "csv",
    header: traceCsvHeader(),
    line: traceCsvLine,
  };
  const jsonl: ExportForm = {
    contentType: "application/x-ndjson",
    extension: "jsonl",
    header: "",
    line: (trace) => `${JSON.stringify(writeTrace(create(TraceSchema, traceMessage(trace))))}\n`,
  };
  return {
    listTraces: async (request, context) => {
      const page = pageOf(request);
      const isFull = request.view === TraceView.FULL;
      const input = { ...page, after: request.after, withText: isFull };
      const { examinedUntil, nextAfter, ...list } = await traces.list(
        callerOf(context),
        filterOf(request),
        input,
        context.signal,
      );
      const message = isFull ? traceMessage : traceSummary;
      return {
        ...{ ...list, ...page, traces: list.traces.map(message) },
        ...{ examinedUntil: timestamp(examinedUntil), nextAfter: nextAfter ?? undefined },
      };
    },
    getTraceAnalytics: async (request, context) =>
      analyticsMessage(await traceAnalytics.get(callerOf(context), analyticsRequestOf(request))),
    getTrace: async ({ traceId }, context) => ({
      trace: traceMessage(await traces.get(callerOf(context), traceId)),
    }),
    async *exportTraces(request, context) {
      const format = request.format === "jsonl" ? "jsonl" : "csv";
      const { contentType, extension, header, line } = { csv, jsonl }[format];
      const input = { filter: filterOf(request), format, includesText: request.includeText ?? false } as const;
      const pages = traces.export(callerOf(context), input, context.signal);
      context.responseHeader.set("Content-Disposition", `attachment; filename="traces.${extension}"`);
      // The first line is sent with the first page, so that a failure before it still has its own status.
      let isEmpty = true;
      for await (const page of pages) {
        yield { contentType, data: Buffer.from((isEmpty ? header : "") + page.map(line).join("")) };
        context.signal.throwIfAborted();
        isEmpty = false;
      }
      if (isEmpty) yield { contentType, data: Buffer.from(header) };
    },
  };
}

interface FilterFields {
  readonly projectId?: string;
  readonly environment?: string;
  readonly agentId?: string;
  readonly outcome: Outcome;
  readonly ruleId?: string;
  readonly sessionId?: string;
  readonly stage: Stage;
  readonly policy?: string;
  readonly detector?: string;
  readonly category?: string;
  readonly unjudged?: string;
  readonly userId?: string;
  readonly bundleVersion?: number;
  readonly text?: string;
  readonly annotation: TraceAnnotation;
  readonly language?: string;
  readonly minLatencyUs?: number;
  readonly maxLatencyUs?: number;
  readonly wouldBeOutcome: Outcome;
  readonly since?: Timestamp;
  readonly until?: Timestamp;
}

function filterOf(request: FilterFields): Parameters<Traces["list"]>[1] {
  return {
    projectId: request.projectId?.toLowerCase(),
    environment: request.environment,
    agentKey: request.agentId,
    outcome: request.outcome === Outcome.UNSPECIFIED ? undefined : request.outcome,
    ruleId: request.ruleId,
    sessionId: request.sessionId,
    stage: request.stage === Stage.UNSPECIFIED ? undefined : request.stage,
    policy: request.policy,
    detector: request.detector && detectorNameOf(request.detector),
    category: request.category,
    unjudged: request.unjudged,
    userId: request.userId,
    bundleVersion: request.bundleVersion,
    text: request.text,
    annotation:
      request.annotation === TraceAnnotation.UNSPECIFIED
        ? undefined
        : wireName(TraceAnnotationSchema, request.annotation),
    language: request.language,
    minLatencyUs: request.minLatencyUs,
    maxLatencyUs: request.maxLatencyUs,
    wouldBeOutcome: request.wouldBeOutcome === Outcome.UNSPECIFIED ? undefined : request.wouldBeOutcome,
    since: request.since && timestampDate(request.since),
    until: request.until && timestampDate(request.until),
  };
}

/** Findings of a summary. */
const summaryFindings = 20;

function traceSummary(trace: Trace): MessageInitShape<typeof TraceSchema> {
  const { findings, signals } = trace.record;
  return {
    ...traceMessage(trace),
    segments: [],
    signals: [],
    backends: [],
    findings: findings.slice(0, summaryFindings),
    findingsOmitted: Math.max(findings.length - summaryFindings, 0),
    signalsOmitted: signals.length,
  };
}

const replayabilities = {
  text: TraceReplayability.TEXT,
  signals: TraceReplayability.SIGNALS,
  no: TraceReplayability.NO,
} as const;

function traceMessage({ record, ...trace }: Trace): MessageInitShape<typeof TraceSchema> {
  return {
    id: trace.id,
    orgId: trace.orgId,
    projectId: trace.projectId,
    environment: trace.environment,
    agentId: trace.agentKey ?? undefined,
    sessionId: presentText(record.sessionId),
    userId: presentText(record.userId),
    stage: record.stage,
    outcome: record.outcome,
    wouldBeOutcome: record.wouldBeOutcome,
    decidedByRule: presentText(record.decidedByRule),
    decidedByPolicy: presentText(record.decidedByPolicy),
    findings: record.findings,
    unjudged: record.unjudged,
    signals: record.signals,
    backends: record.backends,
    runtimeInstanceId: trace.runtimeInstanceId ?? undefined,
    engine: presentText(record.engine),
    bundle: record.bundle,
    language: presentText(record.language),
    latencyUs: record.latencyUs,
    model: record.model,
    metadata: record.metadata,
    capture: record.capture === CaptureMode.UNSPECIFIED ? undefined : record.capture,
    segments: record.segments,
    createdAt: record.createdAt ?? timestamp(trace.createdAt),
    receivedAt: timestamp(trace.receivedAt),
    replayable: replayabilities[trace.replayable],
    erasedAt: timestamp(trace.erasedAt),
    annotationSummary: summaryOf(trace),
    samplingPercent: record.samplingPercent === 0 ? undefined : record.samplingPercent,
  };
}

function summaryOf({
  annotations,
}: Pick<Trace, "annotations">): MessageInitShape<typeof TraceSchema>["annotationSummary"] {
  if (annotations === undefined) return undefined;
  return { ...annotations, resolvedMark: annotations.resolvedMark ?? undefined };
}

function presentText(text: string): string | undefined {
  return text === "" ? undefined : text;
}
