import { OutcomeSchema, StageSchema } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { defineCommand, integerOf } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { columns, shown } from "../output.ts";
import { timeText } from "../resource-json.ts";
import { openOrganization } from "../server.ts";
import { nameOf, traceFilterOf, traceJson, traceOptions } from "../trace-filter.ts";

/** `policy-guard traces list`: the newest traces that match. */
export const tracesList = defineCommand({
  name: "traces list",
  summary: "List traces, the newest first.",
  positionals: { label: "", min: 0, max: 0 },
  options: {
    ...traceOptions,
    limit: { type: "string", value: "N", help: "How many, 1 to 200. Default: 50." },
    after: { type: "string", value: "POSITION", help: "What comes after this one: next_after of another page." },
  },
  async run({ values, output, world }) {
    const server = await openOrganization(values, world);
    const page = { limit: integerOf(values.limit, "limit", 1), after: values.after };
    const list = await server.traces.listTraces({ ...(await traceFilterOf(server, values)), ...page });
    const rows = list.traces.map((trace) => [
      timeText(trace.createdAt) ?? "",
      nameOf(OutcomeSchema, trace.outcome),
      nameOf(StageSchema, trace.stage),
      shown(trace.environment),
      shown(trace.decidedByRule ?? "-"),
      trace.id,
    ]);
    for (const line of columns(rows)) output.line(line);
    if (list.traces.length === 0) output.note("There are no traces that match and that this credential sees.");
    const until = timeText(list.examinedUntil);
    if (until !== null) output.note(`The search stopped; go on with --until ${until}.`);
    output.json({
      total: list.total,
      total_is_exact: list.totalIsExact,
      examined_until: until,
      next_after: list.nextAfter ?? null,
      traces: list.traces.map(traceJson),
    });
    return exitCodes.fine;
  },
});
