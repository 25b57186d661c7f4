// The services of this room: datasets and their samples.

import type { ConnectRouter } from "@connectrpc/connect";
import { DatasetService } from "../../../gen/policyguard/control/v1/dataset_service_pb.ts";
import type { Datasets } from "../../domain/measure/dataset.ts";
import type { Samples } from "../../domain/measure/dataset-sample.ts";
import { datasetHandlers } from "./dataset.ts";
import { sampleHandlers } from "./dataset-sample.ts";

/** What the handlers call. */
export interface MeasureDomain {
  readonly datasets: Datasets;
  readonly samples: Samples;
}

/** Registers the services. */
export function registerMeasureServices(router: ConnectRouter, { datasets, samples }: MeasureDomain): void {
  router.service(DatasetService, { ...datasetHandlers(datasets), ...sampleHandlers(samples) });
}
