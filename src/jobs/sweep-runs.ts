import { defineTask, readNothing } from "./task.ts";

/** Finds runs and imports that nobody works on, as when a process died. */
export const sweepRuns = defineTask({
  name: "sweep-runs",
  schedule: { cron: "* * * * *" },
  read: readNothing,
  async run({ runs, imports, clock, log }) {
    const woken = await runs.sweep();
    if (woken > 0) log.info({ runs: woken }, "woke runs that nobody worked on");
    const ended = await imports.sweep(clock.now());
    if (ended > 0) log.info({ imports: ended }, "ended imports that nobody worked on");
  },
});
