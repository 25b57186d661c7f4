// When versions of bundles decided evaluations, as far as the cubes know.

import { runBound } from "../core/bulk.ts";
import type { Transaction } from "../core/transaction.ts";
import { otherVersion, Period } from "./stat-cube.ts";
import type { TraceFilter } from "./trace-query.ts";

/** Which version to ask for, and where. */
export type VersionFilter = Pick<TraceFilter, "projectId" | "environment" | "since"> & {
  readonly bundleVersion: number;
};

/** Hours and days, in milliseconds since 1970, in which the version decided something. */
export interface VersionTimes {
  readonly days: readonly number[];
  readonly hours: readonly number[];
}

/** The days in which the version, or one beyond the cube's cap, decided something, and the hours of the latest ones. */
export async function readVersionTimes(
  tx: Transaction,
  { projectId, environment, bundleVersion, since }: VersionFilter,
  hoursSince: Date,
): Promise<VersionTimes> {
  const rows = await runBound<{ period: number; start_ms: number }>(
    tx,
    `select distinct period, (extract(epoch from start) * 1000)::float8 as start_ms from stat_version
     where org_id = $1 and (period = ${Period.DAY} or (period = ${Period.HOUR} and start >= $2))
       and bundle_version in ($3, ${otherVersion}) and ($4::uuid is null or project_id = $4)
       and ($5::text is null or environment = $5) and ($6::timestamptz is null or start > $6::timestamptz - interval '1 day')`,
    [tx.orgId, hoursSince, bundleVersion, projectId ?? null, environment ?? null, since ?? null],
  );
  const of = (wanted: number) => rows.filter(({ period }) => period === wanted).map(({ start_ms }) => start_ms);
  return { days: of(Period.DAY), hours: of(Period.HOUR) };
}

/** Whether the organization has traces that are in no cube yet. */
export async function hasUncounted(tx: Transaction): Promise<boolean> {
  const rows = await runBound(tx, "select 1 as found from trace where org_id = $1 and form = 0 limit 1", [tx.orgId]);
  return rows.length > 0;
}
