// The services of this room: annotations, datasets and their samples, benchmarks, calibrations.

import type { NetworkGuard } from "../../kit/net/outbound/guard.ts";
import type { Clock } from "../../kit/process/clock.ts";
import type { Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { Annotations } from "./annotation/annotation.ts";
import { AnnotationExports } from "./annotation/annotation-export.ts";
import { AnnotationQueue } from "./annotation/annotation-queue.ts";
import { AnnotationSettings } from "./annotation/annotation-setting.ts";
import { Benchmarks } from "./benchmark/benchmark.ts";
import { PredictionUploads } from "./benchmark/prediction-upload.ts";
import { Calibrations } from "./calibration/calibration.ts";
import { Datasets } from "./dataset/dataset.ts";
import { DatasetExports } from "./dataset/dataset-export.ts";
import { DatasetImports } from "./dataset/dataset-import.ts";
import { DatasetInstalls } from "./dataset/dataset-install.ts";
import { Samples, sampleSeals } from "./dataset/dataset-sample.ts";
import { shippedTrainingTexts } from "./dataset/training-text.ts";

/** What the services are built from. */
export interface MeasureParts {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly guard: NetworkGuard;
  readonly clock: Clock;
  readonly analysis: Analysis;
}

/** Builds the services. */
export function createMeasureDomain({ database, sealer, guard, clock, analysis }: MeasureParts) {
  const parts = { database, sealer, seals: sampleSeals(sealer), trainingTexts: shippedTrainingTexts() };
  const benchmarks = new Benchmarks({ database, clock, analysis });
  return {
    annotations: new Annotations(database, sealer),
    annotationExports: new AnnotationExports(parts),
    annotationQueue: new AnnotationQueue(database),
    annotationSettings: new AnnotationSettings(database),
    benchmarks,
    calibrations: new Calibrations({ database, clock, analysis }),
    predictionUploads: new PredictionUploads({ database, seals: parts.seals, analysis, benchmarks }),
    datasets: new Datasets(database),
    samples: new Samples(database, parts),
    datasetImports: new DatasetImports(parts, guard),
    datasetExports: new DatasetExports(parts),
    datasetInstalls: new DatasetInstalls(parts, guard),
  };
}
