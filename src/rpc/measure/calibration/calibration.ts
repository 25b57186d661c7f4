import { fromJson, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type CalibrationData,
  type CalibrationDataSchema,
  CalibrationGrouping,
  CalibrationGuarantee,
  type CalibrationReportSchema,
  type CalibrationSchema,
} from "../../../../gen/policyguard/control/v1/calibration_pb.ts";
import type { CalibrationService } from "../../../../gen/policyguard/control/v1/calibration_service_pb.ts";
import { DatasetSplit } from "../../../../gen/policyguard/control/v1/dataset_pb.ts";
import type { Calibration, Calibrations, NewCalibration } from "../../../domain/measure/calibration/calibration.ts";
import type { GroupEstimate } from "../../../domain/measure/calibration/calibration-estimate.ts";
import type {
  CalibrationResult,
  CalibrationSource,
  OverrideProposal,
} from "../../../domain/measure/calibration/calibration-spec.ts";
import { nameOfOutcome, nameOfSplit, outcomeOfName, splitOfName } from "../../../domain/measure/dataset/sample-name.ts";
import { callerOf } from "../../../kit/rpc/context.ts";
import { pageOf } from "../../../kit/rpc/page.ts";
import { runFields } from "../../run.ts";

/** Handlers of CalibrationService. */
export function calibrationHandlers(calibrations: Calibrations): ServiceImpl<typeof CalibrationService> {
  return {
    createCalibration: async ({ data, by, guarantee, confidence = 0.95, ...request }, context) => {
      const { maxFalsePositiveRate, maxFalseDiscoveryRate, minRecall } = request;
      const input: NewCalibration = {
        ...{ policyId: request.policyId.toLowerCase(), version: request.version, ruleId: request.ruleId },
        source: sourceOf(data),
        promise: {
          ...{ maxFalsePositiveRate, maxFalseDiscoveryRate, minRecall, confidence },
          guarantee: guarantee === CalibrationGuarantee.EXPECTATION ? "expectation" : "high_probability",
          by: groupings.find(([value]) => value === by)?.[1],
        },
      };
      const created = await calibrations.create(callerOf(context), input, context.signal);
      return { calibration: calibrationMessage(created) };
    },
    listCalibrations: async (request, context) => {
      const page = pageOf(request);
      const [found, total] = await calibrations.list(callerOf(context), page);
      const shown = found.map((each) => ({ ...calibrationMessage(each), report: undefined }));
      return { total, ...page, calibrations: shown };
    },
    getCalibration: async ({ calibrationId }, context) => ({
      calibration: calibrationMessage(await calibrations.get(callerOf(context), calibrationId)),
    }),
    cancelCalibration: async ({ calibrationId }, context) => ({
      calibration: calibrationMessage(await calibrations.cancel(callerOf(context), calibrationId)),
    }),
    deleteCalibration: async ({ calibrationId }, context) => {
      await calibrations.delete(callerOf(context), calibrationId);
      return {};
    },
  };
}

const groupings = [
  [CalibrationGrouping.LANGUAGE, "language"],
  [CalibrationGrouping.AGENT, "agent"],
] as const;

function sourceOf({ annotations, dataset }: Partial<CalibrationData> = {}): NewCalibration["source"] {
  return {
    annotations: annotations && {
      ...{ projectId: annotations.projectId.toLowerCase(), environment: annotations.environment },
      since: annotations.since === undefined ? new Date(0) : timestampDate(annotations.since),
      until: annotations.until && timestampDate(annotations.until),
    },
    dataset: dataset && {
      ...{ datasetId: dataset.datasetId.toLowerCase(), version: dataset.version, labels: dataset.labels },
      split: nameOfSplit(dataset.split ?? DatasetSplit.UNSPECIFIED),
      outcomeAtLeast: dataset.outcomeAtLeast === undefined ? undefined : nameOfOutcome(dataset.outcomeAtLeast),
    },
  };
}

function calibrationMessage({ run, spec, progress }: Calibration): MessageInitShape<typeof CalibrationSchema> {
  const { policyId, version, ruleId, source, promise } = spec;
  const { by, guarantee, ...bounds } = promise;
  return {
    ...runFields(run),
    ...{ policyId, policyVersion: version, ruleId, data: dataMessage(source), ...bounds },
    by: groupings.find(([, name]) => name === by)?.[0] ?? CalibrationGrouping.NONE,
    guarantee: guarantee === "expectation" ? CalibrationGuarantee.EXPECTATION : CalibrationGuarantee.HIGH_PROBABILITY,
    report: progress.result === null ? undefined : reportMessage(progress.result, { policyId, ruleId, id: run.id }),
  };
}

function dataMessage(source: CalibrationSource): MessageInitShape<typeof CalibrationDataSchema> {
  if ("annotations" in source) {
    const { projectId, environment, since, until } = source.annotations;
    const times = { since: timestampFromDate(new Date(since)), until: timestampFromDate(new Date(until)) };
    return { annotations: { projectId, environment, ...times } };
  }
  const { datasetId, version, split, labels, outcomeAtLeast } = source.dataset;
  return {
    dataset: {
      ...{ datasetId, version, labels: [...labels], outcomeAtLeast: outcomeOfName(outcomeAtLeast) },
      split: splitOfName(split ?? null),
    },
  };
}

interface Calibrated {
  readonly id: string;
  readonly policyId: string;
  readonly ruleId: string;
}

function reportMessage(
  result: CalibrationResult,
  calibrated: Calibrated,
): MessageInitShape<typeof CalibrationReportSchema> {
  const {
    currentThreshold,
    detector,
    statement,
    excluded,
    groupsOmitted,
    agreement,
    curve,
    groups,
    proposal,
    override,
  } = result;
  return {
    ...{ ...countsOf(result), currentThreshold, detector, statement, excluded, groupsOmitted },
    ...{ warnings: [...result.warnings], agreement: agreement ?? undefined },
    groups: groups.map(({ value, statement: own, ...group }) => ({
      ...{ ...countsOf(group), value: value ?? undefined, statement: own },
    })),
    curve: curve.map(({ falsePositiveRate, recall, falseDiscoveryRate, ...point }) => ({
      ...{ ...point, falsePositiveRate: falsePositiveRate ?? undefined, recall: recall ?? undefined },
      falseDiscoveryRate: falseDiscoveryRate ?? undefined,
    })),
    proposal: proposal === null ? undefined : proposalMessage(proposal),
    override: override == null ? undefined : overrideMessage(override, calibrated),
  };
}

function countsOf({ threshold, n, neededN, nToFind, neededNToFind, nFound, neededNFound }: GroupEstimate) {
  return {
    ...{ threshold: threshold ?? undefined, n, nToFind, nFound },
    ...{ neededN: neededN ?? undefined, neededNToFind: neededNToFind ?? undefined },
    neededNFound: neededNFound ?? undefined,
  };
}

function overrideMessage(
  { projectId, environment, reason, hours }: OverrideProposal,
  { id: calibrationId, policyId, ruleId }: Calibrated,
) {
  return { projectId, environment, body: { policyId, ruleId, reason, hours, calibrationId } };
}

function proposalMessage({ document, changes }: NonNullable<CalibrationResult["proposal"]>) {
  return { document: fromJson(ValueSchema, document), changes: [...changes] };
}
