import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type DatasetSchema,
  DatasetState,
  type DatasetVersionSchema,
  TrainedOn,
} from "../../../../gen/policyguard/control/v1/dataset_pb.ts";
import type { DatasetService } from "../../../../gen/policyguard/control/v1/dataset_service_pb.ts";
import type { Dataset, Datasets } from "../../../domain/measure/dataset/dataset.ts";
import { callerOf } from "../../../kit/rpc/context.ts";
import { pageOf } from "../../../kit/rpc/page.ts";
import { timestamp } from "../../time.ts";

/** The methods about datasets as a whole. */
export type DatasetMethods = Pick<
  ServiceImpl<typeof DatasetService>,
  "listDatasets" | "createDataset" | "getDataset" | "updateDataset" | "deleteDataset" | "listDatasetVersions"
>;

/** Handlers of the methods about datasets as a whole. */
export function datasetHandlers(datasets: Datasets): DatasetMethods {
  return {
    listDatasets: async (request, context) => {
      const page = pageOf(request);
      const [found, total] = await datasets.list(callerOf(context), request, page);
      return { total, ...page, datasets: found.map(datasetMessage) };
    },
    createDataset: async ({ name, description, projectId, licence, metadata }, context) => {
      const input = { name, description, projectId, licence, metadata };
      return { dataset: datasetMessage(await datasets.create(callerOf(context), input)) };
    },
    getDataset: async ({ datasetId }, context) => ({
      dataset: datasetMessage(await datasets.get(callerOf(context), datasetId)),
    }),
    updateDataset: async ({ datasetId, name, description, licence, metadata }, context) => {
      const change = { ...(name === undefined ? {} : { name }), description, licence, metadata };
      return { dataset: datasetMessage(await datasets.update(callerOf(context), datasetId, change)) };
    },
    deleteDataset: async ({ datasetId, force }, context) => {
      await datasets.delete(callerOf(context), datasetId, { force });
      return {};
    },
    listDatasetVersions: async ({ datasetId, ...request }, context) => {
      const page = pageOf(request);
      const [rows, total] = await datasets.versions(callerOf(context), datasetId, page);
      return { total, ...page, versions: rows.map(versionMessage) };
    },
  };
}

const states = {
  awaiting_upload: DatasetState.AWAITING_UPLOAD,
  importing: DatasetState.IMPORTING,
  ready: DatasetState.READY,
  failed: DatasetState.FAILED,
} as const;

/** The dataset in the API's form. */
export function datasetMessage({ row, digest }: Dataset): MessageInitShape<typeof DatasetSchema> {
  return {
    ...{ id: row.id, orgId: row.orgId, projectId: row.projectId ?? undefined, name: row.name },
    ...{ description: row.description ?? undefined, catalogId: row.catalogId ?? undefined },
    licence:
      row.licence == null
        ? undefined
        : {
            ...{ spdx: row.licence.spdx, url: row.licence.url ?? undefined, acceptedBy: row.licence.accepted_by },
            acceptedAt: timestampFromDate(new Date(row.licence.accepted_at)),
          },
    ...{ state: states[row.state], version: row.version, digest: digest?.toString("hex") },
    ...{ sampleCount: row.sampleCount, counts: row.counts, trainedOn: trainedOn(row) },
    ...{ trainingOverlap: row.trainingOverlap, metadata: row.metadata as JsonObject }, // stored as one
    ...{ createdAt: timestamp(row.createdAt), updatedAt: timestamp(row.updatedAt) },
  };
}

function trainedOn({ trainingOverlap, sampleCount }: Dataset["row"]): TrainedOn {
  if (trainingOverlap === 0) return TrainedOn.NONE;
  return trainingOverlap === sampleCount ? TrainedOn.WHOLLY : TrainedOn.PARTLY;
}

function versionMessage(
  row: Awaited<ReturnType<Datasets["versions"]>>[0][number],
): MessageInitShape<typeof DatasetVersionSchema> {
  const { version, sampleCount, added, changed, removed, erasedSamples, erasureRevision, createdBy } = row;
  return {
    ...{ version, sampleCount, added, changed, removed, erasedSamples, erasureRevision, createdBy },
    ...{
      digest: row.digest?.toString("hex"),
      importId: row.importId ?? undefined,
      createdAt: timestamp(row.createdAt),
    },
  };
}
