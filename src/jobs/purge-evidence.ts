import { defineTask, readNothing } from "./task.ts";

/** Forgets entries of the logs of evidence that are no longer kept. Once a day, in the quiet hours. */
export const purgeEvidence = defineTask({
  name: "purge-evidence",
  schedule: { cron: "41 2 * * *", backfillMs: 24 * 3_600_000 },
  read: readNothing,
  async run({ evidenceRetention, log }) {
    const entries = await evidenceRetention.purge();
    if (entries > 0) log.info({ entries }, "purged entries of logs of evidence");
  },
});
