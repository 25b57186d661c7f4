import { isUuid } from "../kit/id.ts";
import { defineTask } from "./task.ts";

/** Wakes whoever delivers to the webhook, and ends: it does not wait for the target. */
export const deliverWebhook = defineTask({
  name: "deliver-webhook",
  read: ({ org_id, webhook_id }) => ({ org_id: readId(org_id), webhook_id: readId(webhook_id) }),
  run: ({ dispatcher }, address) => dispatcher.wake(address),
});

function readId(value: unknown): string {
  if (typeof value !== "string" || !isUuid(value))
    throw new Error("a deliver-webhook job without the ids that it needs");
  return value;
}
