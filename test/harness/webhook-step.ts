// Steps of vectors about webhooks: what the worker does.

import { insertAttempt } from "../../src/store/webhook-attempt.ts";
import { claimDue, recordAttempt } from "../../src/store/webhook-delivery.ts";
import type { SceneStep } from "./scene.ts";

/** Steps about webhooks; see scene.ts. */
export const webhookSteps: Readonly<Record<string, SceneStep>> = {
  $dropped: async ({ webhook_id }, { plane }, { orgId }) =>
    plane.database.systemTransaction(orgId, async (tx) => {
      const [claim] = await claimDue(tx, String(webhook_id), { most: 1, until: new Date(tx.now.getTime() + 30_000) });
      if (claim === undefined) throw new Error("nothing is due");
      const failure = { statusCode: 503, error: "the target answered 503" };
      await recordAttempt(tx, claim, {
        ...failure,
        state: "dropped",
        attempts: 1,
        nextAttemptAt: null,
        firstAttemptAt: tx.now,
      });
      await insertAttempt(tx, claim.id, { ...failure, number: 1, startedAt: tx.now, durationMs: 87, answer: "away" });
      return { id: claim.id, event_id: claim.event_id };
    }),
};
