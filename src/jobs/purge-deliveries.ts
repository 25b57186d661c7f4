import { defineTask, readNothing } from "./task.ts";

/** Deletes expired events and deliveries. */
export const purgeDeliveries = defineTask({
  name: "purge-deliveries",
  schedule: { cron: "17 * * * *" },
  read: readNothing,
  async run({ upkeep, log }) {
    const events = await upkeep.purge();
    if (events > 0) log.info({ events }, "purged events");
  },
});
