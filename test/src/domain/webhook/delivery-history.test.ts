import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Caller } from "../../../../src/kit/rpc/context.ts";
import { startWebhookSink, type WebhookSink } from "../../../harness/net/webhook-sink.ts";
import { openWebhookWorld, type WebhookWorld } from "../../../harness/net/webhook-world.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const page = { limit: 50, offset: 0 };

let world: WebhookWorld;

beforeAll(async () => {
  world = await openWebhookWorld();
});

afterAll(() => world.close());

interface Place {
  readonly sink: WebhookSink;
  readonly caller: Caller;
  readonly webhookId: string;
}

/** Runs a test with an organization, a target and a webhook of its own. */
async function withWebhook(work: (place: Place) => Promise<void>): Promise<void> {
  const sink = await startWebhookSink();
  try {
    const caller = await world.newCaller();
    const { row } = await world.subscribe(caller, sink.url);
    await work({ sink, caller, webhookId: row.id });
  } finally {
    await sink.close();
  }
}

async function deliverNow({ caller, webhookId }: Place): Promise<void> {
  world.dispatcher.wake({ org_id: caller.orgId, webhook_id: webhookId });
  await world.dispatcher.idle();
}

/** Makes all attempts that a delivery has. */
async function failUntilDropped(place: Place): Promise<void> {
  place.sink.answerWith(() => ({ status: 503, body: "away" }));
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await deliverNow(place);
    world.clock.pass(90 * minuteMs);
  }
}

async function listAll({ caller, webhookId }: Place) {
  const [rows] = await world.deliveries.list(caller, webhookId, page);
  return rows;
}

async function newest(place: Place): Promise<string> {
  const [row] = await listAll(place);
  if (row === undefined) throw new Error("no delivery");
  return row.id;
}

describe("the detail of a delivery", () => {
  it("has each attempt in order: number, time, length, status, error, and the answer's first 4 KiB", () =>
    withWebhook(async (place) => {
      const { sink, caller, webhookId } = place;
      sink.answerWith((_request, count) => {
        if (count === 1) return "hang-up";
        return count === 2 ? { status: 500, body: `nul \u0000 ${"ä".repeat(10_000)}` } : { status: 200, body: "" };
      });
      await world.publish(caller);
      const times: Date[] = [];
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        times.push(world.clock.now());
        await deliverNow(place);
        world.clock.pass(30 * minuteMs);
      }
      const { delivery, attempts } = await world.deliveries.get(caller, webhookId, await newest(place));
      expect(delivery).toMatchObject({ state: "delivered", attempts: 3 });
      expect(attempts.map(({ number, startedAt, statusCode }) => [number, startedAt, statusCode])).toEqual([
        [1, times[0], null],
        [2, times[1], 500],
        [3, times[2], 200],
      ]);
      expect(attempts.map(({ error }) => error)).toEqual([
        expect.stringContaining("closed the connection"),
        "the target answered 500",
        null,
      ]);
      // 6 bytes, the replaced NUL as 3, then as many letters of 2 bytes as are whole.
      expect(attempts[1]?.answer).toBe(`nul \uFFFD ${"ä".repeat((4096 - 8) / 2)}`);
      expect([attempts[0]?.answer, attempts[2]?.answer]).toEqual([null, ""]);
      for (const { durationMs } of attempts) expect(durationMs).toBeGreaterThanOrEqual(0);
    }));

  it("is not found by another organization, nor under another webhook", () =>
    withWebhook(async (place) => {
      const { sink, caller, webhookId } = place;
      await world.publish(caller);
      const id = await newest(place);
      const stranger = await world.newCaller();
      const elsewhere = (await world.subscribe(caller, sink.url)).row.id;
      const notFound = { message: expect.stringContaining("no such") };
      for (const call of [
        () => world.deliveries.get(stranger, webhookId, id),
        () => world.deliveries.redeliver(stranger, webhookId, id),
        () => world.deliveries.redeliverFailed(stranger, webhookId, new Date(0)),
        () => world.deliveries.get(caller, elsewhere, id),
        () => world.deliveries.redeliver(caller, elsewhere, id),
      ]) {
        await expect(call()).rejects.toMatchObject(notFound);
      }
    }));

  it("goes with its event after five days", () =>
    withWebhook(async (place) => {
      await world.publish(place.caller);
      await deliverNow(place);
      const count = () =>
        world.database
          .read(place.caller.orgId, (tx) => tx.sql("select from webhook_attempt"))
          .then((rows) => rows.length);
      expect(await count()).toBe(1);
      world.clock.pass(5 * dayMs + 1);
      await world.upkeep.purge();
      expect(await count()).toBe(0);
    }));
});

describe("a redelivery", () => {
  it("is a delivery of its own of the same event, with the same id and bytes", () =>
    withWebhook(async (place) => {
      const { sink, caller, webhookId } = place;
      const eventId = await world.publish(caller);
      await failUntilDropped(place);
      const first = await newest(place);
      sink.answerWith(() => ({ status: 204 }));
      const again = await world.deliveries.redeliver(caller, webhookId, first);
      expect(again).toMatchObject({ eventId, state: "pending", attempts: 0, createdAt: world.clock.now() });
      expect(again.id).not.toBe(first);
      await deliverNow(place);
      expect(sink.requests).toHaveLength(6);
      expect(sink.requests.map(({ headers }) => headers["x-webhook-id"])).toEqual(Array(6).fill(eventId));
      expect(new Set(sink.requests.map(({ body }) => String(body))).size).toBe(1);
      expect(sink.requests[5]?.headers["x-webhook-attempt"]).toBe("1");
      expect((await listAll(place)).map(({ state, attempts }) => [state, attempts])).toEqual([
        ["delivered", 1],
        ["dropped", 5],
      ]);
    }));

  it("is attempted five times and not a sixth, too", () =>
    withWebhook(async (place) => {
      await world.publish(place.caller);
      await failUntilDropped(place);
      await world.deliveries.redeliver(place.caller, place.webhookId, await newest(place));
      await failUntilDropped(place);
      await failUntilDropped(place);
      expect(place.sink.requests).toHaveLength(10);
    }));

  it("is refused when the event is older than five days, or the webhook is not active", () =>
    withWebhook(async (place) => {
      const { caller, webhookId } = place;
      await world.publish(caller);
      const id = await newest(place);
      await world.webhooks.update(caller, webhookId, { isActive: false });
      const redeliver = () => world.deliveries.redeliver(caller, webhookId, id);
      await expect(redeliver()).rejects.toThrow("not active");
      await expect(world.deliveries.redeliverFailed(caller, webhookId, new Date(0))).rejects.toThrow("not active");
      await world.webhooks.update(caller, webhookId, { isActive: true });
      world.clock.pass(5 * dayMs);
      await redeliver();
      world.clock.pass(1);
      await expect(redeliver()).rejects.toThrow("no such delivery");
    }));
});

describe("redelivering what failed", () => {
  it("takes each dropped event once, since the moment, and none that was delivered or is on its way", () =>
    withWebhook(async (place) => {
      const { sink, caller, webhookId } = place;
      const early = await world.publish(caller);
      await failUntilDropped(place);
      const since = world.clock.now();
      const dropped = await Promise.all([world.publish(caller), world.publish(caller)]);
      await failUntilDropped(place);
      sink.answerWith(() => ({ status: 204 }));
      await world.publish(caller);
      await deliverNow(place);
      const pending = await world.publish(caller);
      // Twice dropped is still one event.
      await world.deliveries.redeliver(caller, webhookId, (await listAll(place)).find(isOf(dropped[0]))?.id ?? "");
      await world.webhooks.update(caller, webhookId, { isActive: false });
      await world.webhooks.update(caller, webhookId, { isActive: true });
      const counts = [
        await world.deliveries.redeliverFailed(caller, webhookId, since),
        await world.deliveries.redeliverFailed(caller, webhookId, since),
        await world.deliveries.redeliverFailed(caller, webhookId, new Date(0)),
      ];
      // The deactivation dropped the one that was on its way.
      expect(counts).toEqual([3, 0, 1]);
      const before = sink.requests.length;
      await deliverNow(place);
      const told = sink.requests.slice(before).map(({ event }) => event.id);
      expect(told.sort()).toEqual([early, ...dropped, pending].sort());
    }));

  it("repeats nothing when two ask at once", () =>
    withWebhook(async (place) => {
      await world.publish(place.caller);
      await failUntilDropped(place);
      const ask = () => world.deliveries.redeliverFailed(place.caller, place.webhookId, new Date(0));
      expect((await Promise.all([ask(), ask(), ask()])).sort()).toEqual([0, 0, 1]);
    }));
});

function isOf(eventId: string | undefined) {
  return (row: { readonly eventId: string }) => row.eventId === eventId;
}
