import { defineTask, readNothing } from "./task.ts";

/** Compares the counts of usage by month with those by day. Once a day, in the quiet hours. */
export const reconcileUsage = defineTask({
  name: "reconcile-usage",
  schedule: { cron: "47 2 * * *", backfillMs: 24 * 3_600_000 },
  read: readNothing,
  async run({ usageReconciliation, clock, log, onUsageDifference, onReconciled }) {
    let differences = 0;
    await usageReconciliation.compare(clock.now(), (difference) => {
      differences += 1;
      onUsageDifference();
      log.error(difference, "two counts of an organization's usage differ");
    });
    onReconciled("usage", differences);
  },
});
