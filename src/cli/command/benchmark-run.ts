import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import {
  type Benchmark,
  BenchmarkSchema,
  type BenchmarkTargetSchema,
} from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import type { CreateBenchmarkRequestSchema } from "../../../gen/policyguard/control/v1/benchmark_service_pb.ts";
import { DatasetSplit } from "../../../gen/policyguard/control/v1/dataset_pb.ts";
import { type Outcome, OutcomeSchema } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { targetText } from "../../kit/report/benchmark-facts.ts";
import { renderReport } from "../../kit/report/benchmark-format.ts";
import { unmetText } from "../../kit/report/benchmark-requirement.ts";
import { printBenchmark, targetOf } from "../benchmark/benchmark.ts";
import { type Judge, judgeOptions, readJudges } from "../benchmark/judge.ts";
import { askJudges, newSeat, type Seat } from "../benchmark/judge-samples.ts";
import { sendPredictions } from "../benchmark/prediction-upload.ts";
import { requirementOptions, requirementsOf } from "../benchmark/requirement.ts";
import { type JudgedBenchmark, judgedJson, printSides, sideRows } from "../benchmark/side-by-side.ts";
import { type Call, defineCommand, integerOf, listOf, type Values } from "../command.ts";
import { datasetIdOf } from "../dataset.ts";
import { exitCodes, refusal, usageFailure } from "../failure.ts";
import { replaceFile } from "../file.ts";
import { readReportFacts, wantedReports } from "../report/benchmark-report.ts";
import { resourceJson } from "../resource-json.ts";
import { waitForRun } from "../run-wait.ts";
import { type Organization, openOrganization, projectIdOf, serverOptions } from "../server.ts";
import { numberOf } from "../trace-filter.ts";

const options = {
  ...serverOptions,
  target: {
    type: "string",
    value: "TARGET",
    help: "What is measured: file:PATH, policy:NAME[@V], bundle:PROJECT/ENV[@V], detector:NAME or predictions:NAME[@V].",
  },
  predictions: {
    type: "string",
    value: "FILE",
    help: "With a target predictions:NAME: what it says of the samples, as JSONL.",
  },
  ...judgeOptions,
  version: { type: "string", value: "N", help: "The version of the dataset; default: the newest." },
  positive: { type: "string", value: "LABELS", help: "Labels that are to be found, separated by commas." },
  "outcome-at-least": { type: "string", value: "OUTCOME", help: "From this outcome on a sample counts as found." },
  map: { type: "string", value: "LABEL=CATEGORY", help: "Categories by label, separated by commas." },
  split: { type: "string", value: "PART", choices: ["train", "dev", "test"], help: "Only samples of this part." },
  project: { type: "string", value: "ID|NAME", help: "Where the policy applies: the project." },
  env: { type: "string", value: "NAME", help: "Where the policy applies: the environment." },
  seed: { type: "string", value: "N", help: "What chance depends on; default: 0." },
  ...requirementOptions,
  report: {
    type: "string",
    value: "FORMAT:FILE",
    help: "Reports to write, separated by commas: csv, junit, sarif or markdown.",
  },
  wait: { type: "string", value: "SECONDS", help: "How long to wait for the report; default: 600." },
} as const;

/** `policy-guard benchmark run`: measures a guard on a dataset, alone or beside others. */
export const benchmarkRun = defineCommand({
  name: "benchmark run",
  summary: "Measure a policy, a bundle, a detector or another product on a dataset.",
  positionals: { label: "<dataset>", min: 1, max: 1 },
  options,
  notes: `The dataset is given by its name or its id. The benchmark runs on the server. Requirements are held against the wider bound, so
that luck does not pass: a requirement that is not met ends with 1.
Judges are asked from here, so that texts go to them and not through the server; only what they say is uploaded. Each is
compared with the target, or with the first judge when there is none. One that never answers ends with 3.`,
  async run({ values, positionals: [dataset = ""], output, world }) {
    const required = requirementsOf(values);
    const reports = wantedReports(values.report);
    const judges = readJudges(values, world.env);
    checkCombination(values, judges);
    const server = await openOrganization(values, world);
    const begun = await beginAll(server, await questionOf(server, dataset, values), { values, judges, world, output });
    const wait = integerOf(values.wait, "wait", 1) ?? 600;
    const target = begun.target && (await ended(server, begun.target, wait));
    const ofJudges: Benchmark[] = [];
    for (const { benchmark } of begun.seats) ofJudges.push(await ended(server, benchmark, wait));
    const benchmark = target ?? ofJudges[0];
    if (benchmark === undefined) throw new Error("nothing is measured");
    const judged = await compared(server, benchmark, { seats: begun.seats, ofJudges });
    const requirements = required(benchmark);
    const unmet = requirements.filter(({ isMet }) => !isMet).map(unmetText);
    const name = target === undefined ? (begun.seats[0]?.judge.key ?? "") : targetText(target.target);
    const sides = judged.length === 0 ? [] : sideRows({ name, benchmark }, judged);
    const facts = reports.length === 0 ? undefined : await readReportFacts(server, benchmark, requirements, sides);
    for (const { format, path } of reports) if (facts !== undefined) replaceFile(path, renderReport(format, facts));
    const told: JsonObject = { ...resourceJson(BenchmarkSchema, benchmark), unmet };
    output.json(judges.length === 0 ? told : { ...told, judges: judged.map(judgedJson) });
    printBenchmark(benchmark, output);
    if (sides.length > 0) printSides(sides, judged, output);
    for (const each of unmet) output.line(`not met: ${each}`);
    if (unmet.length > 0) return exitCodes.refused;
    return judged.some(({ seat }) => isSilent(seat)) ? exitCodes.server : exitCodes.fine;
  },
});

/** What all benchmarks of a call have in common. */
type Question = Omit<MessageInitShape<typeof CreateBenchmarkRequestSchema>, "$typeName" | "target">;

interface Begun {
  readonly target: Benchmark | undefined;
  readonly seats: readonly Seat[];
}

function checkCombination({ target, predictions, map }: Values<typeof options>, judges: readonly Judge[]): void {
  if (target === undefined && judges.length === 0)
    throw usageFailure("--target says what is measured, or --judge who is asked");
  if ((target?.startsWith("predictions:") === true) !== (predictions !== undefined))
    throw usageFailure("--predictions and a target predictions:NAME belong together");
  const unmapped = judges.find(({ categories }) => categories === undefined);
  if (map === undefined || unmapped === undefined) return;
  const hint = "Give `categories` in a file of --judges, such as {INJECTION: injection}.";
  throw usageFailure(`--map compares categories, and nothing says what the labels of ${unmapped.key} mean`, hint);
}

async function questionOf(server: Organization, dataset: string, values: Values<typeof options>): Promise<Question> {
  return {
    ...{ orgId: server.orgId, datasetId: await datasetIdOf(server, dataset) },
    ...{ version: integerOf(values.version, "version", 1), seed: integerOf(values.seed, "seed", 0) },
    positive: {
      labels: listOf(values.positive),
      outcomeAtLeast: numberOf<Outcome>(OutcomeSchema, values["outcome-at-least"], "outcome-at-least"),
    },
    labelMap: mapOf(values.map),
    filter: { split: splits[values.split ?? ""] },
    scope: {
      projectId: values.project === undefined ? undefined : await projectIdOf(server, values.project),
      environment: values.env,
    },
  };
}

/** Begins all benchmarks, on one version of the dataset. When one cannot, none is left behind. */
async function beginAll(
  server: Organization,
  question: Question,
  {
    values,
    judges,
    world,
    output,
  }: { readonly values: Values<typeof options>; readonly judges: readonly Judge[] } & Pick<
    Call<typeof options>,
    "world" | "output"
  >,
): Promise<Begun> {
  const all: Benchmark[] = [];
  const begin = async (target: MessageInitShape<typeof BenchmarkTargetSchema>) => {
    const version = all[0]?.version ?? question.version;
    const { benchmark } = await server.benchmarks.createBenchmark({ ...question, version, target });
    if (benchmark === undefined) throw refusal("no_answer", "the server answered without a benchmark");
    all.push(benchmark);
    return benchmark;
  };
  try {
    const target = values.target === undefined ? undefined : await begin(await targetOf(server, values.target));
    const seats: Seat[] = [];
    for (const judge of judges) seats.push(newSeat(judge, await begin({ predictions: { name: judge.key } })));
    if (values.predictions !== undefined && target !== undefined)
      await sendPredictions(server, target.id, values.predictions, { output, stdin: world.stdin });
    const [first] = all;
    if (seats.length > 0 && first !== undefined) {
      const { datasetId, version } = first;
      await askJudges(server, seats, { datasetId, version, split: splits[values.split ?? ""] }, world.env);
    }
    return { target, seats };
  } catch (error) {
    const { orgId } = server;
    for (const { id: benchmarkId } of all) {
      // The first failure is the one to tell; what cannot be canceled either is canceled after a day.
      await server.benchmarks.cancelBenchmark({ orgId, benchmarkId }).catch(() => undefined);
    }
    throw error;
  }
}

function ended({ benchmarks, orgId }: Organization, begun: Benchmark, seconds: number): Promise<Benchmark> {
  const read = async () => (await benchmarks.getBenchmark({ orgId, benchmarkId: begun.id })).benchmark ?? begun;
  return waitForRun(read, { noun: "benchmark", seconds, path: "/v1/orgs/{org_id}/benchmarks/{benchmark_id}" });
}

/** The judges' benchmarks, each compared with the first one. */
async function compared(
  { benchmarks, orgId }: Organization,
  first: Benchmark,
  { seats, ofJudges }: { readonly seats: readonly Seat[]; readonly ofJudges: readonly Benchmark[] },
): Promise<JudgedBenchmark[]> {
  const judged: JudgedBenchmark[] = [];
  for (const [at, benchmark] of ofJudges.entries()) {
    const seat = seats[at];
    if (seat === undefined) continue;
    const { comparison } =
      benchmark.id === first.id
        ? {}
        : await benchmarks.compareBenchmarks({ orgId, benchmarkId: benchmark.id, with: first.id });
    judged.push({ seat, benchmark, comparison });
  }
  return judged;
}

/** Whether a judge was asked, and never answered. */
function isSilent({ answered, unanswered }: Seat): boolean {
  return answered === 0 && [...unanswered.keys()].some((why) => why !== "no_text");
}

const splits: Readonly<Record<string, DatasetSplit>> = {
  train: DatasetSplit.TRAIN,
  dev: DatasetSplit.DEV,
  test: DatasetSplit.TEST,
};

function mapOf(text: string | undefined): Record<string, string> {
  return Object.fromEntries(
    listOf(text).map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw usageFailure(`--map takes LABEL=CATEGORY, not "${pair}"`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
