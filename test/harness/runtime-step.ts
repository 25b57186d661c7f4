// Steps of vectors about the fleet: what runtimes say over their streams, which no unary call can.

import { newId } from "../../src/kit/id.ts";
import { addGaps } from "../../src/store/reporting-gap.ts";
import { touchInstance, writeInstanceStatus } from "../../src/store/runtime-instance.ts";
import { addUsage } from "../../src/store/usage.ts";
import type { SceneStep } from "./scene.ts";

/** Steps about runtimes; see scene.ts. */
export const runtimeSteps: Readonly<Record<string, SceneStep>> = {
  $use: async ({ evaluations }, { plane }, { orgId }) => {
    await plane.database.systemTransaction(orgId, (tx) =>
      addUsage(tx, new Map([[`${tx.now.toISOString().slice(0, 7)}-01`, Number(evaluations)]])),
    );
    return {};
  },
  $runtime: async ({ project_id, environment, lost, ...said }, { plane }, { orgId }) => {
    const key = { projectId: String(project_id), environment: String(environment), instanceId: newId() };
    const status = {
      bundleVersion: Number(said.bundle_version ?? 0),
      activationSeq: Number(said.activation_seq ?? 0),
      rejection: String(said.rejection ?? ""),
      spoolDepth: Number(said.spool_depth ?? 0),
    };
    const count = Number(lost ?? 0);
    await plane.database.systemTransaction(orgId, async (tx) => {
      await touchInstance(tx, key, "1.0.0");
      await writeInstanceStatus(tx, key, status);
      if (count > 0) await addGaps(tx, key, [{ firstSeq: 1, lastSeq: count, count, reason: "spool_full" }]);
    });
    return { id: key.instanceId };
  },
};
