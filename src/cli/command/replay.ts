import { fromJson } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { type TraceReplay, TraceReplaySchema } from "../../../gen/policyguard/control/v1/trace_replay_pb.ts";
import type { Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { nameOf, outcomes } from "../../../runtime/engine/policy/enum-names.ts";
import { canonicalPolicy } from "../../../runtime/engine/policy/parse.ts";
import { canonicalBytes, digestOf } from "../../kit/crypto/canonical.ts";
import { isUuid } from "../../kit/process/id.ts";
import { defineCommand, required, type Surroundings, type Values } from "../command.ts";
import { environmentOf, evaluatorOf, type JudgingFile } from "../evaluate.ts";
import { type ExitCode, exitCodes, refusal, usageFailure } from "../failure.ts";
import { columns, counted, type Output, shown } from "../output.ts";
import { findPolicyFiles, readPolicyFiles, requirePolicies } from "../policy-file.ts";
import { ReplayTally, replayLines } from "../replay-lines.ts";
import { manyOptions, replayHow, replayMany, replayModes, replayTimes } from "../replay-many.ts";
import { resourceJson } from "../resource-json.ts";
import { openOrganization, projectIdOf, serverOptions } from "../server.ts";
import { voiceText } from "../voice-text.ts";

/** Changes that are printed for people; --json has more. */
const maxPrinted = 20;

/** `policy-guard replay`: what a policy would have decided. */
export const replay = defineCommand({
  name: "replay",
  summary: "Show what a policy would have decided about a trace, about many of them, or about requests in a file.",
  positionals: { label: "[trace id|FILE]", min: 0, max: 1 },
  options: {
    ...serverOptions,
    policy: { type: "string", short: "p", value: "FILE", help: "The policy, or a folder of policies for a file." },
    before: { type: "string", value: "FILE", help: 'The policy that decided before; default: "outcome" of each line.' },
    mode: {
      type: "string",
      value: "MODE",
      choices: Object.keys(replayModes),
      help: "By what a trace is replayed; default: auto.",
    },
    "as-of": {
      type: "string",
      value: "TIME",
      choices: Object.keys(replayTimes),
      help: "When modes and exemptions of a trace's replay are judged; default: trace.",
    },
    env: {
      type: "string",
      value: "NAME",
      help: "Traces of this environment; of a file, its environment; default: the first that a policy names.",
    },
    ...manyOptions,
    upload: { type: "boolean", help: "Of a file: keep the counts on the server, without texts and ids." },
    "fail-on-change": { type: "boolean", help: "Exit with 1 when an outcome changes, or may change." },
  },
  notes: `A trace is replayed on the server, without its text where none was kept; nothing is enforced, recorded or counted. Without a
trace or a file, the traces of the last seven days are replayed there, as a run. A file has
a request as JSON in each line, in the form of the evaluate endpoints, with "stage" and "outcome" beside it, or exported traces
with their whole text. It is judged here: no text leaves this machine, and with --upload only names and digests of the
policies and the counts do.`,
  async run({ values, positionals: [subject], output, world }) {
    const files = readFiles(required(values.policy, "policy"));
    if (subject === undefined) {
      if (values.before !== undefined) throw usageFailure("--before is for files; traces know their outcomes");
      if (values.upload === true) throw usageFailure("--upload is for files; the server knows replays of traces");
      return ended(await replayMany(documentValue(onlyFile(files)), { values, output, world }), values);
    }
    for (const name of Object.keys(manyOptions) as (keyof typeof manyOptions)[]) // its own names
      if (values[name] !== undefined && !(name === "project" && values.upload === true))
        throw usageFailure(`--${name} is for replays of many traces; leave ${subject} out`);
    if (isUuid(subject)) {
      if (values.before !== undefined || values.env !== undefined || values.upload === true)
        throw usageFailure("--before, --env and --upload are for files; a trace knows its outcome and its environment");
      const server = await openOrganization(values, world);
      const { replay: result } = await server.traces.replayTrace({
        orgId: server.orgId,
        traceId: subject,
        document: documentValue(onlyFile(files)),
        ...replayHow(values),
      });
      if (result === undefined) throw refusal("no_answer", "the server answered without a result");
      printTrace(result, output);
      return ended(result.changed !== false, values);
    }
    if (values.mode !== undefined || values["as-of"] !== undefined)
      throw usageFailure("--mode and --as-of are for traces; requests in a file are judged by their text, now");
    const before = values.before === undefined ? undefined : readFiles(values.before);
    const tally = replayFile(subject, { files, before, env: values.env }, world.now());
    const id = values.upload === true ? await uploadTally(tally, files, { values, world }) : undefined;
    printTally(tally, output, id);
    return ended(tally.changed > 0, values);
  },
});

function readFiles(path: string): readonly JudgingFile[] {
  return requirePolicies(readPolicyFiles(findPolicyFiles([path]).files));
}

function onlyFile(files: readonly JudgingFile[]): JudgingFile {
  const [file] = files;
  if (file === undefined || files.length > 1) throw usageFailure("traces are replayed by one policy at a time");
  return file;
}

function documentValue({ policy }: JudgingFile): Value {
  return fromJson(ValueSchema, canonicalPolicy(policy));
}

function ended(isChanged: boolean, values: { readonly "fail-on-change"?: boolean }): ExitCode {
  return isChanged && values["fail-on-change"] === true ? exitCodes.refused : exitCodes.fine;
}

interface FileReplay {
  readonly files: readonly JudgingFile[];
  readonly before: readonly JudgingFile[] | undefined;
  readonly env: string | undefined;
}

function replayFile(path: string, { files, before, env }: FileReplay, now: Date): ReplayTally {
  const name = environmentOf(files, env);
  const judge = evaluatorOf(files, name, now);
  const judgeBefore = before && evaluatorOf(before, name, now);
  const tally = new ReplayTally();
  for (const line of replayLines(path)) {
    const was = judgeBefore === undefined ? line.outcome : judgeBefore(line.subject).response.outcome;
    if (was === undefined)
      throw usageFailure(
        `${path}:${line.number}: the line has no "outcome" to compare with`,
        "Name the policy that decided before with --before.",
      );
    tally.add(line, was, judge(line.subject));
  }
  return tally;
}

function printTrace(result: TraceReplay, output: Output): void {
  const { original, replayed, outcomeRange, reasons, rules } = result;
  const was = name(original?.outcome);
  const range = `${name(outcomeRange?.least)} to ${name(outcomeRange?.most)}`;
  output.line(
    result.outcome === undefined ? `${was} -> ${range}, which it is is not known` : `${was} -> ${name(result.outcome)}`,
  );
  if (replayed?.decidedByRule !== undefined)
    output.line(`by rule ${shown(replayed.decidedByRule)} of policy ${shown(replayed.decidedByPolicy ?? "")}`);
  if (reasons.length > 0) output.line(`because: ${reasons.join(", ")}`);
  const answers = ["", "yes", "no", "unknown"];
  const rows = rules.map((rule) => [
    shown(`${rule.policy}/${rule.ruleId}`),
    `was ${answers[rule.was] ?? ""}`,
    `is ${answers[rule.match] ?? ""}`,
    rule.reasons.join(", "),
  ]);
  for (const line of columns(rows)) output.line(`  ${line}`);
  for (const voice of result.backends) output.line(shown(`  ${voiceText(voice)}`));
  output.json(resourceJson(TraceReplaySchema, result));
}

function name(outcome: Outcome | undefined): string {
  return outcome === undefined ? "?" : nameOf(outcomes, outcome);
}

interface UploadValues extends Values<typeof serverOptions> {
  readonly project?: string;
  readonly env?: string;
}

/** Has the server keep what a replay of lines has come to. Returns the id of the replay there. */
async function uploadTally(
  { matrix }: ReplayTally,
  files: readonly JudgingFile[],
  { values, world }: { readonly values: UploadValues; readonly world: Surroundings },
): Promise<string> {
  if (matrix.length === 0) throw usageFailure("the file has no line, so there is nothing to upload");
  const server = await openOrganization(values, world);
  const { project, env } = values;
  const projectId = project === undefined ? undefined : await projectIdOf(server, project);
  const { replay: kept } = await server.replays.recordReplay({
    ...{ orgId: server.orgId, projectId, environment: projectId === undefined ? undefined : env },
    judges: files.map(({ policy }) => ({
      policy: policy.metadata.name,
      digest: digestOf(canonicalBytes(canonicalPolicy(policy))),
    })),
    pairs: matrix.map(({ was, is, lines }) => ({ was: outcomeOf(was), is: outcomeOf(is), requests: lines })),
  });
  if (kept === undefined) throw refusal("no_answer", "the server answered without a replay");
  return kept.id;
}

function outcomeOf(outcome: string): Outcome {
  return outcomes[outcome as keyof typeof outcomes]; // written by name()
}

function printTally(tally: ReplayTally, output: Output, keptAs: string | undefined): void {
  const { lines, changed, newlyBlocked, noLongerBlocked, matrix, changes } = tally;
  output.line(
    `${counted(lines, "line")}: ${changed} changed, ${newlyBlocked} newly blocked, ${noLongerBlocked} no longer`,
  );
  for (const line of columns(matrix.map(({ was, is, lines: count }) => [`${was} -> ${is}`, String(count)])))
    output.line(`  ${line}`);
  for (const { line, id, was, is } of changes.slice(0, maxPrinted))
    output.line(`line ${line}${id === null ? "" : ` (${shown(id)})`}: ${was} -> ${is}`);
  if (changed > maxPrinted) output.line(`and ${changed - maxPrinted} more; --json lists up to 1,000`);
  if (keptAs !== undefined) output.line(`kept as replay ${keptAs}`);
  const counts = { lines, changed, newly_blocked: newlyBlocked, no_longer_blocked: noLongerBlocked };
  output.json({ ...counts, matrix, changes, replay_id: keptAs ?? null });
}
