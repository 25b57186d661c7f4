import { isUuid } from "../kit/process/id.ts";
import { defineTask } from "./task.ts";

/** Wakes the dispatcher for the webhook, and does not wait for the target. */
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
