import { defineTask, readNothing } from "./task.ts";

/** Tells organizations of projects that have used far more than usual. Once a day, after the last day is folded. */
export const findUsageAnomaly = defineTask({
  name: "find-usage-anomaly",
  schedule: { cron: "17 3 * * *", backfillMs: 2 * 24 * 3_600_000 },
  read: readNothing,
  async run({ usageAnomalies, clock, log }) {
    const told = await usageAnomalies.find(clock.now());
    if (told > 0) log.info({ projects: told }, "told organizations of projects that used far more than usual");
  },
});
