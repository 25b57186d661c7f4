// Webhooks in the audit log.

import type { WebhookRow } from "../../store/webhook/webhook.ts";

/** Name of the resource. */
export function resourceOf(id: string): string {
  return `webhook/${id}`;
}

/** The fields whose changes are recorded; never a secret. */
export function auditView({ url, events, isActive, secret }: WebhookRow) {
  return { url, events, is_active: isActive, has_secret: secret != null };
}
