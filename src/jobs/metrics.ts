// The worker's metrics for Prometheus, besides those that every process has.

import { Counter, Gauge, Histogram, type Registry } from "prom-client";
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
  /** Called after each comparison of counts or customers, with how many differed. */
  readonly onReconciled: (what: "usage" | "provider", differences: number) => void;
}

/** Registers the worker's measurements. `inFlight` tells how many requests are being made. */
export function createWorkerMetrics({ registry }: Metrics, inFlight: () => number): WorkerMetrics {
  const registers = [registry];
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
  return {
    onAttempt: measureAttempts(registers, inFlight),
    onAlerts: measureAlerts(registers),
    ...countDifferences(registers),
    onFold({ deltas, lagMs }) {
      folded.inc(deltas);
      foldLag.set(lagMs / 1_000);
    },
    onJob: ({ task, failed }) => jobs.inc({ task, result: failed ? "failed" : "done" }),
  };
}

function measureAttempts(registers: Registry[], inFlight: () => number): WorkerMetrics["onAttempt"] {
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
  new Gauge({
    name: "webhook_requests_in_flight",
    help: "Requests to webhooks in flight.",
    registers,
    collect() {
      this.set(inFlight());
    },
  });
  return ({ event, outcome, durationMs }) => {
    attempts.inc({ event, outcome });
    durations.observe(durationMs / 1_000);
  };
}

function measureAlerts(registers: Registry[]): WorkerMetrics["onAlerts"] {
  const compared = new Gauge({
    name: "alert_rules_evaluated",
    help: "Alert rules that the last evaluation compared.",
    registers,
  });
  const seconds = new Gauge({
    name: "alert_evaluation_seconds",
    help: "Time that the last evaluation of alert rules took.",
    registers,
  });
  const lag = new Gauge({
    name: "alert_evaluation_lag_seconds",
    help: "Age of the oldest ended window that the last evaluation of alert rules found not compared yet.",
    registers,
  });
  const failures = new Counter({
    name: "alert_evaluation_failures_total",
    help: "Organizations whose alert rules could not be evaluated, once for each try.",
    registers,
  });
  return ({ rules, failed, durationMs, lagMs }) => {
    compared.set(rules);
    seconds.set(durationMs / 1_000);
    lag.set(lagMs / 1_000);
    failures.inc(failed);
  };
}

function countDifferences(
  registers: Registry[],
): Pick<WorkerMetrics, "onUsageDifference" | "onProviderDifference" | "onReconciled"> {
  const usage = new Counter({
    name: "usage_differences_total",
    help: "Months of organizations whose evaluations by month and by day differ, counted once a night.",
    registers,
  });
  const provider = new Counter({
    name: "billing_provider_differences_total",
    help: "Organizations that the nightly comparison found to stand otherwise than Stripe says.",
    registers,
  });
  const last = new Gauge({
    name: "billing_reconciliation_difference",
    help: "What the last nightly comparison of this worker found to differ: months of usage, or customers at Stripe.",
    labelNames: ["of"],
    registers,
  });
  return {
    onUsageDifference: () => usage.inc(),
    onProviderDifference: () => provider.inc(),
    onReconciled: (what, differences) => last.set({ of: what }, differences),
  };
}
