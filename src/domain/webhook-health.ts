// When a webhook is given up: its target says 410, that nobody will listen there again, or it has only failed for five days.
// What the service does by itself is in the audit record too, and alert.triggered tells the organization's other webhooks.

import { CredentialKind } from "../../gen/policyguard/options/v1/options_pb.ts";
import type { Caller } from "../kit/context.ts";
import type { Transaction } from "../store/database.ts";
import { lockWebhook, markHealth } from "../store/webhook.ts";
import { dropPending } from "../store/webhook-delivery.ts";
import { inactiveError, verdictOf } from "./delivery.ts";
import type { SentAttempt } from "./delivery-recorder.ts";
import { publishEvent } from "./event.ts";
import { auditView, resourceOf } from "./webhook-view.ts";

/** After so long without any success a webhook is deactivated. */
export const failingLimitMs = 5 * 24 * 3_600_000;

/** As whom the service deactivates. */
export function deactivationCaller(orgId: string): Caller {
  return {
    credential: {
      kind: CredentialKind.UNSPECIFIED,
      id: "policy-guard",
      label: "policy-guard",
      orgId,
      projectId: undefined,
      environment: undefined,
      roles: new Map(),
    },
    orgId,
    role: undefined,
    audit: { action: "webhook.deactivate", requestId: "", address: "" },
  };
}

/** Writes down who fails and who does not, and deactivates those to give up. Returns the ids of those that are given up. */
export async function updateHealth(tx: Transaction, sent: readonly SentAttempt[]): Promise<ReadonlySet<string>> {
  const succeeded = idsOf(sent, (verdict) => verdict === "delivered");
  const gone = goneUrls(sent);
  const failed = idsOf(sent, (verdict) => verdict === "failed").filter((id) => !succeeded.includes(id));
  const since = new Map(sent.map(({ attempt: { webhook } }) => [webhook.id, webhook.failingSince ?? null]));
  // Most attempts change nothing, and then the rows are left alone.
  const changed = {
    failed: failed.filter((id) => since.get(id) === null),
    succeeded: succeeded.filter((id) => since.get(id) !== null),
  };
  if (changed.failed.length + changed.succeeded.length > 0) await markHealth(tx, changed);
  const oldest = new Date(tx.now.getTime() - failingLimitMs);
  const candidates = failed.filter((id) => (since.get(id) ?? tx.now) <= oldest);
  const givenUp = new Set<string>();
  for (const id of [...new Set([...gone.keys(), ...candidates])].sort()) {
    if (await deactivate(tx, id, { gone: gone.get(id) ?? [], oldest })) givenUp.add(id);
  }
  return givenUp;
}

/** The targets that said 410, by webhook. */
function goneUrls(sent: readonly SentAttempt[]): ReadonlyMap<string, readonly string[]> {
  const all = sent.filter(({ answer }) => verdictOf(answer.statusCode) === "gone");
  const byId = Map.groupBy(all, ({ attempt }) => attempt.webhook.id);
  return new Map([...byId].map(([id, some]) => [id, some.map(({ attempt }) => attempt.webhook.url)]));
}

function idsOf(sent: readonly SentAttempt[], matches: (verdict: ReturnType<typeof verdictOf>) => boolean): string[] {
  return [
    ...new Set(
      sent.filter(({ answer }) => matches(verdictOf(answer.statusCode))).map(({ attempt }) => attempt.webhook.id),
    ),
  ];
}

// Somebody may have changed the webhook since the claim: only its own target counts, and failures that began before `oldest`.
/** Whether the webhook is inactive now. */
async function deactivate(
  tx: Transaction,
  id: string,
  { gone, oldest }: { readonly gone: readonly string[]; readonly oldest: Date },
): Promise<boolean> {
  const webhook = await lockWebhook(tx, id);
  if (webhook === null) return false;
  // Given up while this attempt was on its way: it is the last of its delivery too.
  if (!webhook.isActive) return true;
  const { failingSince } = webhook;
  const isGone = gone.includes(webhook.url);
  if (!isGone && (failingSince == null || failingSince > oldest)) return false;
  const before = auditView(webhook);
  webhook.isActive = false;
  webhook.failingSince = null;
  webhook.updatedAt = tx.now;
  await tx.em.flush();
  await dropPending(tx, id, inactiveError);
  tx.changed({ resource: resourceOf(id), before, after: auditView(webhook) });
  const limitSeconds = failingLimitMs / 1_000;
  const failingSeconds = failingSince == null ? 0 : (tx.now.getTime() - failingSince.getTime()) / 1_000;
  await publishEvent(tx, "alert.triggered", {
    alert_rule_id: null,
    name: "Webhook deactivated",
    state: "triggered",
    project_id: null,
    webhook_id: id,
    ...(isGone
      ? { metric: "webhook_status", value: 410, threshold: 410, window_seconds: 0 }
      : {
          metric: "webhook_failing_seconds",
          value: failingSeconds,
          threshold: limitSeconds,
          window_seconds: limitSeconds,
        }),
  });
  return true;
}
