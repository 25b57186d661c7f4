// Steps of vectors about alerts.

import { openAlert } from "../../../src/domain/alert/episode.ts";
import { groupKey } from "../../../src/domain/alert/metric.ts";
import { AlertGroupRow, findAlertRule } from "../../../src/store/alert/alert-rule.ts";
import type { SceneStep } from "./scene-step.ts";

/** Steps about alerts; see scene.ts. */
export const alertSteps: Readonly<Record<string, SceneStep>> = {
  /** An alert of the rule that is open, and was told. */
  $alert: async ({ rule_id }, { plane }, { orgId }) =>
    plane.database.systemTransaction(orgId, async (tx) => {
      const rule = await findAlertRule(tx, String(rule_id));
      if (rule === null) throw new Error("the rule of an alert comes first");
      const alert = openAlert(tx, rule, groupKey({}), { until: tx.now, value: 0.5, samples: 40 });
      Object.assign(alert, { notifiedAt: tx.now, notifications: 1 });
      const group = { orgId, ruleId: rule.id, groupKey: alert.groupKey };
      tx.em.create(AlertGroupRow, { ...group, state: "firing", since: tx.now, alertId: alert.id });
      return { id: alert.id };
    }),
};
