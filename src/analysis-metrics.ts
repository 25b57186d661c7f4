import { Counter } from "prom-client";
import type { Metrics } from "./kit/observability/metrics.ts";
import type { WorkResult } from "./platform/work/work-pool.ts";

/** Counts the jobs of analysis by how they ended. */
export function createAnalysisMetrics(metrics: Metrics): (job: string, result: WorkResult) => void {
  const analyses = new Counter({
    name: "analyses_total",
    help: "Analyses of what authors wrote, by result.",
    labelNames: ["job", "result"],
    registers: [metrics.registry],
  });
  return (job, result) => analyses.inc({ job, result });
}
