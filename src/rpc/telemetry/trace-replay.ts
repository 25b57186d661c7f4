import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type OutcomeRangeSchema,
  ReplayAnswer,
  ReplayExactness,
  type ReplayedDecisionSchema,
  type ReplayedFindingSchema,
  type ReplayedRuleSchema,
  ReplayMode,
  ReplayTime,
  type TraceReplaySchema,
} from "../../../gen/policyguard/control/v1/trace_replay_pb.ts";
import type { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { DetailLevel, type Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { ReplayedTrace, ReplayRequest, TraceReplay } from "../../domain/replay/trace-replay.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { documentOf } from "../document.ts";

type Result = ReplayedTrace["result"];
type Rule = Result["rules"][number];
type Finding = Result["findings"][number];

/** Findings that an answer lists. */
const maxFindings = 1_000;

/** The handler of TraceService that replays. */
export function traceReplayHandlers(replays: TraceReplay): Pick<ServiceImpl<typeof TraceService>, "replayTrace"> {
  return {
    replayTrace: async ({ traceId, document, policyId, version, bundle, mode, asOf, detail }, context) => {
      const request: ReplayRequest = {
        document: document && documentOf(document),
        ...{ policyId, version },
        bundle: bundle && { ...bundle, version: bundle.version },
        by: replayByOf(mode),
        asOf: asOf === ReplayTime.NOW ? "now" : "trace",
      };
      const replayed = await replays.replay(callerOf(context), traceId, request, context.signal);
      return { replay: replayMessage(replayed, detail || DetailLevel.FINDINGS) };
    },
  };
}

/** By what to replay. */
export function replayByOf(mode: ReplayMode): ReplayRequest["by"] {
  if (mode === ReplayMode.SIGNALS) return "signals";
  return mode === ReplayMode.TEXT ? "text" : "auto";
}

/** The modes as the API has them. */
export const replayModes = { auto: ReplayMode.AUTO, signals: ReplayMode.SIGNALS, text: ReplayMode.TEXT } as const;

const answers: Readonly<Record<Rule["match"], ReplayAnswer>> = {
  yes: ReplayAnswer.YES,
  no: ReplayAnswer.NO,
  unknown: ReplayAnswer.UNKNOWN,
};

function replayMessage(
  { trace, result }: ReplayedTrace,
  detail: DetailLevel,
): MessageInitShape<typeof TraceReplaySchema> {
  const { range, wouldBe, reasons, usedText, engine } = result;
  const { record } = trace;
  const outcome = certain(range);
  const isSurelyChanged = record.outcome < range.least || record.outcome > range.most;
  return {
    traceId: trace.id,
    modeUsed: usedText ? ReplayMode.TEXT : ReplayMode.SIGNALS,
    exactness: outcome === undefined ? ReplayExactness.BOUNDED : ReplayExactness.EXACT,
    ...(outcome !== undefined && { outcome }),
    outcomeRange: rangeMessage(range),
    ...((outcome !== undefined || isSurelyChanged) && { changed: isSurelyChanged }),
    original: originalMessage(trace),
    replayed: {
      ...decisionMessage(outcome, certain(wouldBe)),
      ...(result.decidedBy && {
        decidedByRule: result.decidedBy.ruleId,
        ...(result.decidedBy.policy !== "" && { decidedByPolicy: result.decidedBy.policy }),
      }),
      engine,
    },
    rules: result.rules.filter((rule) => isShown(rule, detail)).map(ruleMessage),
    reasons: [...reasons],
    engine,
    effects: "none",
    backends: record.backends,
    ...findingsMessage(detail === DetailLevel.OUTCOME ? [] : result.findings),
  };
}

function findingsMessage(all: readonly Finding[]) {
  const findings = all.slice(0, maxFindings).map(findingMessage);
  return { findings, findingsOmitted: all.length - findings.length };
}

function findingMessage(finding: Finding): MessageInitShape<typeof ReplayedFindingSchema> {
  const { policy, ruleId, category, segment, start, end, was, match, before, after } = finding;
  return {
    ...{ policy, ruleId, category, segment, start, end, was: answers[was], match: answers[match] },
    ...(before !== undefined && { wasScore: before.score, wasThreshold: before.threshold }),
    ...(after !== undefined && { score: after.score, threshold: after.threshold }),
  };
}

function originalMessage({ record }: ReplayedTrace["trace"]): MessageInitShape<typeof ReplayedDecisionSchema> {
  const { outcome, wouldBeOutcome, decidedByRule, decidedByPolicy, bundle, engine } = record;
  return {
    ...decisionMessage(outcome, wouldBeOutcome),
    ...(decidedByRule !== "" && { decidedByRule }),
    ...(decidedByPolicy !== "" && { decidedByPolicy }),
    ...(bundle !== undefined && { bundle }),
    ...(engine !== "" && { engine }),
  };
}

function decisionMessage(outcome: Outcome | undefined, wouldBe: Outcome | undefined) {
  return { ...(outcome !== undefined && { outcome }), ...(wouldBe !== undefined && { wouldBeOutcome: wouldBe }) };
}

function ruleMessage({
  policy,
  ruleId,
  was,
  match,
  effect,
  reasons,
}: Rule): MessageInitShape<typeof ReplayedRuleSchema> {
  const about = { was: answers[was], match: answers[match], effect: answers[effect] };
  return { policy, ruleId, ...about, reasons: [...reasons] };
}

function isShown({ was, match }: Rule, detail: DetailLevel): boolean {
  if (detail === DetailLevel.OUTCOME) return false;
  return detail === DetailLevel.FULL || was !== "no" || match !== "no";
}

/** The outcome of a range of one. */
function certain({ least, most }: Result["range"]): Outcome | undefined {
  return least === most ? least : undefined;
}

function rangeMessage({ least, most }: Result["range"]): MessageInitShape<typeof OutcomeRangeSchema> {
  return { least, most };
}
