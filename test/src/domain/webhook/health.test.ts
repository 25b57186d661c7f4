import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { givenUpError } from "../../../../src/domain/webhook/delivery.ts";
import { failingLimitMs } from "../../../../src/domain/webhook/health.ts";
import type { Caller } from "../../../../src/kit/rpc/context.ts";
import { lastDeliveries } from "../../../../src/store/webhook/delivery.ts";
import { startWebhookSink, type WebhookSink } from "../../../harness/net/webhook-sink.ts";
import { openWebhookWorld, type WebhookWorld } from "../../../harness/net/webhook-world.ts";
import { setPlan } from "../../../harness/vector/plan.ts";

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
  return (await world.webhooks.get(caller, webhookId)).row.isActive;
}

async function actions({ orgId }: Caller) {
  return world.database.read(orgId, (tx) =>
    tx.sql<{ action: string; actor: string; resource: string }>(
      `select action, actor, resource from audit_entry join audit_opening using (org_id, seq)
       where org_id = ? and action = 'webhook.deactivate'`,
      [orgId],
    ),
  );
}

describe("the list of webhooks", () => {
  it("says of each how its newest delivery stands and since when it fails, and nothing of other organizations", async () => {
    const [caller, stranger] = [await world.newCaller(), await world.newCaller()];
    const { row } = await world.subscribe(caller, sink.url);
    const { row: idle } = await world.subscribe(caller, listener.url);
    await world.webhooks.update(caller, idle.id, { events: ["sso.configured"] });
    const { row: foreign } = await world.subscribe(stranger, listener.url);
    await world.publish(stranger);
    await deliver(stranger, foreign.id);
    const health = async (id: string) => {
      const [views] = await world.webhooks.list(caller, page);
      const view = views.find((each) => each.row.id === id);
      return [view?.last?.state, view?.last?.at, view?.row.failingSince ?? undefined];
    };
    expect(await health(row.id)).toEqual([undefined, undefined, undefined]);

    sink.answerWith(() => ({ status: 500 }));
    await world.publish(caller);
    const failedAt = world.clock.now();
    await deliver(caller, row.id);
    expect(await health(row.id)).toEqual(["pending", failedAt, failedAt]);
    world.clock.pass(60_000);
    await world.publish(caller);
    const queuedAt = world.clock.now();
    await deliver(caller, row.id);
    expect(await health(row.id)).toEqual(["pending", queuedAt, failedAt]);

    sink.answerWith(() => ({ status: 204 }));
    world.clock.pass(60_000);
    await world.publish(caller);
    const deliveredAt = world.clock.now();
    await deliver(caller, row.id);
    expect(await health(row.id)).toEqual(["delivered", deliveredAt, undefined]);
    expect((await world.webhooks.get(caller, row.id)).last).toEqual({ state: "delivered", at: deliveredAt });
    expect(await health(idle.id)).toEqual([undefined, undefined, undefined]);
    expect(await world.database.read(caller.orgId, (tx) => lastDeliveries(tx, [foreign.id]))).toEqual(new Map());
  });
});

describe("a webhook that has only failed for five days", () => {
  it("is deactivated, drops what is on the way and says why, is in the audit record, and tells the other webhooks", async () => {
    const caller = await world.newCaller();
    await setPlan(world.database, caller.orgId, "growth");
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
    const [dropped] = await world.deliveries.list(caller, row.id, page, { state: "dropped" });
    expect(dropped.map(({ error }) => error)).toContain(givenUpError);
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

  it("tells nobody by a webhook on the free plan", async () => {
    const caller = await world.newCaller();
    sink.answerWith(() => ({ status: 500 }));
    const { row } = await world.subscribe(caller, sink.url);
    await world.webhooks.create(caller, { url: listener.url, events: ["alert.triggered"], generateSecret: false });
    await days(caller, row.id, 6);
    expect(await isActive(caller, row.id)).toBe(false);
    const alerts = await world.database.read(caller.orgId, (tx) =>
      tx.sql("select id from event where org_id = ? and name = 'alert.triggered'", [caller.orgId]),
    );
    expect(alerts).toEqual([]);
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

  it("starts to count again when it is activated again, or gets another address", async () => {
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
