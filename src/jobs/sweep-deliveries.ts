import { defineTask, readNothing } from "./task.ts";

/** Finds deliveries that are due and that no job has picked up. */
export const sweepDeliveries = defineTask({
  name: "sweep-deliveries",
  schedule: { everySeconds: 30 },
  read: readNothing,
  async run({ upkeep, log }) {
    const webhooks = await upkeep.sweep();
    if (webhooks > 0) log.info({ webhooks }, "woke webhooks with overdue deliveries");
  },
});
