// Deactivates webhooks whose attempts have all failed for five days. The audit log has an entry, although nobody
// called, and the organization's admins are told.

import type { Caller } from "../../kit/rpc/context.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { dropPending } from "../../store/webhook/delivery.ts";
import { lockWebhook, markHealth } from "../../store/webhook/webhook.ts";
import { alertAdmins } from "../alert/alert.ts";
import { type TransactionalMailer, webhookDeactivatedMail } from "../mail/mail.ts";
import { serviceCaller } from "../service-caller.ts";
import type { SentAttempt } from "./attempt.ts";
import { givenUpError, verdictOf } from "./delivery.ts";
import { auditView, resourceOf } from "./view.ts";

/** Time without any success after which a webhook is deactivated. */
export const failingLimitMs = 5 * 24 * 3_600_000;

/** The caller as whom the service deactivates a webhook. */
export function deactivationCaller(orgId: string): Caller {
  return serviceCaller(orgId, { action: "webhook.deactivate", requestId: "", address: "" });
}

/**
 * Records which webhooks fail, and deactivates those that have failed for too long. Returns the ids of those that are
 * inactive now.
 */
export async function updateHealth(
  tx: Transaction,
  sent: readonly SentAttempt[],
  mailer: TransactionalMailer | undefined,
): Promise<ReadonlySet<string>> {
  const succeeded = idsOf(sent, "delivered");
  const failed = idsOf(sent, "failed").filter((id) => !succeeded.includes(id));
  const since = new Map(sent.map(({ attempt: { webhook } }) => [webhook.id, webhook.failingSince ?? null]));
  // Most attempts change nothing, so most rows are not written.
  const changed = {
    failed: failed.filter((id) => since.get(id) === null),
    succeeded: succeeded.filter((id) => since.get(id) !== null),
  };
  if (changed.failed.length + changed.succeeded.length > 0) await markHealth(tx, changed);
  const failingBefore = new Date(tx.now.getTime() - failingLimitMs);
  const failingTooLong = failed.filter((id) => (since.get(id) ?? tx.now) <= failingBefore);
  const givenUp = new Set<string>();
  for (const id of failingTooLong.sort()) if (await deactivate(tx, id, { failingBefore, mailer })) givenUp.add(id);
  return givenUp;
}

function idsOf(sent: readonly SentAttempt[], verdict: ReturnType<typeof verdictOf>): string[] {
  const matching = sent.filter(({ answer }) => verdictOf(answer.statusCode) === verdict);
  return [...new Set(matching.map(({ attempt }) => attempt.webhook.id))];
}

/**
 * Deactivates the webhook unless somebody has changed it since the claim: only failures of its present target count,
 * and they have to have begun before `failingBefore`. Returns whether the webhook is inactive now.
 */
async function deactivate(
  tx: Transaction,
  id: string,
  { failingBefore, mailer }: { readonly failingBefore: Date; readonly mailer: TransactionalMailer | undefined },
): Promise<boolean> {
  const webhook = await lockWebhook(tx, id);
  if (webhook === null) return false;
  // Deactivated while this attempt was being made: there is no other attempt of this delivery.
  if (!webhook.isActive) return true;
  const { failingSince } = webhook;
  if (failingSince == null || failingSince > failingBefore) return false;
  const before = auditView(webhook);
  webhook.isActive = false;
  webhook.failingSince = null;
  webhook.updatedAt = tx.now;
  await tx.em.flush();
  await dropPending(tx, id, givenUpError);
  tx.changed({ resource: resourceOf(id), before, after: auditView(webhook) });
  const limitSeconds = failingLimitMs / 1_000;
  await alertAdmins(tx, mailer, {
    alert: {
      name: "Webhook deactivated",
      metric: "webhook_failing_seconds",
      value: (tx.now.getTime() - failingSince.getTime()) / 1_000,
      threshold: limitSeconds,
      window_seconds: limitSeconds,
      webhook_id: id,
    },
    mail: (email, organization) => webhookDeactivatedMail(email, { organization, url: webhook.url, id }),
  });
  return true;
}
