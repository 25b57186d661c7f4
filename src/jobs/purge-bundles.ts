import { defineTask, readNothing } from "./task.ts";

/** Removes the content of bundles that were not active for 90 days. Once a day, in the quiet hours. */
export const purgeBundles = defineTask({
  name: "purge-bundles",
  schedule: { cron: "47 2 * * *", backfillMs: 24 * 3_600_000 },
  read: readNothing,
  async run({ bundleRetention, log }) {
    const purged = await bundleRetention.purge();
    if (purged.bundles + purged.parts > 0) log.info(purged, "purged bundles");
  },
});
