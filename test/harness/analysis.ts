// One pool of analysis for all control planes of a test process: its processes take a second to start and to get warm.

import { createAnalysisPool } from "../../src/analysis-pool.ts";
import type { Analysis } from "../../src/domain/analysis/analysis.ts";
import { createLog } from "../../src/kit/observability/log.ts";

let pool: { readonly analysis: Analysis } | undefined;

/** The pool. Its processes end with this one. */
export function sharedAnalysis(): Analysis {
  pool ??= createAnalysisPool({ log: createLog({ name: "test", level: "error" }) });
  return pool.analysis;
}
