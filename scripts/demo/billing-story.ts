// The story of a bill: the evaluations of the free plan are used up, somebody buys a larger plan, a renewal is
// declined, the grace time ends, everything stops, and goes on as soon as the bill is paid.

import type { Facts } from "./facts.ts";
import type { Payer } from "./payer.ts";
import { request, type Stage, type Told, until } from "./stage.ts";

/** Evaluations of one call. */
const batchSize = 250;
/** How long anything may take before the story gives up. What it measures is told. */
const patienceMs = 60_000;

/** How long after the beginning of a payment evaluations went on, in milliseconds. */
export interface Reopened {
  readonly afterCheckoutMs: number;
  readonly afterBlockMs: number;
}

/** Plays the story. The organization has the plan growth afterwards. */
export async function billingStory(facts: Facts, stage: Stage, payer: Payer): Promise<Reopened> {
  await useUp(facts, stage);
  const afterCheckoutMs = await buy(facts, stage, payer);
  const portal = await declineRenewal(facts, stage, payer);
  await endGrace(facts, stage, payer, portal);
  const afterBlockMs = await settle(facts, stage, payer, portal);
  return { afterCheckoutMs, afterBlockMs };
}

async function useUp(facts: Facts, stage: Stage): Promise<void> {
  const before = await summary(facts, stage, "Ask how much of the plan is left");
  if (before.plan !== "free" || before.status !== "none")
    throw new Error(`the story begins on the plan free, and this organization has ${before.plan} (${before.status})`);
  stage.step("Use up the month");
  const requests = Array.from({ length: batchSize }, (_, i) => ({ text: `When does order ${i} arrive?` }));
  const refused = await until(
    async () => {
      await request("POST", `${facts.runtime_url}/v1/evaluate/batch`, facts.runtime_token, { requests });
      const answer = await ask(facts);
      // The last shares of a plan are small, so a quick runtime is refused for the moment until it gets the next one.
      return answer.status === 403 && !answer.body.detail.message.includes("try again") ? answer : undefined;
    },
    10 * patienceMs,
    "the refusal of an evaluation",
  );
  const { error, message, limit } = refused.body.detail;
  stage.say(`← 403 ${JSON.stringify(refused.body)}`);
  stage.expect(error === "plan_limit_exceeded" && limit === before.limit, "a used up plan is 403, never 429");
  stage.expect(message.includes("POST /v1/billing/checkout"), "and the message says how to get more");
}

async function buy(facts: Facts, stage: Stage, payer: Payer): Promise<number> {
  const { body } = await stage.call({
    title: "Begin to buy the plan growth",
    ...{ method: "POST", url: `${facts.base_url}/v1/billing/checkout`, token: facts.admin_token },
    ...{ body: { plan: "growth" }, promised: [201] },
  });
  stage.step("Open the page, with a card that is declined first");
  await payer.checkout(body.url, "declined");
  const still = await request("GET", `${facts.base_url}/v1/billing/summary`, facts.admin_token);
  stage.expect(still.body.plan === "free", "a declined payment changes nothing");
  stage.step("Pay");
  const afterMs = await reopened(facts, stage, () => payer.checkout(body.url, "paid"));
  const now = await summary(facts, stage, "Ask for the plan again");
  stage.expect(now.plan === "growth" && now.status === "active", `${now.remaining} evaluations are left`);
  return afterMs;
}

async function declineRenewal(facts: Facts, stage: Stage, payer: Payer): Promise<string> {
  const { body } = await stage.call({
    title: "Open the portal",
    ...{ method: "POST", url: `${facts.base_url}/v1/billing/portal`, token: facts.admin_token },
    ...{ body: {}, promised: [200] },
  });
  stage.step("Let the next payment be declined, and the period end");
  await payer.portal(body.url, "decline_payments");
  await payer.portal(body.url, "skip_ahead");
  const owing = await summary(facts, stage, "Ask how the subscription stands");
  stage.expect(owing.status === "past_due" && !owing.billing_blocked, `nothing stops before ${owing.grace_ends_at}`);
  stage.expect((await ask(facts)).status === 200, "evaluations go on in the grace time");
  return body.url;
}

async function endGrace(facts: Facts, stage: Stage, payer: Payer, portal: string): Promise<void> {
  stage.step("Let the grace time end");
  await payer.portal(portal, "skip_ahead");
  const answer = await until(
    async () => {
      const told = await ask(facts);
      return told.status === 402 ? told : undefined;
    },
    patienceMs,
    "the block of the runtime",
  );
  stage.say(`← 402 ${JSON.stringify(answer.body)}`);
  stage.expect(answer.body.detail.error === "payment_required", "a blocked organization is 402");
  const policies = `${facts.base_url}/v1/orgs/${facts.org_id}/policies`;
  stage.expect((await request("GET", policies, facts.admin_token)).status === 402, "so are calls of the control plane");
  const open = await summary(facts, stage, "Only what pays the bill, what leaves and what keeps safe stays open");
  stage.expect(open.status === "blocked" && open.billing_blocked, "billing is open");
}

async function settle(facts: Facts, stage: Stage, payer: Payer, portal: string): Promise<number> {
  stage.step("Pay what is open");
  await payer.portal(portal, "accept_payments");
  const afterMs = await reopened(facts, stage, () => payer.portal(portal, "pay_invoices"));
  const now = await summary(facts, stage, "Ask how the subscription stands");
  stage.expect(now.status === "active" && !now.billing_blocked, "all is as before");
  const { body } = await stage.call({
    title: "List the invoices",
    ...{ method: "GET", url: `${facts.base_url}/v1/billing/invoices`, token: facts.admin_token, promised: [200] },
  });
  const statuses = body.invoices.map(({ status }: { status: string }) => status);
  stage.expect(statuses.length >= 2 && statuses.every((status: string) => status === "paid"), "every one is paid");
  return afterMs;
}

/** Pays, and measures how long after the beginning of the payment the first evaluation is answered. */
async function reopened(facts: Facts, stage: Stage, pay: () => Promise<void>): Promise<number> {
  const beganAt = performance.now();
  await pay();
  await until(async () => ((await ask(facts)).status === 200 ? true : undefined), patienceMs, "the next evaluation");
  const afterMs = Math.round(performance.now() - beganAt);
  stage.expect(true, `evaluations go on, ${afterMs} ms after the payment began`);
  return afterMs;
}

async function summary({ base_url, admin_token: token }: Facts, stage: Stage, title: string): Promise<Told["body"]> {
  const url = `${base_url}/v1/billing/summary`;
  return (await stage.call({ title, method: "GET", url, token, promised: [200] })).body;
}

function ask({ runtime_url, runtime_token }: Facts): Promise<Told> {
  return request("POST", `${runtime_url}/v1/evaluate/input`, runtime_token, { text: "When does my order arrive?" });
}
