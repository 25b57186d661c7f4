import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  CatalogKind,
  type DatasetCatalogEntrySchema,
} from "../../../../gen/policyguard/control/v1/dataset_catalog_pb.ts";
import { TrainedOn } from "../../../../gen/policyguard/control/v1/dataset_pb.ts";
import type { DatasetService } from "../../../../gen/policyguard/control/v1/dataset_service_pb.ts";
import { type CatalogEntry, datasetCatalog } from "../../../domain/measure/dataset/dataset-catalog.ts";
import type { DatasetInstalls } from "../../../domain/measure/dataset/dataset-install.ts";
import { callerOf } from "../../../kit/rpc/context.ts";
import { entriesOf, pageOf } from "../../../kit/rpc/page.ts";
import { datasetMessage } from "./dataset.ts";
import { importFormatOf } from "./dataset-import.ts";

/** Handlers of the catalog. */
export function catalogHandlers(
  installs: DatasetInstalls,
): Pick<ServiceImpl<typeof DatasetService>, "getDatasetCatalog" | "installDataset"> {
  return {
    getDatasetCatalog: (request) => {
      const page = pageOf(request);
      const all = datasetCatalog();
      return { total: all.length, ...page, entries: entriesOf(all, page).map(entryMessage) };
    },
    installDataset: async ({ catalogId, acceptLicence, url, sha256, projectId, name }, context) => {
      const input = { catalogId, acceptsLicence: acceptLicence, url, sha256, projectId, name };
      return { dataset: datasetMessage(await installs.install(callerOf(context), input)) };
    },
  };
}

const kinds = { builtin: CatalogKind.BUILTIN, external: CatalogKind.EXTERNAL } as const;
const training = { none: TrainedOn.NONE, partly: TrainedOn.PARTLY, wholly: TrainedOn.WHOLLY } as const;

function entryMessage(entry: CatalogEntry): MessageInitShape<typeof DatasetCatalogEntrySchema> {
  const { id, name, version, title, kind, licence, rows, languages, labels, stages, files, notes } = entry;
  return {
    ...{ id, name, version, title, kind: kinds[kind], rows, notes, trainedOn: training[entry.trainedOn] },
    licence: { spdx: licence.spdx, url: licence.url ?? undefined },
    ...{ languages: [...languages], labels: [...labels], stages: [...stages] },
    files: files.map(({ name: file, format, sha256 }) => ({
      ...{ name: file, format: importFormatOf(format), sha256: sha256 ?? undefined },
    })),
    ...{ mapping: entry.mapping ?? undefined, homepage: entry.homepage ?? undefined },
  };
}
