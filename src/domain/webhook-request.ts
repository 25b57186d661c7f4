// The request that a webhook gets. The signature covers the exact bytes of the body, which are stored once and never
// written anew: parsing and printing JSON may change them.

import { createHmac, randomBytes } from "node:crypto";
import type { Outbound } from "../kit/outbound/client.ts";
import { OutboundError } from "../kit/outbound/error.ts";
import type { SealBinding, Sealer } from "../kit/seal.ts";
import type { WebhookRow } from "../store/webhook.ts";
import { retryAfterMs, verdictOf } from "./delivery.ts";

/** One attempt to tell of an event. */
export interface WebhookMessage {
  /** Id of the event: the same for each attempt. */
  readonly id: string;
  readonly event: string;
  /** From 1. */
  readonly attempt: number;
  readonly sentAt: Date;
  readonly body: Uint8Array;
  /** The secret in force; undefined for a webhook without one. */
  readonly secret: string | undefined;
  /** The secret before it, while it signs too. */
  readonly previousSecret: string | undefined;
}

/** What came of sending. */
export interface SendAnswer {
  /** Null when there was no answer. */
  readonly statusCode: number | null;
  /** Why it was no success, safe for the caller; null when it was. */
  readonly error: string | null;
  readonly retryAfterMs: number | undefined;
}

/** How long the secret before a rotation signs too. */
export const secretOverlapMs = 24 * 3_600_000;

/** A new signing secret. Its bytes as text, prefix included, are the key. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64url")}`;
}

/** The headers of a request. */
export function webhookHeaders(message: WebhookMessage): Record<string, string> {
  const { id, event, attempt, sentAt, body, secret, previousSecret } = message;
  return {
    "Content-Type": "application/json",
    "User-Agent": "Policy-Guard-Webhooks/1.0",
    "X-Webhook-Id": id,
    "X-Webhook-Event": event,
    "X-Webhook-Timestamp": String(Math.floor(sentAt.getTime() / 1_000)),
    "X-Webhook-Attempt": String(attempt),
    ...(secret === undefined ? {} : { "X-Webhook-Signature": signature(secret, body) }),
    ...(previousSecret === undefined ? {} : { "X-Webhook-Signature-Previous": signature(previousSecret, body) }),
  };
}

function signature(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

/** Sends, and tells what came of it; a target that cannot be reached is an answer too. */
export async function sendToWebhook(
  outbound: Outbound,
  { id, url }: Pick<WebhookRow, "id" | "url">,
  message: WebhookMessage,
): Promise<SendAnswer> {
  try {
    const request = { owner: id, url, headers: webhookHeaders(message), body: message.body };
    const { statusCode, headers } = await outbound.post(request);
    const error = verdictOf(statusCode) === "delivered" ? null : `the target answered ${statusCode}`;
    const [retryAfter] = [headers["retry-after"]].flat();
    return { statusCode, error, retryAfterMs: retryAfterMs(retryAfter, message.sentAt) };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { statusCode: null, error: error.message, retryAfterMs: undefined };
  }
}

/** The secrets that sign at this moment. */
export function openSecrets(
  sealer: Sealer,
  { orgId, id, secret, previousSecret, previousExpiresAt }: WebhookRow,
  now: Date,
): Pick<WebhookMessage, "secret" | "previousSecret"> {
  const open = (sealed: Uint8Array | null | undefined): string | undefined =>
    sealed == null ? undefined : Buffer.from(sealer.open(sealed, secretBinding(orgId, id))).toString("utf8");
  const overlaps = previousExpiresAt != null && previousExpiresAt > now;
  return { secret: open(secret), previousSecret: overlaps ? open(previousSecret) : undefined };
}

/** The secret as it is stored. */
export function sealSecret(sealer: Sealer, secret: string, { orgId, id }: Pick<WebhookRow, "orgId" | "id">): Buffer {
  return Buffer.from(sealer.seal(Buffer.from(secret, "utf8"), secretBinding(orgId, id)));
}

function secretBinding(orgId: string, rowId: string): SealBinding {
  return { purpose: "webhook.secret", orgId, rowId };
}
