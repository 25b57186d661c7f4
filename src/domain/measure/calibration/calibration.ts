// Calibrations: which threshold of a rule keeps a promise about false positives.

import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, type FieldViolation, notFound, validationFailed } from "../../../kit/fault/fault.ts";
import type { Clock } from "../../../kit/process/clock.ts";
import type { Caller } from "../../../kit/rpc/context.ts";
import type { Page } from "../../../kit/rpc/page.ts";
import type { Database } from "../../../store/connection/database.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import { countSampledVerdicts } from "../../../store/measure/annotation/annotation-verdict.ts";
import { countSamples } from "../../../store/measure/dataset/dataset-sample.ts";
import { listRuns, type RunRow } from "../../../store/run/run.ts";
import type { Analysis } from "../../analysis/analysis.ts";
import type { ProbedRule } from "../../analysis/calibration/probe-rule.ts";
import { requireEnvironment, requireProject } from "../../lookup.ts";
import { PolicyFinder } from "../../playground/selection.ts";
import { addRun, cancelRun, removeRun, reportOf, requireRun } from "../../run/run.ts";
import { requireDataset } from "../dataset/dataset.ts";
import { versionOf } from "../dataset/dataset-sample.ts";
import type { CalibrationPromise } from "./calibration-estimate.ts";
import {
  type CalibrationProgress,
  type CalibrationSource,
  type CalibrationSpec,
  calibrationProgressOf,
  calibrationSpecOf,
} from "./calibration-spec.ts";

/** Traces or samples that one calibration judges at most. */
export const maxCalibrated = 20_000;

/** By what to calibrate: exactly one of both. */
export interface WantedSource {
  readonly annotations:
    | {
        readonly projectId: string;
        readonly environment: string | undefined;
        readonly since: Date;
        readonly until: Date | undefined;
      }
    | undefined;
  readonly dataset:
    | {
        readonly datasetId: string;
        readonly version: number | undefined;
        readonly split: string | undefined;
        readonly labels: readonly string[];
        readonly outcomeAtLeast: string | undefined;
      }
    | undefined;
}

/** What to look for. */
export interface NewCalibration {
  readonly policyId: string;
  readonly version: number | undefined;
  readonly ruleId: string;
  readonly source: WantedSource;
  readonly promise: CalibrationPromise;
}

/** A calibration: its run, what it is to do, and what has come of it. */
export interface Calibration {
  readonly run: RunRow;
  readonly spec: CalibrationSpec;
  readonly progress: CalibrationProgress;
}

/** What calibrations work with. */
export interface CalibrationParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly analysis: Analysis;
}

/** Begins, reads and ends calibrations. */
export class Calibrations {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #analysis: Analysis;
  readonly #finder: PolicyFinder;

  constructor({ database, clock, analysis }: CalibrationParts) {
    this.#database = database;
    this.#clock = clock;
    this.#analysis = analysis;
    this.#finder = new PolicyFinder(database);
  }

  /** Begins a calibration. */
  async create(caller: Caller, input: NewCalibration, signal?: AbortSignal): Promise<Calibration> {
    const { policyId, version: wanted, ruleId, promise } = input;
    checkPromise(input);
    const named = wanted === undefined ? { policyId } : { policyId, version: wanted };
    const [selected] = await this.#finder.find(caller, named);
    if (selected === undefined) throw new Error("a policy selects one policy");
    const { version = 0 } = selected;
    const document = (await selected.document()) as JsonObject; // a stored document is an object
    const rule = await this.#analysis.run("probeRule", { document, ruleId }, { orgId: caller.orgId, signal });
    return this.#database.transaction(caller, async (tx) => {
      const { source, projectId: dataOf } = await this.#source(tx, caller, input, rule);
      const { appId } = selected.scope;
      const projectId = dataOf ?? (appId === "*" ? undefined : appId);
      const spec: CalibrationSpec = { policyId: selected.policyId ?? policyId, version, ruleId, source, promise };
      const kept = JSON.parse(JSON.stringify(spec)) as JsonObject; // plain data
      const run = await addRun(tx, { kind: "calibration", spec: kept, projectId, createdBy: caller.credential.label });
      tx.changed({ resource: `calibration/${run.id}`, before: null, after: saidSpec(spec) });
      return calibrationOf(run);
    });
  }

  /** A page of the calibrations, newest first. */
  list(caller: Caller, page: Page): Promise<[Calibration[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      const [runs, total] = await listRuns(tx, "calibration", { ...page, projectId: caller.credential.projectId });
      return [runs.map(calibrationOf), total];
    });
  }

  /** The calibration. */
  get(caller: Caller, id: string): Promise<Calibration> {
    return this.#database.read(caller.orgId, async (tx) => calibrationOf(await requireCalibration(tx, caller, id)));
  }

  /** Ends a calibration that waits or works. */
  cancel(caller: Caller, id: string): Promise<Calibration> {
    return this.#database.transaction(caller, async (tx) => {
      const run = await requireCalibration(tx, caller, id);
      const before = { state: run.state };
      const ended = await cancelRun(tx, run);
      tx.changed({ resource: `calibration/${id}`, before, after: { state: ended.state } });
      return calibrationOf(ended);
    });
  }

  /** Deletes a calibration. */
  delete(caller: Caller, id: string): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const run = await requireCalibration(tx, caller, id);
      await removeRun(tx, run);
      tx.changed({ resource: `calibration/${id}`, before: { state: run.state }, after: null });
    });
  }

  async #source(
    tx: Transaction,
    caller: Caller,
    { ruleId, source: { annotations, dataset } }: NewCalibration,
    { policy, action }: ProbedRule,
  ): Promise<{ readonly source: CalibrationSource; readonly projectId: string | undefined }> {
    if ((annotations === undefined) === (dataset === undefined))
      throw validationFailed([{ field: "data", message: "exactly one of annotations and dataset is needed" }]);
    if (annotations !== undefined) {
      const { environment, since, until = this.#clock.now() } = annotations;
      const { id: projectId } = await requireProject(tx, annotations.projectId);
      if (environment !== undefined) await requireEnvironment(tx, projectId, environment);
      if (since >= until)
        throw validationFailed([{ field: "data.annotations.since", message: "has to be before until" }]);
      checkCount(await countSampledVerdicts(tx, { projectId, environment, policy, ruleId, since, until }), "traces");
      const window = { projectId, environment, since: since.toISOString(), until: until.toISOString() };
      return { source: { annotations: window }, projectId };
    }
    if (dataset === undefined) throw new Error("one of both is given");
    const found = await requireDataset(tx, caller, dataset.datasetId);
    const version = versionOf(found, dataset.version);
    const { split, labels, outcomeAtLeast = action === "ALLOW" ? "FLAG" : action } = dataset;
    checkCount(await countSamples(tx, found.id, { version, split }), "samples");
    const fixed = { datasetId: found.id, version, split, labels, outcomeAtLeast };
    return { source: { dataset: fixed }, projectId: found.projectId ?? undefined };
  }
}

/** Throws for a promise that says nothing, or that nobody can keep. */
function checkPromise({ promise, source }: NewCalibration): void {
  const { maxFalsePositiveRate, maxFalseDiscoveryRate, minRecall, guarantee, by } = promise;
  const violations: FieldViolation[] = [];
  const add = (field: string, message: string) => violations.push({ field, message });
  if (maxFalsePositiveRate === undefined && maxFalseDiscoveryRate === undefined && minRecall === undefined)
    add("max_false_positive_rate", "say what to promise: this, max_false_discovery_rate or min_recall");
  if (guarantee === "expectation" && maxFalseDiscoveryRate !== undefined)
    add("guarantee", "max_false_discovery_rate does not fall with the threshold: it takes high_probability");
  if (by === "agent" && source.dataset !== undefined) add("by", "samples of a dataset have no agent: use annotations");
  if (violations.length > 0) throw validationFailed(violations);
}

function checkCount(count: number, noun: string): void {
  if (count <= maxCalibrated) return;
  const message = `there are ${count} ${noun}; a calibration judges at most ${maxCalibrated}: take a part of them`;
  throw new Fault(Reason.LIMIT_REACHED, message, { extra: { limit: maxCalibrated } });
}

/** The calibration, if the caller may see it: a ci token sees those about its own project. */
async function requireCalibration(tx: Transaction, { credential }: Caller, id: string): Promise<RunRow> {
  const run = await requireRun(tx, "calibration", id, "calibration");
  if (credential.projectId !== undefined && run.projectId !== credential.projectId) throw notFound("calibration");
  return run;
}

function calibrationOf(run: RunRow): Calibration {
  return { run, spec: calibrationSpecOf(JSON.parse(run.spec)), progress: calibrationProgressOf(reportOf(run)) };
}

/** What is to be done as the log of evidence has it: in the spelling of the API. */
function saidSpec({ policyId, version, ruleId, source, promise }: CalibrationSpec): JsonObject {
  const data =
    "annotations" in source
      ? {
          annotations: {
            ...{ project_id: source.annotations.projectId, environment: source.annotations.environment },
            ...{ since: source.annotations.since, until: source.annotations.until },
          },
        }
      : {
          dataset: {
            ...{ dataset_id: source.dataset.datasetId, version: source.dataset.version, split: source.dataset.split },
            ...{ labels: source.dataset.labels, outcome_at_least: source.dataset.outcomeAtLeast },
          },
        };
  const { maxFalsePositiveRate, maxFalseDiscoveryRate, minRecall, confidence, guarantee, by } = promise;
  const said = {
    ...{ policy_id: policyId, version, rule_id: ruleId, data },
    ...{ max_false_positive_rate: maxFalsePositiveRate, max_false_discovery_rate: maxFalseDiscoveryRate },
    ...{ min_recall: minRecall, confidence, guarantee, by },
  };
  return JSON.parse(JSON.stringify(said)) as JsonObject; // plain data
}
