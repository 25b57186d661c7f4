import { OutcomeSchema, StageSchema } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { defineCommand } from "../command.ts";
import { exitCodes, refusal } from "../failure.ts";
import { shown } from "../output.ts";
import { timeText } from "../resource-json.ts";
import { openOrganization, serverOptions } from "../server.ts";
import { nameOf, traceJson } from "../trace-filter.ts";

/** `policy-guard traces get`: shows one trace. */
export const tracesGet = defineCommand({
  name: "traces get",
  summary: "Show a trace: what was decided, by which rule, and what was found.",
  positionals: { label: "<id>", min: 1, max: 1 },
  options: serverOptions,
  notes: "All fields, with signals and text, are in `traces export --format jsonl --include-text`.",
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
    output.json(traceJson(trace));
    return exitCodes.fine;
  },
});
