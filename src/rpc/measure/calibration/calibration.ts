import { fromJson, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type {
  CalibrationData,
  CalibrationDataSchema,
  CalibrationReportSchema,
  CalibrationSchema,
} from "../../../../gen/policyguard/control/v1/calibration_pb.ts";
import type { CalibrationService } from "../../../../gen/policyguard/control/v1/calibration_service_pb.ts";
import { DatasetSplit } from "../../../../gen/policyguard/control/v1/dataset_pb.ts";
import type { Calibration, Calibrations, NewCalibration } from "../../../domain/measure/calibration/calibration.ts";
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
    createCalibration: async ({ data, maxFalsePositiveRate, minRecall, confidence = 0.95, ...request }, context) => {
      const input: NewCalibration = {
        ...{ policyId: request.policyId.toLowerCase(), version: request.version, ruleId: request.ruleId },
        ...{ source: sourceOf(data), promise: { maxFalsePositiveRate, minRecall, confidence } },
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
  return {
    ...runFields(run),
    ...{ policyId, policyVersion: version, ruleId, data: dataMessage(source), ...promise },
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
  const { threshold, neededNToFind, curve, proposal, override, warnings, ...rest } = result;
  return {
    ...rest,
    ...{ threshold: threshold ?? undefined, neededNToFind: neededNToFind ?? undefined, warnings: [...warnings] },
    curve: curve.map(({ falsePositiveRate, recall, ...point }) => ({
      ...{ ...point, falsePositiveRate: falsePositiveRate ?? undefined, recall: recall ?? undefined },
    })),
    proposal: proposal === null ? undefined : proposalMessage(proposal),
    override: override == null ? undefined : overrideMessage(override, calibrated),
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
