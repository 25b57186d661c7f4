import { describe, expect, it } from "vitest";
import { BundleActivatedDataSchema } from "../../../gen/policyguard/control/v1/event_data_pb.ts";
import { eventData, verifyBody, verifyWebhook, type WebhookDelivery } from "../../../src/client/webhook.ts";
import { newSecret, webhookHeaders } from "../../../src/domain/webhook/request.ts";

const sentAt = new Date("2026-11-20T09:00:00Z");
const [secret, previous, other] = [newSecret(), newSecret(), newSecret()];
const body = Buffer.from(
  JSON.stringify({
    id: "evt_1",
    event: "bundle.activated",
    created_at: "2026-11-20T09:00:00Z",
    org_id: "0b9f4a52-7c1e-4d5a-9a53-3a1f6c2e8d10",
    data: { bundle_id: "b", environment: "prö\u{1F44B}d", version: 41, activation_seq: 7, added_later: true },
  }),
);

function headersOf(previousSecret?: string): Record<string, string> {
  const message = { id: "evt_1", event: "bundle.activated", attempt: 1, sentAt, body, secret, previousSecret };
  const headers = Object.entries(webhookHeaders(message)).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.fromEntries(headers);
}

function delivery(change: Partial<WebhookDelivery> = {}): WebhookDelivery {
  return { secret, body, headers: headersOf(), now: sentAt.getTime(), ...change };
}

describe("verifyWebhook()", () => {
  it("accepts our deliveries in every form of headers and body, and reads the event", async () => {
    const event = await verifyWebhook(delivery());
    expect(event).toMatchObject({ id: "evt_1", event: "bundle.activated" });
    expect(eventData(BundleActivatedDataSchema, event)).toMatchObject({ version: 41, activationSeq: 7 });
    await verifyWebhook(delivery({ headers: new Headers(headersOf()) }));
    await verifyWebhook(delivery({ body: body.toString("utf8") }));
    await verifyWebhook(delivery({ secret: [other, secret] }));
  });

  it("takes either secret during a rotation", async () => {
    for (const one of [secret, previous]) await verifyWebhook(delivery({ headers: headersOf(previous), secret: one }));
    await verifyBody(delivery({ headers: headersOf(previous), secret: previous }));
  });

  it.each<[string, string, Partial<WebhookDelivery>]>([
    ["another secret", "signature", { secret: other }],
    ["no secret", "signature", { secret: "" }],
    ["a secret that is none", "signature", { secret: "whsec_%%%" }],
    ["another body", "signature", { body: `${body} ` }],
    ["another id", "signature", { headers: { ...headersOf(), "webhook-id": "evt_2" } }],
    ["no signature", "header_missing", { headers: { ...headersOf(), "webhook-signature": undefined } }],
    ["an empty signature", "header_missing", { headers: { ...headersOf(), "webhook-signature": "" } }],
    [
      "a signature of another kind",
      "signature",
      { headers: { ...headersOf(), "webhook-signature": "v2,AAAA ä v1,%" } },
    ],
    ["a delivery that is 301 s old", "timestamp", { now: sentAt.getTime() + 301_000 }],
    ["a delivery of 301 s from now", "timestamp", { now: sentAt.getTime() - 301_000 }],
    ["a timestamp that is none", "timestamp", { headers: { ...headersOf(), "webhook-timestamp": "NaN" } }],
    ["a tighter tolerance", "timestamp", { now: sentAt.getTime() + 11_000, toleranceSeconds: 10 }],
  ])("refuses %s: %s", async (_, refusal, change) => {
    await expect(verifyWebhook(delivery(change))).rejects.toMatchObject({ name: "WebhookVerificationError", refusal });
  });

  it("refuses a signed body that is not an event", async () => {
    const text = Buffer.from("[]");
    const message = { id: "evt_1", event: "x", attempt: 1, sentAt, body: text, secret, previousSecret: undefined };
    const headers = new Headers(webhookHeaders(message));
    await expect(verifyWebhook(delivery({ body: text, headers }))).rejects.toMatchObject({ refusal: "body" });
  });
});

describe("verifyBody()", () => {
  it("accepts our deliveries and no others", async () => {
    await expect(verifyBody(delivery())).resolves.toMatchObject({ id: "evt_1" });
    const wrong = { ...headersOf(), "x-webhook-signature": "sha256=00" };
    for (const change of [{ secret: other }, { body: "{}" }, { headers: wrong }]) {
      await expect(verifyBody(delivery(change))).rejects.toMatchObject({ refusal: "signature" });
    }
    await expect(verifyBody(delivery({ headers: {} }))).rejects.toMatchObject({ refusal: "header_missing" });
  });
});
