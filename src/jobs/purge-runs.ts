import { defineTask, readNothing } from "./task.ts";

/** Removes runs that are no longer kept. Once a day, in the quiet hours. */
export const purgeRuns = defineTask({
  name: "purge-runs",
  schedule: { cron: "37 2 * * *", backfillMs: 24 * 3_600_000 },
  read: readNothing,
  async run({ runRetention, log }) {
    const runs = await runRetention.purge();
    if (runs > 0) log.info({ runs }, "purged runs");
  },
});
