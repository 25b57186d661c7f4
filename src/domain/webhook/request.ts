// The request to a webhook. The signature covers the exact bytes of the body, which are stored once and never printed
// again: parsing and printing JSON may change them. Each request is signed twice: in the product's own header, and as
// Standard Webhooks defines it (https://www.standardwebhooks.com), so that receivers may use its libraries.

import { createHmac, randomBytes } from "node:crypto";
import type { Outbound } from "../../kit/net/outbound/client.ts";
import { OutboundError } from "../../kit/net/outbound/error.ts";
import type { SealBinding, Sealer } from "../../platform/seal.ts";
import type { WebhookRow } from "../../store/webhook/webhook.ts";
import { retryAfterMs, verdictOf } from "./delivery.ts";

/** The message of one attempt. */
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
  /** The former secret, while it signs too. */
  readonly previousSecret: string | undefined;
}

/** The result of sending. */
export interface SendAnswer {
  /** Null when there was no answer. */
  readonly statusCode: number | null;
  /** Why it failed, safe for the caller; null when it succeeded. */
  readonly error: string | null;
  readonly retryAfterMs: number | undefined;
  /** The beginning of the answer's body; null when there was no answer. */
  readonly bodyStart: string | null;
}

/** Bytes of an answer's body that are kept. */
const bodyStartBytes = 4_096;

/** How long the former secret signs too after a rotation. */
export const secretOverlapMs = 24 * 3_600_000;

const secretPrefix = "whsec_";

/**
 * A new signing secret. X-Webhook-Signature is keyed with it as it is written; webhook-signature with the bytes after
 * the prefix, which Standard Webhooks requires in padded base64.
 */
export function newSecret(): string {
  return `${secretPrefix}${randomBytes(32).toString("base64")}`;
}

/** The headers of a request. */
export function webhookHeaders(message: WebhookMessage): Record<string, string> {
  const { id, event, attempt, sentAt, body, secret, previousSecret } = message;
  const timestamp = String(Math.floor(sentAt.getTime() / 1_000));
  const signed = [secret, previousSecret].filter((each) => each !== undefined);
  const standard = signed.map((each) => standardSignature(each, { id, timestamp, body })).join(" ");
  return {
    "Content-Type": "application/json",
    "User-Agent": "Policy-Guard-Webhooks/1.0",
    "X-Webhook-Id": id,
    "X-Webhook-Event": event,
    "X-Webhook-Timestamp": timestamp,
    "X-Webhook-Attempt": String(attempt),
    ...(secret === undefined ? {} : { "X-Webhook-Signature": signature(secret, body) }),
    ...(previousSecret === undefined ? {} : { "X-Webhook-Signature-Previous": signature(previousSecret, body) }),
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    ...(standard === "" ? {} : { "webhook-signature": standard }),
  };
}

function signature(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

function standardSignature(
  secret: string,
  { id, timestamp, body }: { readonly id: string; readonly timestamp: string; readonly body: Uint8Array },
): string {
  // A key as text costs a sixth of a key in a buffer, for which Node makes a KeyObject each time.
  const hmac = createHmac("sha256", secret.slice(secretPrefix.length), { encoding: "base64" });
  return `v1,${hmac.update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}

/** Sends the message. A target that cannot be reached is a result, not an error. */
export async function sendToWebhook(
  outbound: Outbound,
  { id, url }: Pick<WebhookRow, "id" | "url">,
  message: WebhookMessage,
): Promise<SendAnswer> {
  try {
    const request = { owner: id, url, headers: webhookHeaders(message), body: message.body };
    const { statusCode, headers, bodyText } = await outbound.post(request);
    const error = verdictOf(statusCode) === "delivered" ? null : `the target answered ${statusCode}`;
    const [retryAfter] = [headers["retry-after"]].flat();
    const wait = retryAfterMs(retryAfter, message.sentAt);
    return { statusCode, error, retryAfterMs: wait, bodyStart: startOf(bodyText) };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { statusCode: null, error: error.message, retryAfterMs: undefined, bodyStart: null };
  }
}

// PostgreSQL has no NUL in texts. A streaming decoder leaves out a character that is cut at the end.
function startOf(text: string): string {
  const bytes = Buffer.from(text.replaceAll("\0", "\uFFFD"), "utf8").subarray(0, bodyStartBytes);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
}

/** The secrets that sign. */
export type SigningSecrets = Pick<WebhookMessage, "secret" | "previousSecret">;

/** The secrets that sign at this moment. */
export function openSecrets(
  sealer: Sealer,
  {
    orgId,
    id,
    secret,
    previousSecret,
    previousExpiresAt,
  }: Pick<WebhookRow, "orgId" | "id" | "secret" | "previousSecret" | "previousExpiresAt">,
  now: Date,
): SigningSecrets {
  const open = (sealed: Uint8Array | null | undefined): string | undefined =>
    sealed == null ? undefined : Buffer.from(sealer.open(sealed, secretBinding(orgId, id))).toString("utf8");
  const overlaps = previousExpiresAt != null && previousExpiresAt > now;
  return { secret: open(secret), previousSecret: overlaps ? open(previousSecret) : undefined };
}

/** The secret in its stored form. */
export function sealSecret(sealer: Sealer, secret: string, { orgId, id }: Pick<WebhookRow, "orgId" | "id">): Buffer {
  return Buffer.from(sealer.seal(Buffer.from(secret, "utf8"), secretBinding(orgId, id)));
}

/** The seal binding of a webhook's secret. */
export function secretBinding(orgId: string, rowId: string): SealBinding {
  return { purpose: "webhook.secret", orgId, rowId };
}
