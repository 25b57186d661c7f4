import { defineTask, readNothing } from "./task.ts";

/** Deletes expired sessions, tokens and links, and old counters of attempts. */
export const purgeAccounts = defineTask({
  name: "purge-accounts",
  schedule: { cron: "41 * * * *" },
  read: readNothing,
  async run({ accounts, log }) {
    const purged = await accounts.purge();
    if (purged > 0) log.info({ accounts: purged }, "purged expired sessions, tokens and links");
  },
});
