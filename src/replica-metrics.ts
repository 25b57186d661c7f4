// What Prometheus learns of reads that may lag.

import { Counter } from "prom-client";
import type { Metrics } from "./kit/observability/metrics.ts";
import type { ReadPlace } from "./store/connection/replica.ts";

/** Registers the counter of such reads and returns what counts one. */
export function createReplicaMetrics({ registry }: Metrics): (place: ReadPlace) => void {
  const reads = new Counter({
    name: "replica_reads_total",
    help: "Reads that a replica may answer, by whether it did.",
    labelNames: ["result"],
    registers: [registry],
  });
  return (result) => reads.inc({ result });
}
