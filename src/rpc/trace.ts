import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { TraceSchema } from "../../gen/policyguard/control/v1/trace_pb.ts";
import type { TraceService } from "../../gen/policyguard/control/v1/trace_service_pb.ts";
import { Outcome } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { Trace, TraceFilter, Traces } from "../domain/trace.ts";
import { traceCsvHeader, traceCsvLine } from "../domain/trace-csv.ts";
import { callerOf } from "../kit/context.ts";
import { pageOf } from "./page.ts";
import { timestamp } from "./time.ts";

const csv = "text/csv; charset=utf-8; header=present";

/** Handlers of TraceService. */
export function traceHandlers(traces: Traces): ServiceImpl<typeof TraceService> {
  return {
    listTraces: async (request, context) => {
      const page = pageOf(request);
      const list = await traces.list(callerOf(context), filterOf(request), page);
      return { ...list, ...page, traces: list.traces.map(traceMessage) };
    },
    getTrace: async ({ traceId }, context) => ({
      trace: traceMessage(await traces.get(callerOf(context), traceId)),
    }),
    async *exportTraces(request, context) {
      const pages = traces.export(callerOf(context), filterOf(request));
      context.responseHeader.set("Content-Disposition", 'attachment; filename="traces.csv"');
      // The first line goes out with the first page, so that what fails before it still has a status of its own.
      let text = traceCsvHeader();
      for await (const page of pages) {
        yield { contentType: csv, data: Buffer.from(text + page.map(traceCsvLine).join("")) };
        if (context.signal.aborted) return;
        text = "";
      }
      if (text !== "") yield { contentType: csv, data: Buffer.from(text) };
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
  readonly since?: Timestamp;
  readonly until?: Timestamp;
}

function filterOf(request: FilterFields): TraceFilter {
  return {
    projectId: request.projectId?.toLowerCase(),
    environment: request.environment,
    agentKey: request.agentId,
    outcome: request.outcome === Outcome.UNSPECIFIED ? undefined : request.outcome,
    ruleId: request.ruleId,
    sessionId: request.sessionId,
    since: request.since && timestampDate(request.since),
    until: request.until && timestampDate(request.until),
  };
}

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
    bundle: record.bundle,
    language: presentText(record.language),
    latencyUs: record.latencyUs,
    model: record.model,
    metadata: record.metadata,
    capture: record.capture,
    segments: record.segments,
    createdAt: record.createdAt ?? timestamp(trace.createdAt),
    receivedAt: timestamp(trace.receivedAt),
  };
}

function presentText(text: string): string | undefined {
  return text === "" ? undefined : text;
}
