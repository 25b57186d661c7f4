import { BenchmarkSchema } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { DatasetSplit } from "../../../gen/policyguard/control/v1/dataset_pb.ts";
import { type Outcome, OutcomeSchema } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { printBenchmark, targetOf } from "../benchmark.ts";
import { requirementOptions, requirementsOf, unmetText } from "../benchmark-requirement.ts";
import { defineCommand, integerOf, listOf } from "../command.ts";
import { datasetIdOf } from "../dataset.ts";
import { exitCodes, refusal, usageFailure } from "../failure.ts";
import { replaceFile } from "../file.ts";
import { renderReport, wantedReports } from "../report/benchmark-format.ts";
import { readReportFacts } from "../report/benchmark-report.ts";
import { resourceJson } from "../resource-json.ts";
import { waitForRun } from "../run-wait.ts";
import { openOrganization, projectIdOf, serverOptions } from "../server.ts";
import { numberOf } from "../trace-filter.ts";

const options = {
  ...serverOptions,
  target: {
    type: "string",
    value: "TARGET",
    help: "What is measured: file:PATH, policy:NAME[@V], bundle:PROJECT/ENV[@V] or detector:NAME.",
  },
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
    help: "Reports to write, separated by commas: junit, sarif or markdown.",
  },
  wait: { type: "string", value: "SECONDS", help: "How long to wait for the report; default: 600." },
} as const;

/** `policy-guard benchmark run`: measures a guard on a dataset. */
export const benchmarkRun = defineCommand({
  name: "benchmark run",
  summary: "Measure a policy, a bundle or a detector on a dataset.",
  positionals: { label: "<dataset>", min: 1, max: 1 },
  options,
  notes: `The dataset is given by its name or its id. The benchmark runs on the server. Requirements are held against the wider bound, so
that luck does not pass: a requirement that is not met ends with 1.`,
  async run({ values, positionals: [dataset = ""], output, world }) {
    const required = requirementsOf(values);
    const reports = wantedReports(values.report);
    if (values.target === undefined) throw usageFailure("--target says what is measured");
    const server = await openOrganization(values, world);
    const { orgId } = server;
    const { benchmark: begun } = await server.benchmarks.createBenchmark({
      ...{ orgId, datasetId: await datasetIdOf(server, dataset), target: await targetOf(server, values.target) },
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
    });
    if (begun === undefined) throw refusal("no_answer", "the server answered without a benchmark");
    const benchmark = await waitForRun(
      async () => (await server.benchmarks.getBenchmark({ orgId, benchmarkId: begun.id })).benchmark ?? begun,
      {
        ...{ noun: "benchmark", seconds: integerOf(values.wait, "wait", 1) ?? 600 },
        path: "/v1/orgs/{org_id}/benchmarks/{benchmark_id}",
      },
    );
    const requirements = required(benchmark);
    const unmet = requirements.filter(({ isMet }) => !isMet).map(unmetText);
    const facts = reports.length === 0 ? undefined : await readReportFacts(server, benchmark, requirements);
    for (const { format, path } of reports) if (facts !== undefined) replaceFile(path, renderReport(format, facts));
    output.json({ ...resourceJson(BenchmarkSchema, benchmark), unmet });
    printBenchmark(benchmark, output);
    for (const each of unmet) output.line(`not met: ${each}`);
    return unmet.length === 0 ? exitCodes.fine : exitCodes.refused;
  },
});

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
