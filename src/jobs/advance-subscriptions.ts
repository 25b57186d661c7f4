import { defineTask, readNothing } from "./task.ts";

/** Renews, ends and blocks subscriptions whose time has come, and ends plans of the operator. */
export const advanceSubscriptions = defineTask({
  name: "advance-subscriptions",
  schedule: { cron: "* * * * *" },
  read: readNothing,
  async run({ billing, log }) {
    const organizations = await billing.advance();
    if (organizations > 0) log.info({ organizations }, "looked at subscriptions that were due");
  },
});
