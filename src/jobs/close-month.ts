import { defineTask, readNothing } from "./task.ts";

/** Closes the past month after its leases have ended: early on the first day of a month, in UTC. */
export const closeMonth = defineTask({
  name: "close-month",
  schedule: { cron: "10 0 1 * *", backfillMs: 28 * 24 * 3_600_000 },
  read: readNothing,
  async run({ quotas, log }) {
    const organizations = await quotas.closeMonth();
    log.info({ organizations }, "closed the month that is over");
  },
});
