// Steps of vectors about annotations: what a worker does.

import { QueueFill } from "../../../src/domain/measure/annotation/queue-fill.ts";
import { openDatabase } from "../../../src/store/connection/database.ts";
import { testSealer } from "../sealer.ts";
import type { SceneStep } from "./scene-step.ts";

/** Steps about annotations; see scene.ts. */
export const annotationSteps: Readonly<Record<string, SceneStep>> = {
  $fill_queue: async (_request, { plane, clock }, { orgId }) => {
    const database = await openDatabase({ url: plane.urls.workerUrl, poolSize: 1, clock });
    try {
      await new QueueFill(database, clock, testSealer).fillOrganization(orgId);
      return {};
    } finally {
      await database.close();
    }
  },
};
