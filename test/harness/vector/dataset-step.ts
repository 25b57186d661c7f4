// Steps of vectors about datasets.

import type { SceneStep } from "./scene-step.ts";

/** Steps about datasets; see scene.ts. */
export const datasetSteps: Readonly<Record<string, SceneStep>> = {
  $importing: async ({ dataset_id }, { plane }, { orgId }) => {
    const text = "update dataset set state = 'importing' where org_id = ? and id = ?";
    await plane.database.systemTransaction(orgId, (tx) => tx.sql(text, [orgId, dataset_id]));
    return {};
  },
  $crowded: async ({ dataset_id }, { plane }, { orgId }) => {
    const text = "update dataset set sample_count = 1000000 where org_id = ? and id = ?";
    await plane.database.systemTransaction(orgId, (tx) => tx.sql(text, [orgId, dataset_id]));
    return {};
  },
};
