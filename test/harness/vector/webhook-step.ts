// Steps of vectors about webhooks: what the worker does.

import { recordAttempts } from "../../../src/store/webhook/attempt.ts";
import { claimDue } from "../../../src/store/webhook/delivery.ts";
import type { SceneStep } from "./scene-step.ts";

/** Steps about webhooks; see scene.ts. */
export const webhookSteps: Readonly<Record<string, SceneStep>> = {
  $dropped: async ({ webhook_id }, { plane }, { orgId }) =>
    plane.database.systemTransaction(orgId, async (tx) => {
      const until = new Date(tx.now.getTime() + 30_000);
      const [claim] = (await claimDue(tx, String(webhook_id), { limit: 1, until, own: [] })) ?? [];
      if (claim === undefined) throw new Error("nothing is due");
      await recordAttempts(tx, [
        {
          claim,
          state: "dropped",
          attempts: 1,
          startedAt: tx.now,
          durationMs: 87,
          statusCode: 503,
          error: "the target answered 503",
          answer: "away",
          nextAttemptAt: null,
          firstAttemptAt: tx.now,
        },
      ]);
      return { id: claim.id, event_id: claim.event_id };
    }),
};
