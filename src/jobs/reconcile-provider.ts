import { defineTask, readNothing } from "./task.ts";

/** Compares every customer with Stripe, which makes up for events that were lost. Once a day, in the quiet hours. */
export const reconcileProvider = defineTask({
  name: "reconcile-provider",
  schedule: { cron: "23 3 * * *", backfillMs: 24 * 3_600_000 },
  read: readNothing,
  async run({ provider, log, onProviderDifference, onReconciled }) {
    if (provider === undefined) return;
    const { organizations, changed, failed } = await provider.upkeep.reconcile();
    for (const difference of changed) {
      onProviderDifference();
      log.warn(difference, "an organization stood otherwise than Stripe says: its events were lost");
    }
    onReconciled("provider", changed.length);
    log.info({ organizations, changed: changed.length, failed: failed.length }, "compared customers with Stripe");
  },
});
