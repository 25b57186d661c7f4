import { defineTask, readNothing } from "./task.ts";

/** Compares alert rules with the windows that have ended. */
export const evaluateAlerts = defineTask({
  name: "evaluate-alerts",
  schedule: { cron: "* * * * *" },
  read: readNothing,
  async run({ alerts, clock, onAlerts }) {
    onAlerts(await alerts.evaluateAll(clock.now()));
  },
});
