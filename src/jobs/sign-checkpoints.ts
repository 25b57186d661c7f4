import { defineTask, readNothing } from "./task.ts";

/** Signs checkpoints of the logs of evidence that have news. Every thousandth entry of a log asks for it too. */
export const signCheckpoints = defineTask({
  name: "sign-checkpoints",
  schedule: { cron: "* * * * *" },
  read: readNothing,
  async run({ checkpoints, log }) {
    const signed = await checkpoints.signAll();
    if (signed > 0) log.debug({ signed }, "signed checkpoints of logs of evidence");
  },
});
