import { defineTask, readNothing } from "./task.ts";

/** How long one run works: less than a worker that is to end waits for its jobs. The next run goes on. */
const sliceMs = 6_000;

/** Brings traces that an earlier version stored to their present form. */
export const upgradeTraces = defineTask({
  name: "upgrade-traces",
  schedule: { everySeconds: 30 },
  read: readNothing,
  async run({ traceUpgrade, log }) {
    const endsAtMs = performance.now() + sliceMs;
    const traces = await traceUpgrade.run(() => performance.now() < endsAtMs);
    if (traces > 0) log.info({ traces }, "brought traces of an earlier version to their present form");
  },
});
