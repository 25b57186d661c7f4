import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Caller } from "../../../../src/kit/rpc/context.ts";
import { dumpOf } from "../../../harness/dump.ts";
import { type SunkRequest, startWebhookSink, type WebhookSink } from "../../../harness/net/webhook-sink.ts";
import { openWebhookWorld, type WebhookWorld } from "../../../harness/net/webhook-world.ts";

const minuteMs = 60_000;
const page = { limit: 50, offset: 0 };

let world: WebhookWorld;

beforeAll(async () => {
  world = await openWebhookWorld();
});

afterAll(() => world.close());

/** Runs a test with an organization and a target of its own. */
async function withSink(work: (sink: WebhookSink, caller: Caller) => Promise<void>): Promise<void> {
  const sink = await startWebhookSink();
  try {
    await work(sink, await world.newCaller());
  } finally {
    await sink.close();
  }
}

/** Makes what is due now. */
async function deliverNow(caller: Caller, webhookId: string): Promise<void> {
  world.dispatcher.wake({ org_id: caller.orgId, webhook_id: webhookId });
  await world.dispatcher.idle();
}

async function onlyDelivery(caller: Caller, webhookId: string) {
  const [rows, total] = await world.deliveries.list(caller, webhookId, page);
  expect(total).toBe(1);
  const row = rows[0];
  if (row === undefined) throw new Error("no delivery");
  return row;
}

describe("a delivery", () => {
  it("sends the stored bytes once, with the headers that are promised", () =>
    withSink(async (sink, caller) => {
      const { row } = await world.subscribe(caller, sink.url);
      const eventId = await world.publish(caller, { name: "grüße 👋 \u2028", version: 7 });
      await deliverNow(caller, row.id);
      await deliverNow(caller, row.id);
      expect(sink.requests).toHaveLength(1);
      const { headers, body } = sink.requests[0] ?? {};
      expect(headers).toMatchObject({
        "content-type": "application/json",
        "user-agent": "Policy-Guard-Webhooks/1.0",
        "x-webhook-id": eventId,
        "x-webhook-event": "policy.updated",
        "x-webhook-attempt": "1",
        "x-webhook-timestamp": String(Math.floor(world.clock.now().getTime() / 1_000)),
      });
      expect(headers).not.toHaveProperty("x-webhook-signature");
      expect(headers).not.toHaveProperty("x-webhook-signature-previous");
      expect(headers).not.toHaveProperty("webhook-signature");
      const { policy_id } = JSON.parse(String(body)).data;
      expect(String(body)).toBe(
        `{"id":"${eventId}","event":"policy.updated","created_at":"${seconds(world.clock.now())}","org_id":"${caller.orgId}",` +
          `"data":{"policy_id":"${policy_id}","name":"grüße 👋 \u2028","version":7,"change":"updated"}}`,
      );
      expect(await onlyDelivery(caller, row.id)).toMatchObject({
        state: "delivered",
        attempts: 1,
        statusCode: 204,
        error: null,
        nextAttemptAt: null,
        eventId,
      });
    }));

  it("carries a signature that openssl agrees with", () =>
    withSink(async (sink, caller) => {
      const { row, secret } = await world.subscribe(caller, sink.url, { generateSecret: true });
      await world.publish(caller, { name: "grüße 👋" });
      await deliverNow(caller, row.id);
      const { headers, body } = sink.requests[0] ?? { body: Buffer.alloc(0) };
      const printed = execFileSync("openssl", ["dgst", "-sha256", "-hmac", secret ?? ""], {
        input: body,
        encoding: "utf8",
      });
      expect(headers?.["x-webhook-signature"]).toBe(`sha256=${printed.trim().split(" ").at(-1)}`);
      expect(headers?.["x-webhook-signature"]).toMatch(/^sha256=[0-9a-f]{64}$/);
    }));

  it("is signed by both secrets for a day after a rotation, and by the new one only from then on", () =>
    withSink(async (sink, caller) => {
      const { row, secret: first } = await world.subscribe(caller, sink.url, { generateSecret: true });
      const { secret: second, previousExpiresAt } = await world.webhooks.rotateSecret(caller, row.id);
      expect(previousExpiresAt?.getTime()).toBe(world.clock.now().getTime() + 24 * 60 * minuteMs);
      await world.publish(caller);
      await deliverNow(caller, row.id);
      world.clock.pass(24 * 60 * minuteMs);
      await world.publish(caller);
      await deliverNow(caller, row.id);
      const [during, after] = sink.requests;
      expect(during?.headers["x-webhook-signature"]).toBe(hmac(second, during?.body));
      expect(during?.headers["x-webhook-signature-previous"]).toBe(hmac(first ?? "", during?.body));
      expect(after?.headers["x-webhook-signature"]).toBe(hmac(second, after?.body));
      expect(during?.headers["webhook-signature"]).toBe(`${standard(second, during)} ${standard(first ?? "", during)}`);
      expect(after?.headers["webhook-signature"]).toBe(standard(second, after));
      expect(after?.headers["webhook-id"]).toBe(after?.event.id);
      expect(after?.headers["webhook-timestamp"]).toBe(after?.headers["x-webhook-timestamp"]);
      expect(after?.headers).not.toHaveProperty("x-webhook-signature-previous");
    }));

  it("is attempted five times in its windows when each attempt fails, then dropped, and never a sixth time", () =>
    withSink(async (sink, caller) => {
      sink.answerWith(() => ({ status: 503 }));
      const { row } = await world.subscribe(caller, sink.url);
      const eventId = await world.publish(caller);
      const start = world.clock.now().getTime();
      const times: number[] = [];
      // Twice a minute for four hours: far more often than there are attempts.
      for (let step = 0; step < 480; step += 1) {
        const before = sink.requests.length;
        const next = step === 0 ? null : (await onlyDelivery(caller, row.id)).nextAttemptAt;
        if (step > 0 && next == null) break;
        // Just before the moment nothing is sent, however often somebody asks.
        if (next != null) {
          world.clock.set(new Date(next.getTime() - 1));
          await deliverNow(caller, row.id);
          expect(sink.requests).toHaveLength(before);
          world.clock.set(next);
        }
        await deliverNow(caller, row.id);
        times.push((world.clock.now().getTime() - start) / minuteMs);
      }
      world.clock.pass(24 * 60 * minuteMs);
      await deliverNow(caller, row.id);
      expect(sink.requests).toHaveLength(5);
      expect(sink.requests.map(({ headers }) => headers["x-webhook-attempt"])).toEqual(["1", "2", "3", "4", "5"]);
      expect(new Set(sink.requests.map(({ headers }) => headers["x-webhook-id"]))).toEqual(new Set([eventId]));
      expect(new Set(sink.requests.map(({ body }) => String(body))).size).toBe(1);
      [0, 3, 12, 39, 120].forEach((minutes, index) => {
        expect(times[index]).toBeGreaterThanOrEqual(minutes * 0.9 - 0.001);
        expect(times[index]).toBeLessThanOrEqual(minutes * 1.1 + 0.001);
      });
      expect(await onlyDelivery(caller, row.id)).toMatchObject({
        state: "dropped",
        attempts: 5,
        statusCode: 503,
        error: "the target answered 503",
        nextAttemptAt: null,
      });
    }));

  it("ends with the first 2xx, and takes a redirect for a failure", () =>
    withSink(async (sink, caller) => {
      sink.answerWith((_request, count) =>
        count === 1 ? { status: 307, headers: { location: `${sink.url}/elsewhere` } } : { status: 202, body: "later" },
      );
      const { row } = await world.subscribe(caller, sink.url);
      await world.publish(caller);
      await deliverNow(caller, row.id);
      expect(await onlyDelivery(caller, row.id)).toMatchObject({ state: "pending", attempts: 1, statusCode: 307 });
      world.clock.pass(4 * minuteMs);
      await deliverNow(caller, row.id);
      world.clock.pass(600 * minuteMs);
      await deliverNow(caller, row.id);
      expect(sink.requests.map(({ path }) => path)).toEqual(["/hook", "/hook"]);
      expect(await onlyDelivery(caller, row.id)).toMatchObject({ state: "delivered", attempts: 2, error: null });
    }));

  it("is one request, also to a target that hangs up instead of answering", () =>
    withSink(async (sink, caller) => {
      sink.answerWith(() => "hang-up");
      const { row } = await world.subscribe(caller, sink.url);
      await world.publish(caller);
      await deliverNow(caller, row.id);
      expect(sink.requests).toHaveLength(1);
      expect(await onlyDelivery(caller, row.id)).toMatchObject({ state: "pending", attempts: 1, statusCode: null });
    }));

  it("waits longer when the target asks for it by Retry-After", () =>
    withSink(async (sink, caller) => {
      sink.answerWith(() => ({ status: 429, headers: { "retry-after": "330" } }));
      const { row } = await world.subscribe(caller, sink.url);
      await world.publish(caller);
      await deliverNow(caller, row.id);
      const { nextAttemptAt } = await onlyDelivery(caller, row.id);
      expect(nextAttemptAt?.getTime()).toBe(world.clock.now().getTime() + 330_000);
    }));

  it("tells what the target's answer said neither in the list nor in a test", () =>
    withSink(async (sink, caller) => {
      sink.answerWith(() => ({ status: 500, body: "internal-secret-of-the-target" }));
      const { row } = await world.subscribe(caller, sink.url);
      await world.publish(caller);
      await deliverNow(caller, row.id);
      const test = await world.webhooks.test(caller, row.id);
      expect(test).toEqual({ statusCode: 500, delivered: false, error: "the target answered 500" });
      expect(JSON.stringify(await onlyDelivery(caller, row.id))).not.toContain("internal-secret");
    }));

  it("is retried by the schedule when the target answers 410, and the webhook stays active", () =>
    withSink(async (sink, caller) => {
      const { row } = await world.subscribe(caller, sink.url);
      sink.answerWith(() => ({ status: 410 }));
      await world.publish(caller);
      await deliverNow(caller, row.id);
      const [webhooks] = await world.webhooks.list(caller, page);
      expect(webhooks[0]?.row.isActive).toBe(true);
      expect(await onlyDelivery(caller, row.id)).toMatchObject({
        ...{ state: "pending", attempts: 1, statusCode: 410, error: "the target answered 410" },
        nextAttemptAt: expect.any(Date),
      });
    }));

  it("is not made to a webhook that was deleted or deactivated in the meantime", () =>
    withSink(async (sink, caller) => {
      const deleted = (await world.subscribe(caller, `${sink.url}/deleted`)).row;
      const inactive = (await world.subscribe(caller, `${sink.url}/inactive`)).row;
      await world.publish(caller);
      await world.webhooks.delete(caller, deleted.id);
      await world.webhooks.update(caller, inactive.id, { isActive: false });
      await deliverNow(caller, deleted.id);
      await deliverNow(caller, inactive.id);
      expect(sink.requests).toHaveLength(0);
      expect(await onlyDelivery(caller, inactive.id)).toMatchObject({ state: "dropped" });
    }));

  it("is claimed by one of many who ask at once, and made again under the same number when the claim runs out", () =>
    withSink(async (sink, caller) => {
      const { row } = await world.subscribe(caller, sink.url);
      await world.publish(caller);
      const address = { org_id: caller.orgId, webhook_id: row.id };
      const claims = await Promise.all(Array.from({ length: 8 }, () => world.attempts.claim(address, 4)));
      const claimed = claims.flatMap(({ attempts }) => attempts);
      expect(claimed).toHaveLength(1);
      // The holder dies here. Before its claim has run out the attempt is nobody's, then anybody's.
      await deliverNow(caller, row.id);
      expect(sink.requests).toHaveLength(0);
      world.clock.pass(31_000);
      await deliverNow(caller, row.id);
      expect(sink.requests.map(({ headers }) => headers["x-webhook-attempt"])).toEqual(["1"]);
      // A holder that was only slow sends too, and cannot overwrite what the other one recorded.
      sink.answerWith(() => ({ status: 500 }));
      const [late] = claimed;
      expect((late && (await world.attempts.make(late)))?.outcome).toBe("superseded");
      expect(await onlyDelivery(caller, row.id)).toMatchObject({ state: "delivered", attempts: 1, statusCode: 204 });
    }));

  it("leaves no secret in the database", async () => {
    const caller = await world.newCaller();
    const { row, secret = "" } = await world.subscribe(caller, "http://127.0.0.1:9/", { generateSecret: true });
    const { secret: second } = await world.webhooks.rotateSecret(caller, row.id);
    const dump = await dumpOf(world.urls);
    expect(dump).toContain(row.id);
    for (const value of [secret, second]) {
      expect(value).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(dump).not.toContain(value.slice("whsec_".length));
      expect(dump).not.toContain(Buffer.from(value).toString("hex"));
      expect(dump).not.toContain(Buffer.from(value.slice("whsec_".length), "base64url").toString("hex"));
    }
  });
});

function seconds(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, "Z");
}

/** As https://www.standardwebhooks.com has it: the key is the base64 behind the prefix. */
function standard(secret: string, request: SunkRequest | undefined): string {
  const { "webhook-id": id, "webhook-timestamp": timestamp } = request?.headers ?? {};
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${request?.body}`).digest("base64")}`;
}

function hmac(secret: string, body: Buffer | undefined): string {
  return `sha256=${createHmac("sha256", secret)
    .update(body ?? "")
    .digest("hex")}`;
}
