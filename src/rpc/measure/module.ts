// The services of this room: annotations, datasets and their samples.

import type { ConnectRouter } from "@connectrpc/connect";
import { AnnotationService } from "../../../gen/policyguard/control/v1/annotation_service_pb.ts";
import { DatasetService } from "../../../gen/policyguard/control/v1/dataset_service_pb.ts";
import type { Datasets } from "../../domain/measure/dataset.ts";
import type { Samples } from "../../domain/measure/dataset-sample.ts";
import { type AnnotationDomain, annotationHandlers } from "./annotation.ts";
import { datasetHandlers } from "./dataset.ts";
import { sampleHandlers } from "./dataset-sample.ts";

/** What the handlers call. */
export interface MeasureDomain extends AnnotationDomain {
  readonly datasets: Datasets;
  readonly samples: Samples;
}

/** Registers the services. */
export function registerMeasureServices(router: ConnectRouter, { datasets, samples, ...domain }: MeasureDomain): void {
  router.service(AnnotationService, annotationHandlers(domain));
  router.service(DatasetService, { ...datasetHandlers(datasets), ...sampleHandlers(samples) });
}
