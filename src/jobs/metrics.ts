// The worker's metrics for Prometheus, besides those that every process has.

import { Counter, Gauge, Histogram } from "prom-client";
import type { AlertsEvaluated } from "../domain/alert/evaluation.ts";
import type { Folded } from "../domain/telemetry/stat-fold.ts";
import type { AttemptResult } from "../domain/webhook/delivery-attempt.ts";
import type { Metrics } from "../kit/observability/metrics.ts";

/** Counters that the worker feeds. */
export interface WorkerMetrics {
  readonly onAttempt: (result: AttemptResult) => void;
  readonly onJob: (job: { readonly task: string; readonly failed: boolean }) => void;
  readonly onFold: (folded: Folded) => void;
  readonly onAlerts: (evaluated: AlertsEvaluated) => void;
  readonly onUsageDifference: () => void;
  readonly onProviderDifference: () => void;
}

/** Registers the worker's measurements. `inFlight` tells how many requests are being made. */
export function createWorkerMetrics({ registry }: Metrics, inFlight: () => number): WorkerMetrics {
  const registers = [registry];
  const attempts = new Counter({
    name: "webhook_attempts_total",
    help: "Attempts to deliver to webhooks.",
    labelNames: ["event", "outcome"],
    registers,
  });
  const durations = new Histogram({
    name: "webhook_attempt_seconds",
    help: "Time of an attempt, from the name look-up to recording the result.",
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const jobs = new Counter({ name: "jobs_total", help: "Jobs that ended.", labelNames: ["task", "result"], registers });
  const folded = new Counter({
    name: "stat_deltas_folded_total",
    help: "Tallies of batches that were added to the counts by minute, hour and day.",
    registers,
  });
  const foldLag = new Gauge({
    name: "stat_fold_lag_seconds",
    help: "Age of the oldest tally when the last fold began.",
    registers,
  });
  const alertRules = new Gauge({
    name: "alert_rules_evaluated",
    help: "Alert rules that the last evaluation compared.",
    registers,
  });
  const alertSeconds = new Gauge({
    name: "alert_evaluation_seconds",
    help: "Time that the last evaluation of alert rules took.",
    registers,
  });
  const alertFailures = new Counter({
    name: "alert_evaluation_failures_total",
    help: "Organizations whose alert rules could not be evaluated, once for each try.",
    registers,
  });
  const differences = new Counter({
    name: "usage_differences_total",
    help: "Months of organizations whose evaluations by month and by day differ, counted once a night.",
    registers,
  });
  const providerDifferences = new Counter({
    name: "billing_provider_differences_total",
    help: "Organizations that the nightly comparison found to stand otherwise than Stripe says.",
    registers,
  });
  new Gauge({
    name: "webhook_requests_in_flight",
    help: "Requests to webhooks in flight.",
    registers,
    collect() {
      this.set(inFlight());
    },
  });
  return {
    onAttempt({ event, outcome, durationMs }) {
      attempts.inc({ event, outcome });
      durations.observe(durationMs / 1_000);
    },
    onFold({ deltas, lagMs }) {
      folded.inc(deltas);
      foldLag.set(lagMs / 1_000);
    },
    onAlerts({ rules, failed, durationMs }) {
      alertRules.set(rules);
      alertSeconds.set(durationMs / 1_000);
      alertFailures.inc(failed);
    },
    onUsageDifference: () => differences.inc(),
    onProviderDifference: () => providerDifferences.inc(),
    onJob: ({ task, failed }) => jobs.inc({ task, result: failed ? "failed" : "done" }),
  };
}
