// Steps of vectors about alerts.

import { openAlert } from "../../../src/domain/alert/episode.ts";
import { groupKey } from "../../../src/domain/alert/metric.ts";
import { type AlertRuleRow, findAlertRule } from "../../../src/store/alert/alert-rule.ts";
import type { SceneStep } from "./scene-step.ts";

/** Steps about alerts; see scene.ts. */
export const alertSteps: Readonly<Record<string, SceneStep>> = {
  $alert: async ({ rule_id }, { plane }, { orgId }) =>
    plane.database.systemTransaction(orgId, async (tx) => {
      const rule = (await findAlertRule(tx, String(rule_id))) as AlertRuleRow; // the vector has made it
      const { id } = openAlert(tx, rule, groupKey({}), { until: tx.now, value: 0.5 });
      return { id };
    }),
};
