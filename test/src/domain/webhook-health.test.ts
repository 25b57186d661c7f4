import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failingLimitMs } from "../../../src/domain/webhook-health.ts";
import type { Caller } from "../../../src/kit/context.ts";
import { startWebhookSink, type WebhookSink } from "../../harness/webhook-sink.ts";
import { openWebhookWorld, type WebhookWorld } from "../../harness/webhook-world.ts";

const page = { limit: 50, offset: 0 };
const dayMs = 24 * 3_600_000;

let world: WebhookWorld;
let sink: WebhookSink;
let listener: WebhookSink;

beforeAll(async () => {
  [world, sink, listener] = await Promise.all([openWebhookWorld(), startWebhookSink(), startWebhookSink()]);
});

afterAll(async () => {
  await Promise.all([sink.close(), listener.close()]);
  await world.close();
});

async function deliver({ orgId }: Caller, webhookId: string): Promise<void> {
  world.dispatcher.wake({ org_id: orgId, webhook_id: webhookId });
  await world.dispatcher.idle();
}

/** An event a day, each attempted once. */
async function days(caller: Caller, webhookId: string, count: number): Promise<void> {
  for (let day = 0; day < count; day += 1) {
    await world.publish(caller);
    await deliver(caller, webhookId);
    world.clock.pass(dayMs);
  }
}

async function isActive(caller: Caller, webhookId: string): Promise<boolean> {
  return (await world.webhooks.get(caller, webhookId)).isActive;
}

async function actions({ orgId }: Caller) {
  return world.database.read(orgId, (tx) =>
    tx.sql<{ action: string; actor: string; resource: string }>(
      "select action, actor, resource from audit_entry where org_id = ? and action = 'webhook.deactivate'",
      [orgId],
    ),
  );
}

describe("a webhook that has only failed for five days", () => {
  it("is deactivated, drops what is on the way, is in the audit record, and tells the other webhooks", async () => {
    const caller = await world.newCaller();
    sink.answerWith(() => ({ status: 500 }));
    const { row } = await world.subscribe(caller, sink.url);
    const other = await world.webhooks.create(caller, {
      url: listener.url,
      events: ["alert.triggered"],
      generateSecret: false,
    });
    await days(caller, row.id, 5);
    expect(await isActive(caller, row.id)).toBe(true);
    await days(caller, row.id, 1);
    expect(await isActive(caller, row.id)).toBe(false);
    const [, pending] = await world.deliveries.list(caller, row.id, page, { state: "pending" });
    expect(pending).toBe(0);
    expect(await actions(caller)).toEqual([
      { action: "webhook.deactivate", actor: "policy-guard", resource: `webhook/${row.id}` },
    ]);
    await deliver(caller, other.row.id);
    expect(listener.requests.at(-1)?.event).toMatchObject({
      event: "alert.triggered",
      data: {
        alert_rule_id: null,
        state: "triggered",
        metric: "webhook_failing_seconds",
        threshold: failingLimitMs / 1_000,
        window_seconds: failingLimitMs / 1_000,
        project_id: null,
        webhook_id: row.id,
      },
    });
    // Nothing is sent to it any more.
    const before = sink.requests.length;
    await days(caller, row.id, 2);
    expect(sink.requests).toHaveLength(before);
  });

  it("goes on when there was one success in between", async () => {
    const caller = await world.newCaller();
    const { row } = await world.subscribe(caller, sink.url);
    sink.answerWith(() => ({ status: 500 }));
    await days(caller, row.id, 4);
    sink.answerWith(() => ({ status: 204 }));
    await days(caller, row.id, 1);
    sink.answerWith(() => ({ status: 500 }));
    await days(caller, row.id, 4);
    expect(await isActive(caller, row.id)).toBe(true);
    expect(await actions(caller)).toEqual([]);
  });

  it("begins to count anew when it is activated again, or gets another address", async () => {
    const caller = await world.newCaller();
    const { row } = await world.subscribe(caller, sink.url);
    sink.answerWith(() => ({ status: 500 }));
    await days(caller, row.id, 6);
    expect(await isActive(caller, row.id)).toBe(false);
    await world.webhooks.update(caller, row.id, { isActive: true });
    await days(caller, row.id, 4);
    await world.webhooks.update(caller, row.id, { url: `${sink.url}/another` });
    await days(caller, row.id, 4);
    expect(await isActive(caller, row.id)).toBe(true);
  });
});

describe("a webhook whose target says 410", () => {
  it("is deactivated at once, with the same audit entry and alert", async () => {
    const caller = await world.newCaller();
    sink.answerWith(() => ({ status: 410 }));
    const { row } = await world.subscribe(caller, sink.url);
    const alerts = await world.webhooks.create(caller, {
      url: listener.url,
      events: ["alert.triggered"],
      generateSecret: false,
    });
    await world.publish(caller);
    await deliver(caller, row.id);
    expect(await isActive(caller, row.id)).toBe(false);
    expect(await actions(caller)).toHaveLength(1);
    await deliver(caller, alerts.row.id);
    expect(listener.requests.at(-1)?.event.data).toMatchObject({
      metric: "webhook_status",
      value: 410,
      webhook_id: row.id,
    });
  });

  it("stays active when it has got another target meanwhile, which gets the next attempt", async () => {
    const caller = await world.newCaller();
    const { row } = await world.subscribe(caller, sink.url);
    sink.answerWith(async () => {
      await world.webhooks.update(caller, row.id, { url: `${listener.url}/new` });
      return { status: 410 };
    });
    await world.publish(caller);
    await deliver(caller, row.id);
    expect(await isActive(caller, row.id)).toBe(true);
    const before = listener.requests.length;
    world.clock.pass(dayMs);
    await deliver(caller, row.id);
    expect(listener.requests).toHaveLength(before + 1);
    const [, delivered] = await world.deliveries.list(caller, row.id, page, { state: "delivered" });
    expect(delivered).toBe(1);
  });
});
