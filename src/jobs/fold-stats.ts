import { defineTask, readNothing } from "./task.ts";

/** Adds what ingests counted to the counts by minute, hour and day. */
export const foldStats = defineTask({
  name: "fold-stats",
  schedule: { everySeconds: 30 },
  read: readNothing,
  async run({ statFold, clock, onFold }) {
    onFold(await statFold.foldAll(clock.now()));
  },
});
