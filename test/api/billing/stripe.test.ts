// Stripe over the API: the endpoint for its events, and what is different where it is connected.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { controlPlaneSchema } from "../../../src/config.ts";
import { readConfig } from "../../../src/kit/process/config.ts";
import { readStripeSettings } from "../../../src/platform/stripe/settings.ts";
import {
  type FakeStripe,
  fakeStripeKey,
  fakeWebhookSecret,
  signedEvent,
  startFakeStripe,
} from "../../harness/fake-stripe.ts";
import { createRunningClock } from "../../harness/moved-clock.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { sessionOf } from "../../harness/stripe-world.ts";
import { somewhere } from "../../harness/vector/account-step.ts";
import { callBilling } from "../../harness/vector/billing-step.ts";
import { createWorld, type World } from "../../harness/vector/world.ts";

const path = "/v1/billing/stripe/events";

describe("where Stripe is connected", () => {
  const clock = createRunningClock();
  let fake: FakeStripe;
  let plane: TestControlPlane;
  let world: World;

  beforeAll(async () => {
    fake = await startFakeStripe(clock);
    fake.account.prices.set("price_growth", 4_900);
    const env = {
      POLICY_GUARD_ALLOW_NETWORKS: "127.0.0.0/8",
      STRIPE_SECRET_KEY: fakeStripeKey,
      STRIPE_WEBHOOK_SECRETS: fakeWebhookSecret,
      STRIPE_PRICE_GROWTH: "price_growth",
      STRIPE_API_URL: fake.url,
    };
    plane = await startTestControlPlane({ clock, env });
    world = await createWorld(plane.database);
  });

  afterAll(async () => {
    await plane.stop();
    await fake.close();
  });

  const send = async (body: Uint8Array, signature: string) => {
    const headers = { "content-type": "application/json; charset=utf-8", "stripe-signature": signature };
    const response = await fetch(`${plane.baseUrl}${path}`, { method: "POST", headers, body: Buffer.from(body) });
    return { status: response.status, body: await response.json() };
  };
  const metric = async (name: string) => {
    const text = await (await fetch(`${plane.managementUrl}/metrics`)).text();
    return text.split("\n").filter((line) => line.startsWith(name));
  };

  it("an event is taken as it was signed, and anything else is refused", async () => {
    const { url, provider } = await callBilling(plane, world, "CreateCheckout", { plan: "growth" });
    expect(provider).toBe("stripe");
    fake.account.pay(sessionOf(String(url)));
    const [event] = fake.takeEvents().filter(({ type }) => type === "checkout.session.completed");
    if (event === undefined) throw new Error("a purchase has events");
    const { body, signature } = signedEvent(event, { at: clock.now() });
    expect(await send(body, signature)).toEqual({ status: 200, body: {} });
    expect(await send(body, signature)).toEqual({ status: 200, body: {} });
    const refused = { status: 400, body: { detail: { error: "signature_invalid" } } };
    expect(await send(Buffer.concat([body, Buffer.from("\n")]), signature)).toMatchObject(refused);
    expect(await send(body, "")).toMatchObject(refused);
    expect(await send(Buffer.alloc(0), signature)).toMatchObject(refused);
    expect(await send(Buffer.alloc(1_048_577), signature)).toMatchObject({ status: 413 });
    expect(await metric("billing_provider_events_total")).toEqual(
      expect.arrayContaining([
        'billing_provider_events_total{result="queued"} 1',
        'billing_provider_events_total{result="repeated"} 1',
        'billing_provider_events_total{result="refused"} 3',
      ]),
    );
    expect(await metric('billing_provider_calls_total{operation="create checkout"')).toEqual([
      'billing_provider_calls_total{operation="create checkout",result="done"} 1',
    ]);
  });

  it("there are no local pages", async () => {
    const call = { method: "BillingService/ConfirmCheckout", headers: somewhere() };
    const request = { checkout_id: world.orgId, key: "k", result: "paid" };
    expect(await plane.caller.call("rest", { ...call, request })).toMatchObject({ status: 404, error: "not_found" });
    expect((await fetch(`${plane.baseUrl}/billing/checkout/${world.orgId}`)).status).toBe(404);
  });

  it("a key that Stripe refuses is a failure without the key in it", async () => {
    fake.failWith(({ headers }) => {
      headers.authorization = "Bearer sk_test_another";
      return undefined;
    });
    const call = {
      method: "BillingService/CreateCheckout",
      token: world.tokens.admin ?? "",
      request: { plan: "growth" },
    };
    const answer = await plane.caller.call("rest", call);
    fake.failWith(() => undefined);
    expect(answer).toMatchObject({ status: 503, error: "unavailable" });
    expect(JSON.stringify(answer.body)).not.toMatch(/sk_|rk_|Stripe/);
  });
});

describe("the connection", () => {
  const variables = (env: Readonly<Record<string, string>>) => () =>
    readStripeSettings(
      readConfig(controlPlaneSchema, { DATABASE_URL: "postgres://a@b/c", POLICY_GUARD_MASTER_KEY: "k", ...env }),
    );
  const all = { STRIPE_SECRET_KEY: "sk_test_1", STRIPE_WEBHOOK_SECRETS: "whsec_1", STRIPE_PRICE_GROWTH: "price_1" };

  it("is whole, or none", () => {
    expect(variables({})()).toBeUndefined();
    expect(variables(all)()).toMatchObject({ apiUrl: new URL("https://api.stripe.com"), trialDays: 0 });
  });

  it.each<[string, Record<string, string>, string]>([
    ["half of it", { STRIPE_SECRET_KEY: "sk_test_1" }, "set STRIPE_WEBHOOK_SECRETS, STRIPE_PRICE_GROWTH too"],
    [
      "an option alone",
      { STRIPE_TRIAL_DAYS: "14" },
      "STRIPE_TRIAL_DAYS: set STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRETS",
    ],
    ["a publishable key", { ...all, STRIPE_SECRET_KEY: "pk_test_1" }, "begins with sk_ or rk_"],
    ["a product for a price", { ...all, STRIPE_PRICE_GROWTH: "prod_1" }, "not of products"],
    ["another secret", { ...all, STRIPE_WEBHOOK_SECRETS: "secret" }, "begin with whsec_"],
    ["one price for two plans", { ...all, STRIPE_PRICE_ENTERPRISE: "price_1" }, "stands for one plan"],
    ["plain HTTP", { ...all, STRIPE_API_URL: "http://127.0.0.1:1" }, "needs POLICY_GUARD_ALLOW_NETWORKS"],
    ["a path", { ...all, STRIPE_API_URL: "https://stripe.example/v1" }, "host and port and nothing else"],
  ])("with %s is an error that says what to do", (_, env, message) => {
    expect(variables(env)).toThrow(message);
    expect(() => variables(env)()).not.toThrow(/sk_test_1|whsec_1/);
  });
});
