import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { webhookLimit } from "../../../../src/domain/webhook/webhook.ts";
import { Fault } from "../../../../src/kit/fault/fault.ts";
import { newId } from "../../../../src/kit/process/id.ts";
import { startWebhookSink } from "../../../harness/net/webhook-sink.ts";
import { openWebhookWorld, type WebhookWorld } from "../../../harness/net/webhook-world.ts";

const page = { limit: 50, offset: 0 };
const url = "http://127.0.0.1:9/hook";

let world: WebhookWorld;

beforeAll(async () => {
  // Waited for once in full, by the target that never answers.
  world = await openWebhookWorld({ totalTimeoutMs: 3_000 });
});

afterAll(() => world.close());

async function reasonOf(work: Promise<unknown>): Promise<Reason | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.reason;
    throw error;
  }
}

describe("Webhooks", () => {
  it("keeps each event once, in the order given", async () => {
    const caller = await world.newCaller();
    const events = ["policy.updated", "bundle.published", "policy.updated"];
    const { row } = await world.webhooks.create(caller, { url, events, generateSecret: false });
    expect(row).toMatchObject({ url, events: ["policy.updated", "bundle.published"], isActive: true, secret: null });
    const changed = await world.webhooks.update(caller, row.id, { events: ["sso.configured", "sso.configured"] });
    expect(changed.row).toMatchObject({ url, events: ["sso.configured"] });
  });

  it("refuses private targets and plain http to public ones, at creation and at a change", async () => {
    const caller = await world.newCaller();
    const { row } = await world.subscribe(caller, url);
    const attempts: readonly (readonly [string, Reason])[] = [
      ["https://10.0.0.1/", Reason.ADDRESS_REFUSED],
      ["https://169.254.169.254/latest/meta-data", Reason.ADDRESS_REFUSED],
      ["https://[::ffff:192.168.0.1]/", Reason.ADDRESS_REFUSED],
      ["http://8.8.8.8/", Reason.VALIDATION_FAILED],
      ["not a url", Reason.VALIDATION_FAILED],
    ];
    for (const [target, reason] of attempts) {
      expect(await reasonOf(world.subscribe(caller, target)), target).toBe(reason);
      expect(await reasonOf(world.webhooks.update(caller, row.id, { url: target })), target).toBe(reason);
    }
    expect((await world.webhooks.list(caller, page))[0]).toMatchObject([{ row: { id: row.id, url } }]);
  });

  it("makes at most a hundred for one organization, also when many are asked for at once", async () => {
    const caller = await world.newCaller();
    const asked = Array.from({ length: webhookLimit + 7 }, () => reasonOf(world.subscribe(caller, url)));
    const reasons = await Promise.all(asked);
    expect(reasons.filter((reason) => reason === Reason.LIMIT_REACHED)).toHaveLength(7);
    expect((await world.webhooks.list(caller, page))[1]).toBe(webhookLimit);
  });

  it("shows a secret when it is made and in no row that is read later", async () => {
    const caller = await world.newCaller();
    const { row, secret } = await world.subscribe(caller, url, { generateSecret: true });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const [[listed]] = await world.webhooks.list(caller, page);
    expect(listed?.row.id).toBe(row.id);
    expect(Buffer.from(listed?.row.secret ?? []).includes(Buffer.from((secret ?? "").slice(6)))).toBe(false);
  });

  it("gives a secret by rotation to a webhook that had none, with nothing to expire", async () => {
    const caller = await world.newCaller();
    const { row, secret } = await world.subscribe(caller, url);
    expect(secret).toBeUndefined();
    const first = await world.webhooks.rotateSecret(caller, row.id);
    expect(first).toMatchObject({ id: row.id, previousExpiresAt: null });
    const second = await world.webhooks.rotateSecret(caller, row.id);
    expect(second.secret).not.toBe(first.secret);
    expect(second.previousExpiresAt).toEqual(new Date(world.clock.now().getTime() + 24 * 3_600_000));
  });

  it("is invisible to other organizations in every operation", async () => {
    const caller = await world.newCaller();
    const stranger = await world.newCaller();
    const { row } = await world.subscribe(caller, url);
    await world.publish(caller);
    const operations = [
      world.webhooks.update(stranger, row.id, { isActive: false }),
      world.webhooks.update(stranger, row.id, { url: "https://10.0.0.1/" }),
      world.webhooks.rotateSecret(stranger, row.id),
      world.webhooks.test(stranger, row.id),
      world.webhooks.delete(stranger, row.id),
      world.deliveries.list(stranger, row.id, page),
      world.webhooks.delete(caller, newId()),
    ];
    expect(await Promise.all(operations.map(reasonOf))).toEqual(operations.map(() => Reason.NOT_FOUND));
    expect(await world.webhooks.list(stranger, page)).toEqual([[], 0]);
    const rows = await world.database.read(stranger.orgId, (tx) =>
      tx.sql(
        "select id::text from webhook union all select id::text from webhook_delivery union all select id from event",
      ),
    );
    expect(rows).toEqual([]);
    expect((await world.webhooks.list(caller, page))[0][0]?.row).toMatchObject({ id: row.id, isActive: true });
  });

  it("lists newest first and by pages, and deliveries by their state", async () => {
    const caller = await world.newCaller();
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      ids.unshift((await world.subscribe(caller, url)).row.id);
      world.clock.pass(1_000);
    }
    const [rows, total] = await world.webhooks.list(caller, { limit: 2, offset: 1 });
    expect([rows.map((view) => view.row.id), total]).toEqual([ids.slice(1), 3]);
    const [id = ""] = ids;
    await world.publish(caller);
    expect((await world.deliveries.list(caller, id, page, { state: "pending" }))[1]).toBe(1);
    expect((await world.deliveries.list(caller, id, page, { state: "delivered" }))[1]).toBe(0);
  });

  it("tests with a signed synthetic event, now, and keeps no delivery of it", async () => {
    const sink = await startWebhookSink();
    try {
      const caller = await world.newCaller();
      const { row } = await world.subscribe(caller, sink.url, { generateSecret: true });
      expect(await world.webhooks.test(caller, row.id)).toEqual({ statusCode: 204, delivered: true, error: null });
      const [request] = sink.requests;
      expect(request?.event).toMatchObject({
        event: "webhook.test",
        org_id: caller.orgId,
        data: { webhook_id: row.id },
      });
      expect(request?.headers["x-webhook-event"]).toBe("webhook.test");
      expect(request?.headers["x-webhook-signature"]).toMatch(/^sha256=[0-9a-f]{64}$/);
      expect((await world.deliveries.list(caller, row.id, page))[1]).toBe(0);
    } finally {
      await sink.close();
    }
  });

  it("tells that a target could not be reached or said nothing, without an error of its own", async () => {
    const sink = await startWebhookSink();
    sink.answerWith(() => "silence");
    try {
      const caller = await world.newCaller();
      const unreachable = await world.webhooks.test(caller, (await world.subscribe(caller, url)).row.id);
      expect(unreachable).toMatchObject({ statusCode: null, delivered: false });
      expect(unreachable.error).toContain("127.0.0.1:9");
      const silent = await world.webhooks.test(caller, (await world.subscribe(caller, sink.url)).row.id);
      expect(silent).toMatchObject({ statusCode: null, delivered: false, error: expect.stringContaining("in time") });
    } finally {
      await sink.close();
    }
  });
});
