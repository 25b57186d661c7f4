import { defineTask, readNothing } from "./task.ts";

/** Tells organizations that 80 % and 100 % of a month's evaluations are used. */
export const notifyQuotas = defineTask({
  name: "notify-quotas",
  schedule: { cron: "* * * * *" },
  read: readNothing,
  async run({ quotas, log }) {
    const told = await quotas.notify();
    if (told > 0) log.info({ organizations: told }, "told organizations how much of the month is used");
  },
});
