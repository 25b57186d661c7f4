import { defineTask, readNothing } from "./task.ts";

/** Deletes events and deliveries that are older than they are kept. */
export const purgeDeliveries = defineTask({
  name: "purge-deliveries",
  schedule: { cron: "17 * * * *" },
  read: readNothing,
  async run({ upkeep, log }) {
    const events = await upkeep.purge();
    if (events > 0) log.info({ events }, "purged events");
  },
});
