// The request that a webhook gets. The signature covers the exact bytes of the body, which are stored once and never
// written anew: parsing and printing JSON may change them. Each request is signed twice: in the header of our own, and as
// Standard Webhooks has it (https://www.standardwebhooks.com), so that receivers may use its libraries.

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
  /** The beginning of the answer's body; null when there was no answer. */
  readonly bodyStart: string | null;
}

/** How much is kept of an answer's body. */
export const bodyStartBytes = 4_096;

/** How long the secret before a rotation signs too. */
export const secretOverlapMs = 24 * 3_600_000;

const secretPrefix = "whsec_";

/**
 * A new signing secret. X-Webhook-Signature is keyed with it as it is written; webhook-signature with the bytes behind the
 * prefix, which Standard Webhooks wants in padded base64.
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
  // A key in text costs a sixth of what one in a buffer does, for which Node makes an object of its own each time.
  const hmac = createHmac("sha256", secret.slice(secretPrefix.length), { encoding: "base64" });
  return `v1,${hmac.update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}

/** Sends, and tells what came of it; a target that cannot be reached is an answer too. */
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

// PostgreSQL has no NUL in texts. A decoder that waits for more leaves out a character that is cut in two.
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

/** The secret as it is stored. */
export function sealSecret(sealer: Sealer, secret: string, { orgId, id }: Pick<WebhookRow, "orgId" | "id">): Buffer {
  return Buffer.from(sealer.seal(Buffer.from(secret, "utf8"), secretBinding(orgId, id)));
}

/** What a webhook's secret is sealed for. */
export function secretBinding(orgId: string, rowId: string): SealBinding {
  return { purpose: "webhook.secret", orgId, rowId };
}
