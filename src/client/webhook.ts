// The receiver's side of webhooks: checks that a delivery comes from Policy Guard, by WebCrypto, so in Node, Deno, Bun,
// browsers and at the edge. `verifyWebhook` follows Standard Webhooks 1.0.0 (https://www.standardwebhooks.com), whose
// signature covers id, timestamp and body; `verifyBody` checks the headers of our own, which cover the body alone.

import { type DescMessage, fromJson, type JsonObject, type MessageShape } from "@bufbuild/protobuf";

/** Why a delivery cannot be trusted. */
export type WebhookRefusal = "header_missing" | "timestamp" | "signature" | "body";

/** A delivery that cannot be trusted. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
  readonly refusal: WebhookRefusal;

  constructor(refusal: WebhookRefusal, message: string) {
    super(message);
    this.refusal = refusal;
  }
}

/** Headers of a request: those of fetch, of node:http, or any object by lower-case name. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A delivery as it came. */
export interface WebhookDelivery {
  /** The secret, as it was shown when it was created; several during a rotation. */
  readonly secret: string | readonly string[];
  /** The bytes of the body, before any parsing. A string is taken as UTF-8. */
  readonly body: Uint8Array | string;
  readonly headers: WebhookHeaders;
  /** Maximum distance of the timestamp from now, in seconds. Default: 300. */
  readonly toleranceSeconds?: number;
  /** Now, in milliseconds. */
  readonly now?: number;
}

/** What happened. */
export interface WebhookEvent {
  /** The same in each attempt, so that receivers can recognise repetitions. */
  readonly id: string;
  /** Such as "bundle.activated". */
  readonly event: string;
  readonly created_at: string;
  readonly org_id: string;
  readonly data: JsonObject;
}

/** Checks signature and timestamp, and reads the event. Rejects with a WebhookVerificationError. */
export async function verifyWebhook(delivery: WebhookDelivery): Promise<WebhookEvent> {
  const { headers, toleranceSeconds = 300, now = Date.now() } = delivery;
  const id = required(headers, "webhook-id");
  const timestamp = required(headers, "webhook-timestamp");
  const signatures = required(headers, "webhook-signature");
  const body = bytesOf(delivery.body);
  const ageSeconds = Math.abs(now / 1_000 - Number(timestamp));
  if (!/^\d{1,12}$/.test(timestamp) || !(ageSeconds <= toleranceSeconds))
    throw new WebhookVerificationError("timestamp", "the delivery is too old, or of another time");
  const signed = joined(bytesOf(`${id}.${timestamp}.`), body);
  const given = signatures.split(" ").flatMap((entry) => (entry.startsWith("v1,") ? fromBase64(entry.slice(3)) : []));
  const keys = secretsOf(delivery).flatMap((secret) => fromBase64(secret.replace(/^whsec_/, "")));
  await demandMatch(keys, given, signed);
  return eventOf(body);
}

/** Checks X-Webhook-Signature or, during a rotation, X-Webhook-Signature-Previous, and reads the event. */
export async function verifyBody(delivery: Omit<WebhookDelivery, "toleranceSeconds" | "now">): Promise<WebhookEvent> {
  const { headers } = delivery;
  const body = bytesOf(delivery.body);
  const texts = [required(headers, "x-webhook-signature"), headerOf(headers, "x-webhook-signature-previous") ?? ""];
  const given = texts.flatMap((text) =>
    /^sha256=[0-9a-f]{64}$/.test(text) ? fromHex(text.slice("sha256=".length)) : [],
  );
  await demandMatch(secretsOf(delivery).map(bytesOf), given, body);
  return eventOf(body);
}

/** The event's data as the message that documents it, such as `BundleActivatedDataSchema`. */
export function eventData<Schema extends DescMessage>(schema: Schema, { data }: WebhookEvent): MessageShape<Schema> {
  return fromJson(schema, data, { ignoreUnknownFields: true });
}

type Bytes = Uint8Array<ArrayBuffer>;

async function demandMatch(keys: readonly Bytes[], given: readonly Bytes[], signed: Bytes): Promise<void> {
  const { subtle } = globalThis.crypto;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  for (const bytes of keys) {
    if (bytes.length === 0) continue;
    const key = await subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
    // `verify` compares in constant time.
    for (const signature of given) if (await subtle.verify("HMAC", key, signature, signed)) return;
  }
  throw new WebhookVerificationError("signature", "no signature of the delivery is by this secret");
}

function eventOf(body: Bytes): WebhookEvent {
  try {
    const event: WebhookEvent = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    if (typeof event.id === "string" && typeof event.event === "string" && typeof event.data === "object") return event;
  } catch {
    // Told below.
  }
  throw new WebhookVerificationError("body", "the body is no event");
}

function secretsOf({ secret }: Pick<WebhookDelivery, "secret">): readonly string[] {
  return typeof secret === "string" ? [secret] : secret;
}

function required(headers: WebhookHeaders, name: string): string {
  const value = headerOf(headers, name);
  if (value === undefined || value === "")
    throw new WebhookVerificationError("header_missing", `the delivery has no header ${name}`);
  return value;
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}

function bytesOf(value: Uint8Array | string): Bytes {
  return typeof value === "string" ? new TextEncoder().encode(value) : new Uint8Array(value);
}

function joined(one: Bytes, other: Bytes): Bytes {
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}

// Empty for a text that is not base64: no signature matches it.
function fromBase64(text: string): Bytes[] {
  try {
    return [Uint8Array.from(atob(text), (character) => character.charCodeAt(0))];
  } catch {
    return [];
  }
}

function fromHex(text: string): Bytes[] {
  return [Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))];
}
