import { isUuid } from "../kit/process/id.ts";
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

/** Compares the alert rules of some organizations, when there are too many for one job. */
export const evaluateAlertsOf = defineTask({
  name: "evaluate-alerts-of",
  read: ({ org_ids }) => ({ org_ids: readIds(org_ids) }),
  async run({ alerts, clock, onAlerts }, { org_ids }) {
    onAlerts(await alerts.evaluateThese(org_ids, clock.now()));
  },
});

function readIds(value: unknown): string[] {
  const ids = Array.isArray(value) ? value.filter((id) => typeof id === "string" && isUuid(id)) : [];
  if (ids.length === 0) throw new Error("an evaluate-alerts-of job without the ids that it needs");
  return ids;
}
