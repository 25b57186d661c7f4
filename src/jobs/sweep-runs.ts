import { defineTask, readNothing } from "./task.ts";

/** Finds runs that nobody works on, as when a worker died. */
export const sweepRuns = defineTask({
  name: "sweep-runs",
  schedule: { cron: "* * * * *" },
  read: readNothing,
  async run({ runs, log }) {
    const woken = await runs.sweep();
    if (woken > 0) log.info({ runs: woken }, "woke runs that nobody worked on");
  },
});
