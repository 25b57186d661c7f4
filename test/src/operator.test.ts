// The command itself, as operators start it: what it prints, and that it finds its way to the database.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requireSubscription } from "../../src/domain/billing/subscription.ts";
import { systemClock } from "../../src/kit/process/clock.ts";
import { type Database, openDatabase } from "../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";
import { fakeStripeKey, fakeWebhookSecret, startFakeStripe } from "../harness/fake-stripe.ts";
import { createWorld } from "../harness/vector/world.ts";

let urls: TestDatabase;
let database: Database;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
});

afterAll(async () => {
  await database.close();
  await urls.drop();
});

async function run(env: NodeJS.ProcessEnv, ...args: string[]) {
  const child = spawn(process.execPath, ["src/operator.ts", ...args, "--json"], { env });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code: child.exitCode, stdout, stderr };
}

test("the operator's command brings organizations to what Stripe says, and says nothing of keys", async () => {
  const { orgId } = await createWorld(database);
  const fake = await startFakeStripe(systemClock);
  try {
    fake.account.prices.set("price_growth", 4_900);
    const { id } = fake.account.createCustomer();
    fake.account.subscribe(id, "price_growth");
    await database.systemTransaction(orgId, async (tx) => {
      (await requireSubscription(tx, "stripe")).customerId = id;
    });
    const base = { ...process.env, DATABASE_URL: urls.applicationUrl, DATABASE_WORKER_URL: urls.workerUrl };
    expect(await run(base, "reconcile")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("STRIPE_SECRET_KEY"),
    });
    const env = {
      ...base,
      POLICY_GUARD_ALLOW_NETWORKS: "127.0.0.0/8",
      STRIPE_SECRET_KEY: fakeStripeKey,
      STRIPE_WEBHOOK_SECRETS: fakeWebhookSecret,
      STRIPE_PRICE_GROWTH: "price_growth",
      STRIPE_API_URL: fake.url,
    };
    const since = ["--since", new Date(Date.now() - 3_600_000).toISOString()];
    const dry = await run(env, "replay-provider-events", ...since, "--dry-run");
    const changed = [{ org_id: orgId, before: { plan: "free" }, after: { plan: "growth", status: "active" } }];
    expect(JSON.parse(dry.stdout)).toMatchObject({ changed, failed: [], dry_run: true });
    expect(JSON.parse((await run(env, "reconcile")).stdout)).toMatchObject({ changed, failed: [] });
    const entries = await database.read(orgId, (tx) =>
      tx.sql<{ action: string; actor: string }>(
        "select action, actor from audit_opening join audit_entry using (org_id, seq) where org_id = ?",
        [orgId],
      ),
    );
    expect(entries).toMatchObject([{ action: "billing.synchronize", actor: expect.stringContaining("operator:") }]);
    const refused = await run({ ...env, STRIPE_SECRET_KEY: "sk_test_wrong" }, "reconcile");
    expect(JSON.parse(refused.stdout)).toMatchObject({ failed: [orgId] });
    expect(refused.stdout + refused.stderr + dry.stdout).not.toMatch(/sk_test|whsec/);
  } finally {
    await fake.close();
  }
});

test("the operator's command sets plans and lists organizations, in JSON", async () => {
  const { orgId } = await createWorld(database);
  const env = { ...process.env, DATABASE_URL: urls.applicationUrl, DATABASE_WORKER_URL: urls.workerUrl };
  const answerOf = async (...args: string[]) => {
    const { stdout, ...rest } = await run(env, ...args);
    expect(rest).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  };
  expect(await answerOf("set-plan", orgId, "growth", "--until", "2999-12-31")).toMatchObject({
    plan: "growth",
    operator_plan_until: "2999-12-31T23:59:59.999Z",
    dry_run: false,
  });
  expect(await answerOf("list")).toMatchObject({
    orgs: expect.arrayContaining([expect.objectContaining({ org_id: orgId })]),
  });
});
