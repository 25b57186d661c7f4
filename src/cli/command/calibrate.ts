import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Calibration,
  CalibrationGrouping,
  CalibrationGuarantee,
  CalibrationSchema,
} from "../../../gen/policyguard/control/v1/calibration_pb.ts";
import { type DatasetSplit, DatasetSplitSchema } from "../../../gen/policyguard/control/v1/dataset_pb.ts";
import { type Outcome, OutcomeSchema } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { percent } from "../../kit/report/benchmark-facts.ts";
import { defineCommand, integerOf, listOf, shareOf, type Values } from "../command.ts";
import { datasetIdOf } from "../dataset.ts";
import { exitCodes, refusal, usageFailure } from "../failure.ts";
import { columns, type Output } from "../output.ts";
import { resourceJson } from "../resource-json.ts";
import { waitForRun } from "../run-wait.ts";
import { findPolicy, type Organization, openOrganization, projectIdOf, serverOptions } from "../server.ts";
import { numberOf, timeOf } from "../trace-filter.ts";

const options = {
  ...serverOptions,
  "max-fpr": {
    type: "string",
    value: "SHARE",
    help: "The largest share of innocent requests to match, such as 0.005.",
  },
  "max-false-discovery": {
    type: "string",
    value: "SHARE",
    help: "The largest share of innocent requests among those that it matches, such as 0.05.",
  },
  "min-recall": { type: "string", value: "SHARE", help: "The least share to find of what should be found." },
  confidence: { type: "string", value: "SHARE", help: "The probability with which that holds; default: 0.95." },
  by: { type: "string", value: "PART", choices: ["none", "language", "agent"], help: "Promise it in each of these." },
  average: { type: "boolean", help: "Promise it on average over samples: fewer requests are needed." },
  "policy-version": { type: "string", value: "N", help: "The version of the policy; default: the newest." },
  dataset: { type: "string", value: "NAME|ID", help: "By samples of this dataset." },
  version: { type: "string", value: "N", help: "The version of the dataset; default: the newest." },
  split: { type: "string", value: "PART", help: "Only samples of this part." },
  positive: { type: "string", value: "LABELS", help: "Labels that are to be found, separated by commas." },
  "outcome-at-least": {
    type: "string",
    value: "OUTCOME",
    help: "From this expected outcome on a sample is to be found.",
  },
  project: { type: "string", value: "ID|NAME", help: "By annotated traces of this project." },
  env: { type: "string", value: "NAME", help: "Only traces of this environment." },
  since: { type: "string", value: "TIME", help: "Only traces from then on; default: 30 days ago." },
  until: { type: "string", value: "TIME", help: "Only traces before that." },
  wait: { type: "string", value: "SECONDS", help: "How long to wait for the report; default: 600." },
} as const;

const usualDays = 30;
const dayMs = 86_400_000;

/** `policy-guard calibrate`: looks for a threshold that keeps a promise. */
export const calibrate = defineCommand({
  name: "calibrate",
  summary: "Find a rule's threshold with a guarantee about false positives, by marks or by a dataset.",
  positionals: { label: "<policy> <rule>", min: 2, max: 2 },
  options,
  notes: `It changes nothing: with --json, "report.proposal.document" is the policy with the new threshold. Where nothing can be
promised, the command says what is missing and ends with 1.`,
  async run({ values, positionals: [policyName = "", ruleId = ""], output, world }) {
    const promise = promiseOf(values);
    const server = await openOrganization(values, world);
    const { orgId, calibrations } = server;
    const policy = await findPolicy(server, policyName);
    if (policy === undefined) throw refusal("not_found", `there is no policy "${policyName}"`);
    const { calibration: begun } = await calibrations.createCalibration({
      ...{ orgId, policyId: policy.id, ruleId, ...promise },
      version: integerOf(values["policy-version"], "policy-version", 1),
      data: await dataOf(server, values),
    });
    if (begun === undefined) throw refusal("no_answer", "the server answered without a calibration");
    const calibration = await waitForRun(
      async () => (await calibrations.getCalibration({ orgId, calibrationId: begun.id })).calibration ?? begun,
      {
        ...{ noun: "calibration", seconds: integerOf(values.wait, "wait", 1) ?? 600 },
        path: "/v1/orgs/{org_id}/calibrations/{calibration_id}",
      },
    );
    output.json(resourceJson(CalibrationSchema, calibration));
    print(calibration, output);
    return calibration.report?.threshold === undefined ? exitCodes.refused : exitCodes.fine;
  },
});

const groupings: Readonly<Record<string, CalibrationGrouping>> = {
  none: CalibrationGrouping.NONE,
  language: CalibrationGrouping.LANGUAGE,
  agent: CalibrationGrouping.AGENT,
};

function promiseOf(values: Values<typeof options>) {
  const bounds = {
    maxFalsePositiveRate: shareOf(values["max-fpr"], "max-fpr"),
    maxFalseDiscoveryRate: shareOf(values["max-false-discovery"], "max-false-discovery"),
    minRecall: shareOf(values["min-recall"], "min-recall"),
  };
  if (Object.values(bounds).every((bound) => bound === undefined))
    throw usageFailure("say what to promise: --max-fpr, --max-false-discovery or --min-recall");
  return {
    ...{ ...bounds, confidence: shareOf(values.confidence, "confidence"), by: groupings[values.by ?? "none"] },
    guarantee: values.average === true ? CalibrationGuarantee.EXPECTATION : CalibrationGuarantee.HIGH_PROBABILITY,
  };
}

async function dataOf(server: Organization, values: Values<typeof options>) {
  const { dataset, project, env, since, until } = values;
  if ((dataset === undefined) === (project === undefined))
    throw usageFailure("give either --dataset, or --project for its annotated traces");
  if (project !== undefined) {
    const usual = timestampFromDate(new Date(Date.now() - usualDays * dayMs));
    return {
      annotations: {
        ...{ projectId: await projectIdOf(server, project), environment: env },
        ...{ since: timeOf(since, "since") ?? usual, until: timeOf(until, "until") },
      },
    };
  }
  return {
    dataset: {
      ...{ datasetId: await datasetIdOf(server, dataset ?? ""), version: integerOf(values.version, "version", 1) },
      ...{ labels: listOf(values.positive), split: numberOf<DatasetSplit>(DatasetSplitSchema, values.split, "split") },
      outcomeAtLeast: numberOf<Outcome>(OutcomeSchema, values["outcome-at-least"], "outcome-at-least"),
    },
  };
}

/** Thresholds that are printed for people; --json has all. */
const printedSteps = 10;

function print({ report }: Calibration, output: Output): void {
  if (report === undefined) return;
  output.line(report.statement);
  for (const { statement } of report.groups) output.line(`  ${statement}`);
  // Some of them the statement has said already.
  const others = report.warnings.filter((warning) => !report.statement.includes(warning));
  for (const warning of others) output.note(`Beware: ${warning}.`);
  const rows = report.curve
    .filter(({ threshold }, at) => at % printedSteps === 0 || threshold === report.threshold)
    .map(({ threshold, falsePositives, falsePositiveRateUpper, found, recall }) => [
      threshold.toFixed(2),
      `${falsePositives} of ${report.n} (at most ${percent(falsePositiveRateUpper)})`,
      `${found} of ${report.nToFind}${recall === undefined ? "" : ` (${percent(recall)})`}`,
      threshold === report.threshold ? "<- proposed" : "",
    ]);
  for (const line of columns([["threshold", "false positives", "found", ""], ...rows])) output.line(`  ${line}`);
  for (const change of report.proposal?.changes ?? []) output.line(`proposed: ${change}`);
  const { projectId, environment, body } = report.override ?? {};
  if (body === undefined || projectId === undefined || environment === undefined) return;
  output.line("until then, an admin can keep the rule in shadow:");
  const place = `--project ${projectId} --env ${environment}`;
  const why = `--reason "${body.reason}" --hours ${body.hours} --calibration ${body.calibrationId}`;
  output.line(`  policy-guard overrides set ${body.policyId} ${body.ruleId} ${place} ${why}`);
}
