// How long counts are kept: minutes for two days, hours as long as evaluations may arrive late, days for 25 months,
// whatever becomes of the traces.

import { deleteUsageDays } from "../../store/billing/usage-day.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Cube } from "../../store/telemetry/cube.ts";
import { deleteCubeRows, lockCubes, Period, statCubes } from "../../store/telemetry/stat-cube.ts";
import { takeDeltas } from "../../store/telemetry/stat-delta.ts";
import { periods } from "./cube-sums.ts";

/** Months for which counts by day are kept. */
export const keptCountMonths = 25;

/** Rows that one transaction deletes. */
const rowsAtOnce = 5_000;

/** Removes counts that are no longer kept. Returns how many rows there were. */
export async function purgeStats(database: Database, orgId: string, now: Date): Promise<number> {
  const oldestDay = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - keptCountMonths));
  let gone = 0;
  for (const { period, lengthMs, keptMs } of periods) {
    const before = period === Period.DAY ? oldestDay : new Date(now.getTime() - keptMs - lengthMs);
    for (const cube of statCubes) gone += await purgeRows(database, orgId, cube, { period, before });
  }
  const day = oldestDay.toISOString().slice(0, 10);
  await database.systemTransaction(orgId, (tx) => deleteUsageDays(tx, day));
  return gone;
}

/** Removes all counts of an organization that was deleted. */
export async function purgeStatsOfDeleted(database: Database, orgId: string, now: Date): Promise<void> {
  const ever = new Date(now.getTime() + 366 * 86_400_000);
  await database.systemTransaction(orgId, async (tx) => {
    // A fold that runs would add to the cubes once more.
    await lockCubes(tx);
    while ((await takeDeltas(tx, rowsAtOnce)).length > 0);
  });
  for (const { period } of periods) {
    for (const cube of statCubes) await purgeRows(database, orgId, cube, { period, before: ever });
  }
  await database.systemTransaction(orgId, (tx) => deleteUsageDays(tx, ever.toISOString().slice(0, 10)));
}

async function purgeRows(
  database: Database,
  orgId: string,
  cube: Cube,
  rows: { readonly period: Period; readonly before: Date },
): Promise<number> {
  let gone = 0;
  for (let deleted = rowsAtOnce; deleted === rowsAtOnce; gone += deleted) {
    deleted = await database.systemTransaction(orgId, (tx) => deleteCubeRows(tx, cube, { ...rows, limit: rowsAtOnce }));
  }
  return gone;
}
