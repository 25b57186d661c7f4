// What Prometheus scrapes.

import { collectDefaultMetrics, Registry } from "prom-client";
import { createTally, TallyHistogram } from "./tally.ts";

/** The measurements of a process. Others register their own with `registry`. */
export interface Metrics {
  readonly registry: Registry;
  /** Counts one finished call. `code` is "ok" or the Connect code of the failure. */
  countCall(call: FinishedCall): void;
}

/** One finished call. */
export interface FinishedCall {
  readonly service: string;
  readonly method: string;
  readonly code: string;
  readonly durationMs: number;
}

const labelNames = ["service", "method", "code"] as const;
// From an evaluation on the spot to a long poll.
const bucketsSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** A registry with the measurements of the process (memory, processor, event-loop delay) and of its calls. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = createTally({ name: "rpc_requests_total", help: "Finished calls.", labelNames, registry });
  const durations = new TallyHistogram({
    name: "rpc_duration_seconds",
    help: "Time from the arrival of a call to its end; for a stream, to the end of the stream.",
    labelNames,
    buckets: bucketsSeconds,
    registry,
  });
  const counts = new Map<string, (durationMs: number) => void>();
  return {
    registry,
    countCall({ service, method, code, durationMs }) {
      const key = `${service}/${method}/${code}`;
      let count = counts.get(key);
      if (count === undefined) {
        const labels = { service, method, code };
        const [add, observe] = [requests(labels), durations.bind(labels)];
        count = (ms) => {
          add();
          observe(ms / 1_000);
        };
        counts.set(key, count);
      }
      count(durationMs);
    },
  };
}
