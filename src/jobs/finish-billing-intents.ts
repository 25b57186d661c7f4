import { defineTask, readNothing } from "./task.ts";

/** Finishes changes at Stripe that a crash, or an answer that never came, has left open. */
export const finishBillingIntents = defineTask({
  name: "finish-billing-intents",
  schedule: { cron: "* * * * *" },
  read: readNothing,
  async run({ provider, log }) {
    const intents = (await provider?.changes.sweep()) ?? 0;
    if (intents > 0) log.info({ intents }, "looked after changes at Stripe that were left open");
  },
});
