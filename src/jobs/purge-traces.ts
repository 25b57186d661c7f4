import { defineTask, readNothing } from "./task.ts";

/** Removes traces that are no longer kept. Once a day, in the quiet hours. */
export const purgeTraces = defineTask({
  name: "purge-traces",
  schedule: { cron: "23 2 * * *", backfillMs: 24 * 3_600_000 },
  read: readNothing,
  async run({ retention, log }) {
    const purged = await retention.purge();
    if (purged.traces + purged.texts + purged.keys + purged.counts + purged.partitions.length > 0)
      log.info(purged, "purged traces");
  },
});
