// The services of this room: annotations, datasets and their samples, benchmarks, calibrations.

import type { ConnectRouter } from "@connectrpc/connect";
import { AnnotationService } from "../../../gen/policyguard/control/v1/annotation_service_pb.ts";
import { BenchmarkService } from "../../../gen/policyguard/control/v1/benchmark_service_pb.ts";
import { CalibrationService } from "../../../gen/policyguard/control/v1/calibration_service_pb.ts";
import { DatasetService } from "../../../gen/policyguard/control/v1/dataset_service_pb.ts";
import type { Benchmarks } from "../../domain/measure/benchmark/benchmark.ts";
import type { PredictionUploads } from "../../domain/measure/benchmark/prediction-upload.ts";
import type { Calibrations } from "../../domain/measure/calibration/calibration.ts";
import type { Datasets } from "../../domain/measure/dataset/dataset.ts";
import type { DatasetExports } from "../../domain/measure/dataset/dataset-export.ts";
import type { DatasetImports } from "../../domain/measure/dataset/dataset-import.ts";
import type { DatasetInstalls } from "../../domain/measure/dataset/dataset-install.ts";
import type { Samples } from "../../domain/measure/dataset/dataset-sample.ts";
import { type AnnotationDomain, annotationHandlers } from "./annotation/annotation.ts";
import { benchmarkHandlers, type ReportWriter } from "./benchmark/benchmark.ts";
import { calibrationHandlers } from "./calibration/calibration.ts";
import { datasetHandlers } from "./dataset/dataset.ts";
import { catalogHandlers } from "./dataset/dataset-catalog.ts";
import { exportHandlers, type SampleWriter } from "./dataset/dataset-export.ts";
import { importHandlers } from "./dataset/dataset-import.ts";
import { sampleHandlers } from "./dataset/dataset-sample.ts";

/** What the handlers call. */
export interface MeasureDomain extends AnnotationDomain {
  readonly benchmarks: Benchmarks;
  readonly calibrations: Calibrations;
  readonly predictionUploads: PredictionUploads;
  readonly datasets: Datasets;
  readonly samples: Samples;
  readonly datasetImports: DatasetImports;
  readonly datasetExports: DatasetExports;
  readonly datasetInstalls: DatasetInstalls;
}

/** Registers the services. */
export function registerMeasureServices(
  router: ConnectRouter,
  {
    benchmarks,
    calibrations,
    predictionUploads,
    datasets,
    samples,
    datasetImports,
    datasetExports,
    datasetInstalls,
    ...domain
  }: MeasureDomain,
  { writeSample, writeReport }: { readonly writeSample: SampleWriter; readonly writeReport: ReportWriter },
): void {
  router.service(AnnotationService, annotationHandlers(domain));
  router.service(BenchmarkService, benchmarkHandlers(benchmarks, predictionUploads, writeReport));
  router.service(CalibrationService, calibrationHandlers(calibrations));
  router.service(DatasetService, {
    ...datasetHandlers(datasets),
    ...sampleHandlers(samples),
    ...importHandlers(datasetImports),
    ...exportHandlers(datasetExports, writeSample),
    ...catalogHandlers(datasetInstalls),
  });
}
