// How the audit record speaks of webhooks.

import type { WebhookRow } from "../store/webhook.ts";

/** Name of the resource. */
export function resourceOf(id: string): string {
  return `webhook/${id}`;
}

/** What changes are recorded of; never a secret. */
export function auditView({ url, events, isActive, secret }: WebhookRow) {
  return { url, events, is_active: isActive, has_secret: secret != null };
}
