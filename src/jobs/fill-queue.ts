import { defineTask, readNothing } from "./task.ts";

/** Fills the queues of traces to annotate. */
export const fillQueue = defineTask({
  name: "fill-queue",
  schedule: { cron: "7 * * * *" },
  read: readNothing,
  run: ({ queueFill }) => queueFill.fillAll(),
});
