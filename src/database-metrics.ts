// Measurements that are read from the database or its pool when Prometheus asks. Every worker gives the same values of
// the queue, of leases and of partitions.

import { Gauge } from "prom-client";
import type { Metrics } from "./kit/observability/metrics.ts";
import { lookUpOutstandingLeases } from "./store/billing/quota-lease.ts";
import type { Database } from "./store/connection/database.ts";
import { endOfPartitions } from "./store/telemetry/trace-partition.ts";

/** How long a scrape waits for the database. */
const waitMs = 2_000;

/** Registers how many pieces of work wait for a connection of the process's pool. */
export function measurePool({ registry }: Metrics, database: Pick<Database, "waiting">): void {
  new Gauge({
    name: "database_pool_waiting",
    help: "Transactions that wait for a connection of the pool.",
    registers: [registry],
    collect() {
      this.set(database.waiting);
    },
  });
}

/** Reads a number of the job queue, or of the catalog of the database. */
export interface NumberReader {
  query(text: string): Promise<{ readonly rows: readonly { readonly value: string | number | null }[] }>;
}

/**
 * Registers what workers see of the whole installation: the age of the queue, evaluations on lease, and for how long
 * there are partitions.
 */
export function measureInstallation({ registry }: Metrics, database: Database, reader: NumberReader): void {
  const read = async (text: string) => Number((await reader.query(text)).rows[0]?.value ?? 0);
  gaugeOf(registry, {
    name: "job_queue_age_seconds",
    help: "How long the oldest job that could run has been waiting; 0 when none waits.",
    read: () => read(oldestJob),
  });
  gaugeOf(registry, {
    name: "quota_leases_outstanding",
    help: "Evaluations that runtimes hold on lease and have not reported, of all organizations with a limit.",
    read: () => lookUpOutstandingLeases(database),
  });
  gaugeOf(registry, {
    name: "trace_partitions_end_seconds",
    help: "Time until the first moment for which the traces have no partition of their own.",
    read: () => read(endOfPartitions),
  });
}

const oldestJob = `select greatest(0, extract(epoch from now() - min(run_at))) as value from graphile_worker.jobs
  where locked_at is null and run_at <= now() and attempts < max_attempts`;

interface ReadGauge {
  readonly name: string;
  readonly help: string;
  readonly read: () => Promise<number>;
}

/** A gauge that is left out of a scrape while the database does not answer. */
function gaugeOf(registry: Metrics["registry"], { name, help, read }: ReadGauge): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const late = Promise.withResolvers<undefined>();
      const timer = setTimeout(() => late.resolve(undefined), waitMs);
      const value = await Promise.race([read().catch(() => undefined), late.promise]);
      clearTimeout(timer);
      this.reset();
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
}
