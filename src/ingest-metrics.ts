// What Prometheus learns of ingest.

import { Counter } from "prom-client";
import type { IngestResult } from "./domain/fleet/ingest.ts";
import type { Metrics } from "./kit/observability/metrics.ts";

/** Registers the counters of ingest and returns what counts one batch. */
export function createIngestMetrics({ registry }: Metrics): (result: IngestResult) => void {
  const evaluations = new Counter({
    name: "ingest_evaluations_total",
    help: "Evaluations that runtimes reported, by result.",
    labelNames: ["result"],
    registers: [registry],
  });
  return ({ stored, counted, duplicates, conflicts, refused }) => {
    evaluations.inc({ result: "stored" }, stored);
    evaluations.inc({ result: "counted" }, counted);
    evaluations.inc({ result: "duplicate" }, duplicates - conflicts);
    evaluations.inc({ result: "conflict" }, conflicts);
    for (const [reason, count] of Object.entries(refused)) evaluations.inc({ result: `refused_${reason}` }, count);
  };
}
