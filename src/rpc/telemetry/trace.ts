import { create, type JsonValue, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { TraceReplayability, TraceSchema } from "../../../gen/policyguard/control/v1/trace_pb.ts";
import { type TraceService, TraceView } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { CaptureMode } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import type { TraceAnalytics } from "../../domain/telemetry/analytics.ts";
import type { Trace, Traces } from "../../domain/telemetry/trace.ts";
import { traceCsvHeader, traceCsvLine } from "../../domain/telemetry/trace-csv.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { timestamp } from "../time.ts";
import { analyticsMessage, analyticsRequestOf } from "./trace-analytics.ts";
import { traceFilterOf } from "./trace-filter.ts";

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
        traceFilterOf(request),
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
      const input = { filter: traceFilterOf(request), format, includesText: request.includeText ?? false } as const;
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
