// Replays of many traces: a run on the server, and what has come of it.

import type { Value } from "@bufbuild/protobuf/wkt";
import {
  type Replay,
  type ReplayEstimate,
  type ReplayMarkCounts,
  type ReplayMarks,
  ReplaySampling,
  ReplaySchema,
} from "../../gen/policyguard/control/v1/replay_pb.ts";
import { RunState } from "../../gen/policyguard/control/v1/run_pb.ts";
import { ReplayMode, ReplayTime } from "../../gen/policyguard/control/v1/trace_replay_pb.ts";
import { type Outcome, OutcomeSchema, type Stage, StageSchema } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { nameOf, outcomes } from "../../runtime/engine/policy/enum-names.ts";
import { integerOf, type Options, type Surroundings } from "./command.ts";
import { refusal } from "./failure.ts";
import { columns, counted, type Output, shown } from "./output.ts";
import { resourceJson } from "./resource-json.ts";
import { waitForRun } from "./run-wait.ts";
import { type Organization, openOrganization, projectIdOf } from "./server.ts";
import { measuredFilterOf, numberOf, timeOf } from "./trace-filter.ts";
import { voiceText } from "./voice-text.ts";

/** By what to replay. */
export const replayModes = { auto: ReplayMode.AUTO, signals: ReplayMode.SIGNALS, text: ReplayMode.TEXT } as const;
/** When modes and exemptions are judged. */
export const replayTimes = { trace: ReplayTime.TRACE, now: ReplayTime.NOW } as const;

/** Options of replays of many traces alone. */
export const manyOptions = {
  project: { type: "string", value: "ID|NAME", help: "Many traces: those of this project." },
  agent: { type: "string", value: "KEY", help: "Many traces: those of this agent." },
  stage: { type: "string", value: "STAGE", help: "Many traces: those of this moment of the turn." },
  outcome: { type: "string", value: "OUTCOME", help: "Many traces: those with this outcome." },
  language: { type: "string", value: "TAG", help: "Many traces: those in this language." },
  "would-be": {
    type: "string",
    value: "OUTCOME",
    help: "Many traces: those with this outcome if shadow rules counted.",
  },
  "min-latency": { type: "string", value: "US", help: "Many traces: those that took at least so many microseconds." },
  "max-latency": { type: "string", value: "US", help: "Many traces: those that took at most so many microseconds." },
  annotation: { type: "string", value: "MARK", help: "Many traces: those that annotators say this of." },
  since: {
    type: "string",
    value: "TIME",
    help: "Many traces: made at or after this time; default: 7 days before the end.",
  },
  until: { type: "string", value: "TIME", help: "Many traces: made before this time; default: now." },
  sample: { type: "string", value: "N", help: "Many traces: judge a sample of at most so many; default: 100000." },
  seed: { type: "string", value: "N", help: "Many traces: the same seed draws the same sample; default: 0." },
  "by-outcome": { type: "boolean", help: "Many traces: draw the same number of each outcome." },
  wait: {
    type: "string",
    value: "SECONDS",
    whenBare: "600",
    help: "Many traces: wait for the report, for at most this time; 600 seconds without a value.",
  },
} as const satisfies Options;

/** The options of every replay of traces. */
interface HowValues {
  readonly mode?: string;
  readonly "as-of"?: string;
}

/** How to replay, as requests have it. */
export function replayHow({ mode = "auto", "as-of": asOf = "trace" }: HowValues) {
  return {
    mode: replayModes[mode as keyof typeof replayModes], // checked against the choices
    asOf: replayTimes[asOf as keyof typeof replayTimes], // as above
  };
}

type ManyValues = HowValues & {
  readonly [Name in Exclude<keyof typeof manyOptions, "by-outcome"> | "env" | "org"]?: string;
} & { readonly "by-outcome"?: boolean };

/** Begins a replay by a document, and with `--wait` waits for its end. Returns whether outcomes change, or may. */
export async function replayMany(
  document: Value,
  { values, output, world }: { readonly values: ManyValues; readonly output: Output; readonly world: Surroundings },
): Promise<boolean> {
  const { project, env, agent, stage, outcome, since, until } = values;
  const waitSeconds = integerOf(values.wait, "wait", 1);
  const sample = {
    max: integerOf(values.sample, "sample", 1),
    seed: integerOf(values.seed, "seed", 0),
    method: values["by-outcome"] === true ? ReplaySampling.BY_OUTCOME : ReplaySampling.UNIFORM,
  };
  const filter = {
    ...measuredFilterOf(values),
    environment: env,
    agentId: agent,
    stage: numberOf<Stage>(StageSchema, stage, "stage"),
    outcome: numberOf<Outcome>(OutcomeSchema, outcome, "outcome"),
  };
  const window = { since: timeOf(since, "since"), until: timeOf(until, "until") };
  const server = await openOrganization(values, world);
  const projectId = project === undefined ? undefined : await projectIdOf(server, project);
  const { replay } = await server.replays.createReplay({
    ...{ orgId: server.orgId, document, sample, ...window, ...replayHow(values) },
    filter: { ...filter, projectId },
  });
  if (replay === undefined) throw refusal("no_answer", "the server answered without a replay");
  const read = async () =>
    (await server.replays.getReplay({ orgId: server.orgId, replayId: replay.id })).replay ?? replay;
  const path = "/v1/orgs/{org_id}/replays/{replay_id}";
  const last =
    waitSeconds === undefined ? replay : await waitForRun(read, { noun: "replay", seconds: waitSeconds, path });
  print(last, output);
  if (last.state === RunState.SUCCEEDED) await printResults(server, last.id, output);
  const changed = last.report?.changed;
  return (changed?.traces ?? 0) + (changed?.possible ?? 0) > 0;
}

function print(replay: Replay, output: Output): void {
  const { id, report, policy } = replay;
  output.json(resourceJson(ReplaySchema, replay));
  if (replay.state !== RunState.SUCCEEDED || report === undefined) {
    output.line(`replay ${id} by ${shown(policy ?? "")} has begun; --wait waits for its report`);
    return;
  }
  const { sampled, population = sampled, bounded } = report;
  output.line(`${counted(population, "trace")}, ${sampled} judged, ${bounded} of them without a certain outcome`);
  const rows = [
    ["changed", ...estimateCells(report.changed)],
    ["newly blocked", ...estimateCells(report.newlyBlocked)],
    ["newly allowed", ...estimateCells(report.newlyAllowed)],
  ];
  for (const line of columns(rows)) output.line(`  ${line}`);
  for (const { policy: name, ruleId, was, matches, newlyBlocked, newlyAllowed } of report.byRule) {
    const changes = `${newlyBlocked} newly blocked, ${newlyAllowed} newly allowed`;
    output.line(shown(`  ${name}/${ruleId}: matched ${was}, matches ${matches}; ${changes}`));
  }
  for (const line of marksLines(report.marks)) output.line(`  ${line}`);
  for (const { reason, traces } of report.reasons) output.line(`  not certain: ${reason} (${traces})`);
}

/** How the replay agrees with annotators: a line for each mark that was given. */
function marksLines(marks: ReplayMarks | undefined): string[] {
  const { falsePositives, falseNegatives, correct, acceptable, correctBlocks } = marks ?? {};
  const line = (name: string, counts: ReplayMarkCounts | undefined, agrees: string, disagrees: string) => {
    if (counts === undefined || counts.marked === 0) return [];
    const unknown = counts.unknown === 0 ? "" : `, ${counts.unknown} not certain`;
    return [`${name}: ${counts.agrees} ${agrees}, ${counts.disagrees} ${disagrees}${unknown}`];
  };
  return [
    ...line("marked false-positive", falsePositives, "gone", "stay"),
    ...line("marked false-negative", falseNegatives, "caught", "missed"),
    ...line("marked correct", correct, "as before", "otherwise"),
    ...line("marked acceptable", acceptable, "as before", "otherwise"),
    ...line("correct blocks", correctBlocks, "kept", "lost"),
  ];
}

/** Traces that are printed for people; the API has all that were kept. */
const maxPrinted = 20;

/** Prints the traces whose outcome is another one, or is not known. */
async function printResults(server: Organization, replayId: string, output: Output): Promise<void> {
  if (output.isJson) return;
  const { results, total } = await server.replays.listReplayResults({
    ...{ orgId: server.orgId, replayId, limit: maxPrinted },
  });
  const rows = results.map(({ traceId, was, outcomeRange, outcome, decidedByRule, reasons }) => {
    const [least, most] = [outcomeRange?.least, outcomeRange?.most].map(spelled);
    const is = outcome === undefined ? `${least} to ${most}` : spelled(outcome);
    return [traceId, `${spelled(was)} -> ${is}`, shown(decidedByRule ?? reasons.join(", "))];
  });
  for (const [index, line] of columns(rows).entries()) {
    output.line(line);
    for (const voice of results[index]?.backends ?? []) output.line(shown(`  ${voiceText(voice)}`));
  }
  if (total > results.length)
    output.line(`and ${total - results.length} more: GET /v1/orgs/{org_id}/replays/${replayId}/results`);
}

function spelled(outcome: Outcome | undefined): string {
  return outcome === undefined ? "?" : nameOf(outcomes, outcome);
}

function estimateCells(estimate: ReplayEstimate | undefined): string[] {
  const { traces = 0, possible = 0, estimate: all = traces, low = all, high = all } = estimate ?? {};
  const about =
    low === all && high === all ? "" : `about ${Math.round(all)} (${Math.floor(low)} to ${Math.ceil(high)})`;
  return [String(traces), possible === 0 ? "" : `and ${possible} perhaps`, about];
}
