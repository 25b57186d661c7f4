// The pool of processes in which documents of customers are analysed: in a control plane and in a worker.

import { type Analysis, type analysisLimits, pooledAnalysis } from "./domain/analysis/analysis.ts";
import type { Logger } from "./kit/observability/log.ts";
import { WorkPool, type WorkPoolOptions } from "./platform/work/work-pool.ts";

// Node runs the sources (.ts) and their packed form (.js).
const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";

/** A pool that analyses. */
export interface AnalysisPool {
  readonly analysis: Analysis;
  close(): Promise<void>;
}

/** What the pool is made with. Other limits are for tests. */
export interface AnalysisPoolOptions {
  readonly log: Logger;
  readonly onResult?: NonNullable<WorkPoolOptions["onResult"]>;
  readonly limits?: typeof analysisLimits;
  /** Processes at once. */
  readonly maxProcesses?: number;
}

/** Makes the pool. Its processes start when there is work for them. */
export function createAnalysisPool({ limits, ...options }: AnalysisPoolOptions): AnalysisPool {
  const program = new URL(`./analysis-process.${extension}`, import.meta.url);
  const pool = new WorkPool({ ...options, program, maxHeapMegabytes: 1_024, retiredAboveMegabytes: 768 });
  return { analysis: pooledAnalysis(pool, limits), close: () => pool.close() };
}
