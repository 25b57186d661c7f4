// The work of a calibration: traces or samples are scored page by page, and a threshold is looked for when all are.

import { createHash } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../../kit/fault/fault.ts";
import { BoundedCache } from "../../../kit/process/bounded-cache.ts";
import type { Database } from "../../../store/connection/database.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import { readJudgedUnits } from "../../../store/measure/annotation/annotation-quality.ts";
import { readSampledVerdicts } from "../../../store/measure/annotation/annotation-verdict.ts";
import { addBenchmarkResults } from "../../../store/measure/benchmark/benchmark-result.ts";
import { findDataset } from "../../../store/measure/dataset/dataset.ts";
import { countRunsAbout } from "../../../store/run/run.ts";
import { readTraces } from "../../../store/telemetry/trace-query.ts";
import type { Analysis } from "../../analysis/analysis.ts";
import type { ProbedRule } from "../../analysis/calibration/probe-rule.ts";
import type { PolicyTarget } from "../../analysis/replay-trace.ts";
import { listTexts } from "../../playground/playground.ts";
import { PolicyFinder } from "../../playground/selection.ts";
import { enabledSchemas } from "../../policy/output-schema.ts";
import { nextPace } from "../../run/pace.ts";
import type { RunAtWork, RunKind, StepResult } from "../../run/run-worker.ts";
import type { TextSeals } from "../../sealed-text.ts";
import { serviceCaller } from "../../service-caller.ts";
import { type Agreement, agreementOf } from "../../telemetry/analytics-quality.ts";
import { allFacts } from "../benchmark/benchmark-fact.ts";
import { readVersion } from "../dataset/dataset-sample.ts";
import { type CalibrationFact, estimate } from "./calibration-estimate.ts";
import { labelOfSample, labelOfTrace } from "./calibration-label.ts";
import { overrideOf } from "./calibration-override.ts";
import {
  type CalibrationProgress,
  type CalibrationSource,
  type CalibrationSpec,
  calibrationProgressOf,
  calibrationSpecOf,
} from "./calibration-spec.ts";
import { groupStatementOf, statementOf } from "./calibration-statement.ts";

/** Traces or samples that one step judges. */
const paceLimits = { first: 100, min: 10, max: 1_000 };
/** Bytes after which a step takes on no more of them. */
const maxStepBytes = 8 << 20;
/** Rules that are kept between steps: a worker works on two runs at once. */
const maxRules = 4;
/** Traces that several annotators marked, of which agreement is told: the newest. */
const maxJudgedUnits = 5_000;
/** Days in which other calibrations of the rule weaken what this one promises. */
const repeatedDays = 30;
const dayMs = 86_400_000;

/** What calibrations work with. */
export interface CalibrationRunParts {
  readonly database: Database;
  readonly seals: TextSeals;
  readonly analysis: Analysis;
}

/** The rule at work. */
interface RuleAtWork extends ProbedRule {
  readonly target: PolicyTarget;
  /** The policy as it is stored. */
  readonly document: JsonObject;
}

/** What a step has judged. */
interface Judged {
  readonly facts: readonly CalibrationFact[];
  /** The last of them; undefined when there was nothing left. */
  readonly last: string | undefined;
  readonly trained: number;
}

/** Calibrations, as runs. The cursor is the last trace or sample that was judged. */
export class CalibrationRun implements RunKind {
  readonly #database: Database;
  readonly #seals: TextSeals;
  readonly #analysis: Analysis;
  readonly #finder: PolicyFinder;
  readonly #rules = new BoundedCache<string, RuleAtWork>({ maxEntries: maxRules });
  readonly #paces = new BoundedCache<string, number>({ maxEntries: maxRules });

  constructor({ database, seals, analysis }: CalibrationRunParts) {
    this.#database = database;
    this.#seals = seals;
    this.#analysis = analysis;
    this.#finder = new PolicyFinder(database);
  }

  async prepare(run: RunAtWork): Promise<(tx: Transaction) => Promise<StepResult>> {
    const spec = calibrationSpecOf(run.spec);
    const progress = calibrationProgressOf(run.report);
    const rule = this.#rules.get(run.id) ?? (await this.#rule(run, spec));
    this.#rules.set(run.id, rule);
    const pace = this.#paces.get(run.id) ?? paceLimits.first;
    const beganMs = performance.now();
    const judged = await this.#judge(run, { spec, rule, pace });
    this.#paces.set(run.id, nextPace(pace, performance.now() - beganMs, paceLimits));
    const { facts, last, trained } = judged;
    if (last === undefined) return this.#finish(run, { spec, rule, progress });
    const grown = { ...progress, trainingOverlap: progress.trainingOverlap + trained };
    return async (tx) => {
      const rows = facts.map((fact) => ({ sampleId: fact.id, fact: JSON.stringify(fact) }));
      await addBenchmarkResults(
        tx,
        run.id,
        rows.map((row) => ({ ...row, verdict: "", hasWrongSpans: false })),
      );
      return { cursor: last, done: run.done + facts.length, total: run.total, report: plain(grown), isLast: false };
    };
  }

  async #rule({ orgId, id, spec: kept }: RunAtWork, spec: CalibrationSpec): Promise<RuleAtWork> {
    const { policyId, version, ruleId, source } = calibrationSpecOf(kept);
    const caller = serviceCaller(orgId, { action: "calibration.work", requestId: id, address: "" });
    const [selected] = await this.#finder.find(caller, { policyId, version });
    if (selected === undefined) throw new Error("a policy selects one policy");
    const document = (await selected.document()) as JsonObject; // a stored document is an object
    const rule = await this.#analysis.run("probeRule", { document, ruleId }, { orgId });
    const { scope } = selected;
    const projectId = projectOf(source) ?? (scope.appId === "*" ? "" : scope.appId);
    const around = await this.#database.read(orgId, async (tx) => ({
      lists: await listTexts(tx, projectId),
      schemas: await enabledSchemas(tx),
    }));
    const environment = "annotations" in spec.source ? spec.source.annotations.environment : undefined;
    const target = { ...around, document: rule.probe, policyId, version, scope, environment, projectId };
    return { ...rule, target, document };
  }

  #judge(run: RunAtWork, step: Step): Promise<Judged> {
    return "annotations" in step.spec.source
      ? this.#judgeTraces(run, step, step.spec.source.annotations)
      : this.#judgeSamples(run, step, step.spec.source.dataset);
  }

  async #judgeTraces(
    { orgId, id: runId, cursor }: RunAtWork,
    { spec: { ruleId }, rule, pace }: Step,
    { projectId, environment, since, until }: Annotations,
  ): Promise<Judged> {
    const filter = {
      ...{ projectId, environment, policy: rule.policy, ruleId },
      ...{ since: new Date(since), until: new Date(until) },
    };
    const { verdicts, traces } = await this.#database.read(orgId, async (tx) => {
      const page = await readSampledVerdicts(tx, filter, { after: cursor || undefined, limit: pace });
      const positions = page.map(({ traceId, createdAt }) => ({ id: traceId, createdAt }));
      return { verdicts: page, traces: await readTraces(tx, positions) };
    });
    const asked = traces
      .filter(({ erasedAt }) => erasedAt === null)
      .map(({ id, createdAt, record }) => ({ id, createdMs: createdAt.getTime(), record }));
    const { target, stages, detector } = rule;
    const scores = await this.#analysis.run(
      "scoreTraces",
      { target, ruleId, stages, detector, traces: asked },
      { orgId },
    );
    const byId = new Map(scores.map((score) => [score.id, score]));
    const facts = verdicts.map((verdict): CalibrationFact => {
      const score = byId.get(verdict.traceId);
      return {
        ...{ id: verdict.traceId, group: groupOf(runId, score?.sessionId ?? null), probability: verdict.probability },
        ...labelOfTrace(verdict, score?.hasFinding === true),
        ...{ language: score?.language ?? null, agent: score?.agent ?? null },
        // What was erased, or has reached the end of its time, has no score anymore.
        score: score?.score ?? "unjudged",
      };
    });
    return { facts, last: verdicts.at(-1)?.traceId, trained: 0 };
  }

  async #judgeSamples(
    run: RunAtWork,
    { spec: { ruleId }, rule, pace }: Step,
    { datasetId, version, split, labels, outcomeAtLeast }: DatasetPart,
  ): Promise<Judged> {
    const { orgId, id: runId, cursor, createdAt } = run;
    const found = await this.#database.read(orgId, async (tx) => {
      if ((await findDataset(tx, datasetId)) === null)
        throw new Fault(Reason.NOT_FOUND, "the dataset was deleted while the calibration worked");
      const of = { seals: this.#seals, datasetId, filter: { version, split } };
      return readVersion(tx, of, { limit: pace, after: cursor || undefined });
    });
    let bytes = 0;
    const samples = found.filter(({ row }, at) => {
      bytes += row.sizeBytes;
      return at === 0 || bytes <= maxStepBytes;
    });
    const { target, stages, detector, policy } = rule;
    const question = {
      ...{ target, ruleId, stages, detector, nowMs: createdAt.getTime() },
      samples: samples.map(({ row, content: { text, segments, toolCalls, stage, language } }) => ({
        ...{ id: row.sampleId, content: { text, segments, toolCalls, stage, language } },
      })),
    };
    const scores = await this.#analysis.run("scoreSamples", question, { orgId });
    const positive = { labels, outcomeAtLeast, labelMap: {} };
    const facts = samples.map(({ row, content }, at): CalibrationFact => {
      const label = labelOfSample(content, { policy, ruleId }, positive);
      const score = scores[at]?.score ?? "unjudged";
      const { language, group } = content;
      const about = { id: row.sampleId, group: groupOf(runId, group), probability: 1, language, agent: null };
      return { ...about, ...label, score };
    });
    const trained = samples.filter(({ row }) => row.trainedOn).length;
    return { facts, last: samples.at(-1)?.row.sampleId, trained };
  }

  async #finish(
    run: RunAtWork,
    { spec, rule, progress }: Pick<Step, "spec" | "rule"> & { readonly progress: CalibrationProgress },
  ): Promise<(tx: Transaction) => Promise<StepResult>> {
    const { orgId, done } = run;
    const { ruleId, promise, source, policyId } = spec;
    const [lines = []] = await allFacts(this.#database, { orgId, runIds: [run.id] });
    const facts = lines.map((fact) => JSON.parse(fact) as CalibrationFact);
    const found = estimate(facts, promise, run.id);
    const { threshold } = found;
    const { document, detector, threshold: currentThreshold, policy } = rule;
    const proposal =
      threshold === null || threshold === currentThreshold
        ? null
        : await this.#analysis.run("proposeThreshold", { document, ruleId, threshold }, { orgId });
    const since = new Date(run.createdAt.getTime() - repeatedDays * dayMs);
    const subject = { policy, ruleId, source, promise };
    return async (tx) => {
      const about = { kind: "calibration", specPart: { policyId, ruleId }, since, until: run.createdAt };
      const others = (await countRunsAbout(tx, about)) - 1;
      const agreement = await agreementAbout(tx, { policy, ruleId, source });
      const warnings = warningsOf(found.excluded, { ...progress, facts: facts.length });
      // What is said of a promise goes along with it, wherever it is quoted.
      const caveats = [...poorAgreement(agreement), ...repeated(others)];
      const statement = [statementOf(subject, found), ...caveats.map((each) => `But ${each}.`)].join(" ");
      const result = {
        ...{ ...found, currentThreshold, detector, proposal, statement },
        ...{ warnings: [...warnings, ...caveats], agreement: agreement ?? null },
        groups: found.groups.map((group) => ({ ...group, statement: groupStatementOf(subject, group) })),
        override: overrideOf(spec, found, currentThreshold),
      };
      const report = plain({ ...progress, result });
      return { cursor: `${run.cursor}/estimated`, done, total: done, report, isLast: true };
    };
  }
}

type Annotations = Extract<CalibrationSource, { annotations: unknown }>["annotations"];
type DatasetPart = Extract<CalibrationSource, { dataset: unknown }>["dataset"];

interface Step {
  readonly spec: CalibrationSpec;
  readonly rule: RuleAtWork;
  readonly pace: number;
}

function projectOf(source: CalibrationSource): string | undefined {
  return "annotations" in source ? source.annotations.projectId : undefined;
}

/** A group without its name: what it is called is nobody's business here. */
function groupOf(runId: string, name: string | null): string | null {
  return name === null ? null : createHash("sha256").update(`${runId}/${name}`).digest("hex").slice(0, 16);
}

/** What weakens the promise, as far as it is known. */
function warningsOf(
  { disputed, unjudged }: { readonly disputed: number; readonly unjudged: number },
  of: { readonly trainingOverlap: number; readonly facts: number },
): string[] {
  return [
    ...(of.trainingOverlap > 0
      ? [`the built-in detectors were trained on ${of.trainingOverlap} of ${of.facts} samples; their scores flatter`]
      : []),
    ...(disputed * 20 > of.facts
      ? [`annotators disagree about ${disputed} of ${of.facts}; those do not count, and may be the difficult ones`]
      : []),
    ...(unjudged * 20 > of.facts
      ? [`the scores of ${unjudged} of ${of.facts} are not known; those do not count, and may be of another kind`]
      : []),
  ];
}

/** Whoever calibrates again until the answer is welcome has another question. */
function repeated(others: number): string[] {
  if (others === 0) return [];
  const times = others === 1 ? "once" : `${others} times`;
  const why = "whoever takes the best of several takes their risks together";
  return [`the rule was calibrated ${times} before within ${repeatedDays} days: ${why}`];
}

/** How well annotators agree about the rule, where they do. */
async function agreementAbout(
  tx: Transaction,
  { policy, ruleId, source }: { readonly policy: string; readonly ruleId: string; readonly source: CalibrationSource },
): Promise<Agreement | undefined> {
  if (!("annotations" in source)) return undefined;
  const { projectId, environment, since, until } = source.annotations;
  const about = { projectId, environment, policy, ruleId, since: new Date(since), until: new Date(until) };
  return agreementOf(await readJudgedUnits(tx, about, maxJudgedUnits));
}

function poorAgreement(agreement: Agreement | undefined): string[] {
  if (agreement === undefined || !agreement.isLow) return [];
  const { alpha, lower, upper, units } = agreement;
  return [
    `annotators agree poorly about the rule (Krippendorff's alpha ${alpha.toFixed(2)}, from ${lower.toFixed(2)} to ` +
      `${upper.toFixed(2)}, over ${units} traces that several of them marked): labels that are wrong void the promise`,
  ];
}

function plain(progress: CalibrationProgress): JsonObject {
  return progress as unknown as JsonObject; // plain data
}
