// From an event of Stripe to the plan in force, through the processes that do it: the control plane takes the event,
// the worker asks Stripe. `npm run assurance -- stripe-latency` measures many.

import { afterAll, beforeAll, expect, it } from "vitest";
import { reportSample, sampleOf } from "../../../scripts/assurance/sample.ts";
import { eventually } from "../../harness/eventually.ts";
import {
  type FakeStripe,
  fakeStripeKey,
  fakeWebhookSecret,
  signedEvent,
  startFakeStripe,
} from "../../harness/fake-stripe.ts";
import { createRunningClock } from "../../harness/moved-clock.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { startWorkerProcess, type WorkerProcess } from "../../harness/process/worker-process.ts";
import { sessionOf } from "../../harness/stripe-world.ts";
import { callBilling } from "../../harness/vector/billing-step.ts";
import { createWorld } from "../../harness/vector/world.ts";

const { n } = sampleOf({ n: 2, seed: 1 });
const clock = createRunningClock();
const masterKey = Buffer.alloc(32, 7).toString("base64");
let fake: FakeStripe;
let plane: TestControlPlane;
let worker: WorkerProcess;

beforeAll(async () => {
  fake = await startFakeStripe(clock);
  fake.account.prices.set("price_growth", 4_900);
  const env = {
    POLICY_GUARD_ALLOW_NETWORKS: "127.0.0.0/8",
    POLICY_GUARD_MASTER_KEY: masterKey,
    STRIPE_SECRET_KEY: fakeStripeKey,
    STRIPE_WEBHOOK_SECRETS: fakeWebhookSecret,
    STRIPE_PRICE_GROWTH: "price_growth",
    STRIPE_API_URL: fake.url,
  };
  plane = await startTestControlPlane({ clock, env });
  worker = await startWorkerProcess({ ...env, DATABASE_WORKER_URL: plane.urls.workerUrl });
});

afterAll(async () => {
  await worker.stop();
  await plane.stop();
  await fake.close();
});

/** Buys, delivers the event of the payment, and returns how long the plan took. */
async function timeOne(): Promise<number> {
  const world = await createWorld(plane.database);
  const { url } = await callBilling(plane, world, "CreateCheckout", { plan: "growth" });
  fake.takeEvents();
  fake.account.pay(sessionOf(String(url)));
  const [event] = fake.takeEvents().filter(({ type }) => type === "checkout.session.completed");
  if (event === undefined) throw new Error("a purchase has events");
  const { body, signature } = signedEvent(event, { at: clock.now() });
  const headers = { "content-type": "application/json; charset=utf-8", "stripe-signature": signature };
  const beganAt = performance.now();
  const address = `${plane.baseUrl}/v1/billing/stripe/events`;
  const { status } = await fetch(address, { method: "POST", headers, body: Buffer.from(body) });
  expect(status).toBe(200);
  await eventually(async () => {
    expect(await callBilling(plane, world, "GetSummary", {})).toMatchObject({ plan: "growth", status: "active" });
  });
  return performance.now() - beganAt;
}

it("an event of Stripe puts what was bought in force", async () => {
  const times: number[] = [];
  for (let i = 0; i < n; i++) times.push(await timeOne());
  times.sort((a, b) => a - b);
  const at = (share: number) => Math.round(times[Math.ceil(times.length * share) - 1] ?? 0);
  const figures = { p50_ms: at(0.5), p99_ms: at(0.99), worst_ms: at(1) };
  reportSample({ n, failures: 0, figures });
});
