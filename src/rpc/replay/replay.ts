import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  ReplayChange,
  type ReplayCountsSchema,
  type ReplayEstimateSchema,
  type ReplayFilter,
  type ReplayFilterSchema,
  ReplayOrigin,
  type ReplayReportSchema,
  type ReplayResultSchema,
  type ReplaySample,
  ReplaySampling,
  type ReplaySchema,
} from "../../../gen/policyguard/control/v1/replay_pb.ts";
import type { ReplayService } from "../../../gen/policyguard/control/v1/replay_service_pb.ts";
import { type TraceAnnotation, TraceAnnotationSchema } from "../../../gen/policyguard/control/v1/trace_pb.ts";
import { ReplayMode, ReplayTime } from "../../../gen/policyguard/control/v1/trace_replay_pb.ts";
import { detectorNameOf } from "../../domain/policy/detector.ts";
import type { NewReplay, Replay, Replays } from "../../domain/replay/replay.ts";
import { wireName, wireNumber } from "../../kit/protobuf/wire-name.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { documentOf } from "../document.ts";
import { runFields } from "../run.ts";
import { replayByOf, replayModes } from "../telemetry/trace-replay.ts";

const defaultMax = 100_000;

type Report = Replay["report"];
type ResultChange = NonNullable<Parameters<Replays["results"]>[2]["change"]>;
type Result = Awaited<ReturnType<Replays["results"]>>[0][number];

/** Handlers of ReplayService. */
export function replayHandlers(replays: Replays): ServiceImpl<typeof ReplayService> {
  return {
    createReplay: async ({ document, policyId, version, bundle, filter, sample, ...how }, context) => {
      const input: NewReplay = {
        document: document && documentOf(document),
        ...{ policyId, version },
        bundle: bundle && { ...bundle, version: bundle.version },
        filter: filterOf(filter),
        since: how.since && timestampDate(how.since),
        until: how.until && timestampDate(how.until),
        sample: sampleOf(sample),
        by: replayByOf(how.mode),
        asOf: how.asOf === ReplayTime.NOW ? "now" : "trace",
      };
      return { replay: replayMessage(await replays.create(callerOf(context), input, context.signal)) };
    },
    recordReplay: async ({ projectId, environment, judges, pairs }, context) => ({
      replay: replayMessage(await replays.record(callerOf(context), { projectId, environment, judges, pairs })),
    }),
    listReplays: async (request, context) => {
      const page = pageOf(request);
      const [found, total] = await replays.list(callerOf(context), page);
      return { total, ...page, replays: found.map((replay) => ({ ...replayMessage(replay), report: undefined })) };
    },
    getReplay: async ({ replayId }, context) => ({
      replay: replayMessage(await replays.get(callerOf(context), replayId)),
    }),
    listReplayResults: async ({ replayId, change, ...request }, context) => {
      const page = pageOf(request);
      const [found, total] = await replays.results(callerOf(context), replayId, { ...page, change: changeOf(change) });
      return { total, ...page, results: found.map(resultMessage) };
    },
    cancelReplay: async ({ replayId }, context) => ({
      replay: replayMessage(await replays.cancel(callerOf(context), replayId)),
    }),
    deleteReplay: async ({ replayId }, context) => {
      await replays.delete(callerOf(context), replayId);
      return {};
    },
  };
}

function filterOf(filter: ReplayFilter | undefined): NewReplay["filter"] {
  const { projectId, environment, agentId, ruleId, policy, detector, category, unjudged, bundleVersion } = filter ?? {};
  const { language, minLatencyUs, maxLatencyUs } = filter ?? {};
  return {
    ...{ language, minLatencyUs, maxLatencyUs, wouldBeOutcome: filter?.wouldBeOutcome || undefined },
    annotation: filter?.annotation ? wireName(TraceAnnotationSchema, filter.annotation) : undefined,
    ...{ projectId, environment, agentKey: agentId, ruleId, policy, category, unjudged, bundleVersion },
    detector: detector && detectorNameOf(detector),
    outcome: filter?.outcome || undefined,
    stage: filter?.stage || undefined,
  };
}

function changeOf(change: ReplayChange): ResultChange | undefined {
  switch (change) {
    case ReplayChange.CHANGED:
      return "changed";
    case ReplayChange.NEWLY_BLOCKED:
      return "newly_blocked";
    case ReplayChange.NEWLY_ALLOWED:
      return "newly_allowed";
    case ReplayChange.BOUNDED:
      return "bounded";
    default:
      return undefined;
  }
}

function sampleOf(sample: ReplaySample | undefined): NewReplay["sample"] {
  const { max = defaultMax, method = ReplaySampling.UNSPECIFIED, seed = 0 } = sample ?? {};
  return { max, seed, method: method === ReplaySampling.BY_OUTCOME ? "by_outcome" : "uniform" };
}

function replayMessage({ run, spec, report, resultsUntil }: Replay): MessageInitShape<typeof ReplaySchema> {
  const { subject, policy, filter, since, until, sample, by, asOf } = spec;
  return {
    ...runFields(run),
    ...("policyId" in subject && { policyId: subject.policyId, version: subject.version }),
    ...("bundle" in subject && { bundle: subject.bundle }),
    ...(policy !== null && { policy }),
    filter: filterMessage(filter),
    ...("judges" in subject
      ? { origin: ReplayOrigin.LOCAL, judges: subject.judges.map((judge) => ({ ...judge })) }
      : {
          origin: ReplayOrigin.SERVER,
          since: timestampFromDate(new Date(since)),
          until: timestampFromDate(new Date(until)),
        }),
    sample: {
      ...{ max: sample.max, seed: sample.seed },
      method: sample.method === "uniform" ? ReplaySampling.UNIFORM : ReplaySampling.BY_OUTCOME,
    },
    mode: replayModes[by],
    asOf: asOf === "now" ? ReplayTime.NOW : ReplayTime.TRACE,
    resultsUntil: timestampFromDate(resultsUntil),
    report: reportMessage(report),
  };
}

function filterMessage({
  agentKey: agentId,
  annotation,
  ...filter
}: Replay["spec"]["filter"]): MessageInitShape<typeof ReplayFilterSchema> {
  const said = annotation && wireNumber<TraceAnnotation>(TraceAnnotationSchema, annotation);
  return { ...filter, agentId, ...(said && { annotation: said }) };
}

function reportMessage(report: Report): MessageInitShape<typeof ReplayReportSchema> {
  const { population, sampled, exact, bounded, readText, matrix, results, resultsOmitted } = report;
  return {
    ...(population !== null && { population }),
    ...{ sampled, exact, bounded, readText, results, resultsOmitted },
    matrix: matrix.map(({ was, is, count }) => ({ was, is, count: estimateMessage(count) })),
    changed: estimateMessage(report.changed),
    newlyBlocked: estimateMessage(report.newlyBlocked),
    newlyAllowed: estimateMessage(report.newlyAllowed),
    byRule: report.rules.map((rule) => ({ ...rule })),
    byStage: report.stages.map(({ stage, counts }) => ({ stage, counts: countsMessage(counts) })),
    byAgent: report.agents.map(({ key, counts }) => ({
      ...(key !== "" && { agentId: key }),
      counts: countsMessage(counts),
    })),
    ...(report.otherAgents !== null && { otherAgents: countsMessage(report.otherAgents) }),
    reasons: report.reasons.map((each) => ({ ...each })),
    marks: { ...report.marks },
  };
}

function countsMessage(counts: Report["stages"][number]["counts"]): MessageInitShape<typeof ReplayCountsSchema> {
  return { ...counts };
}

function estimateMessage({
  traces,
  possible,
  estimated,
}: Report["changed"]): MessageInitShape<typeof ReplayEstimateSchema> {
  return { traces, possible, ...estimated };
}

function resultMessage({ row, voices }: Result): MessageInitShape<typeof ReplayResultSchema> {
  const { traceId, projectId, environment, was, least, most, reasons } = row;
  const isChanged = was < least || was > most;
  return {
    ...{ traceId, projectId, environment, was, reasons },
    createdAt: timestampFromDate(row.createdAt),
    outcomeRange: { least, most },
    ...(least === most && { outcome: least }),
    ...((least === most || isChanged) && { changed: isChanged }),
    wasDecidedByRule: row.wasRule ?? undefined,
    wasDecidedByPolicy: row.wasPolicy ?? undefined,
    decidedByRule: row.rule ?? undefined,
    decidedByPolicy: row.policy ?? undefined,
    modeUsed: row.hasReadText ? ReplayMode.TEXT : ReplayMode.SIGNALS,
    backends: [...voices],
  };
}
