import { TraceReplayability } from "../../../gen/policyguard/control/v1/trace_pb.ts";
import { OutcomeSchema, StageSchema } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { defineCommand } from "../command.ts";
import { exitCodes, refusal } from "../failure.ts";
import { shown } from "../output.ts";
import { timeText } from "../resource-json.ts";
import { openOrganization, serverOptions } from "../server.ts";
import { nameOf, traceJson } from "../trace-filter.ts";
import { voiceText } from "../voice-text.ts";

const replayed: Readonly<Record<TraceReplayability, string>> = {
  [TraceReplayability.UNSPECIFIED]: "",
  [TraceReplayability.TEXT]: "It can be replayed by its text.",
  [TraceReplayability.SIGNALS]: "It can be replayed by its scores.",
  [TraceReplayability.NO]: "It cannot be replayed.",
};

/** `policy-guard traces get`: shows one trace. */
export const tracesGet = defineCommand({
  name: "traces get",
  summary: "Show a trace: what was decided, by which rule, what was found, the scores, and the text that was kept.",
  positionals: { label: "<id>", min: 1, max: 1 },
  options: serverOptions,
  notes: "All fields are in `traces export --format jsonl --include-text`.",
  async run({ values, positionals: [traceId = ""], output, world }) {
    const server = await openOrganization(values, world);
    const { trace } = await server.traces.getTrace({ orgId: server.orgId, traceId });
    if (trace === undefined) throw refusal("not_found", `this credential sees no trace "${traceId}"`);
    const outcome = nameOf(OutcomeSchema, trace.outcome);
    const by = trace.decidedByRule === undefined ? "" : ` by ${trace.decidedByRule} of ${trace.decidedByPolicy}`;
    output.line(`${outcome}${shown(by)} at ${timeText(trace.createdAt)} (${nameOf(StageSchema, trace.stage)})`);
    for (const { policy, ruleId, category, segment, start, end, score } of trace.findings) {
      output.line(shown(`  ${policy}/${ruleId}: ${category} in ${segment} ${start}-${end}, score ${score}`));
    }
    for (const { detector, reason } of trace.unjudged) output.line(shown(`  not judged: ${detector} (${reason})`));
    for (const { detector, category, segment, start, end, score, layer } of trace.signals) {
      const where = `${segment} ${start}-${end}`;
      output.line(shown(`  score ${score}: ${detector}, ${category} in ${where}${layer === "" ? "" : ` (${layer})`}`));
    }
    for (const voice of trace.backends) output.line(shown(`  ${voiceText(voice)}`));
    if (trace.signalsOmitted > 0) output.line(`  and ${trace.signalsOmitted} more scores that were not kept`);
    for (const { id, role, text } of trace.segments) {
      output.line(
        shown(`  ${id} (${role}): ${text === "" ? "its text is not kept, or not for this credential" : text}`),
      );
    }
    output.line(replayed[trace.replayable]);
    output.json({
      ...traceJson(trace),
      signals: trace.signals.map(({ detector, category, segment, start, end, score, layer }) => ({
        ...{ detector, category, segment, start, end, score, layer },
      })),
      signals_omitted: trace.signalsOmitted,
      backends: trace.backends.map(({ segment, detectors, backend, reason, score = null, ownScore = null }) => {
        return { segment, detectors: [...detectors], backend, reason, score, own_score: ownScore };
      }),
      segments: trace.segments.map(({ id, role, text }) => ({ id, role, text })),
    });
    return exitCodes.fine;
  },
});
