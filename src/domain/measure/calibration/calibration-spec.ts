// What a calibration is to do, and what has come of it, as its run keeps both.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Agreement } from "../../telemetry/analytics-quality.ts";
import type { CalibrationEstimate, CalibrationPromise } from "./calibration-estimate.ts";

/** By what a rule is calibrated, with versions and times that do not change anymore. */
export type CalibrationSource =
  | {
      readonly annotations: {
        readonly projectId: string;
        readonly environment?: string | undefined;
        readonly since: string;
        readonly until: string;
      };
    }
  | {
      readonly dataset: {
        readonly datasetId: string;
        readonly version: number;
        readonly split?: string | undefined;
        readonly labels: readonly string[];
        readonly outcomeAtLeast: string;
      };
    };

/** What a run is to do. */
export interface CalibrationSpec {
  readonly policyId: string;
  readonly version: number;
  readonly ruleId: string;
  readonly source: CalibrationSource;
  readonly promise: CalibrationPromise;
}

/** What a calibration has found. */
export interface CalibrationResult extends CalibrationEstimate {
  readonly groups: readonly (CalibrationEstimate["groups"][number] & { readonly statement: string })[];
  /** How well annotators agree; null where nobody can tell, and for a dataset. */
  readonly agreement: Agreement | null;
  readonly currentThreshold: number;
  readonly detector: string;
  readonly statement: string;
  readonly warnings: readonly string[];
  readonly proposal: { readonly document: JsonObject; readonly changes: readonly string[] } | null;
  /** Absent in calibrations of an earlier release. */
  readonly override?: OverrideProposal | null;
}

/** An override that would keep the rule from doing harm. */
export interface OverrideProposal {
  readonly projectId: string;
  readonly environment: string;
  readonly reason: string;
  readonly hours: number;
}

/** What has come of a run so far; `result` at its end. */
export interface CalibrationProgress {
  readonly trainingOverlap: number;
  readonly result: CalibrationResult | null;
}

/** What a run of an earlier version has kept lacks what it did not know. */
const formerEstimate = {
  nFound: 0,
  neededNFound: null,
  laxestDiscovery: null,
  agreement: null,
  kept: [],
  groups: [],
  groupsOmitted: 0,
};

/** The spec of a calibration's run. */
export function calibrationSpecOf(spec: JsonObject): CalibrationSpec {
  return spec as unknown as CalibrationSpec; // written by Calibrations.create()
}

/** The progress in the report of a calibration's run. */
export function calibrationProgressOf(report: JsonObject | undefined): CalibrationProgress {
  if (report !== undefined) {
    const { result, ...progress } = report as unknown as CalibrationProgress; // written by CalibrationRun
    return { ...progress, result: result === null ? null : { ...formerEstimate, ...result } };
  }
  return { trainingOverlap: 0, result: null };
}
