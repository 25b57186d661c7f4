import { defineTask, readNothing } from "./task.ts";

const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Signs anew what was signed a day ago: an activation may be adopted for seven days, so that a frozen mirror is
 * noticed.
 */
export const refreshActivations = defineTask({
  name: "refresh-activations",
  schedule: { cron: "41 * * * *" },
  read: readNothing,
  async run({ activations: refresh, clock, log }) {
    const activations = await refresh.refresh(new Date(clock.now().getTime() - dayMs));
    if (activations > 0) log.info({ activations }, "signed activations again");
  },
});
