import { fromJson } from "@bufbuild/protobuf";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EvaluationBlockedDataSchema } from "../../../../gen/policyguard/control/v1/event_data_pb.ts";
import { type EventData, publishEvent, publishEvents } from "../../../../src/domain/event/event.ts";
import { newId } from "../../../../src/kit/process/id.ts";
import type { Caller } from "../../../../src/kit/rpc/context.ts";
import { openWebhookWorld, type WebhookWorld } from "../../../harness/net/webhook-world.ts";

const page = { limit: 200, offset: 0 };
const url = "http://127.0.0.1:9/";

let world: WebhookWorld;
let worker: pg.Client;

beforeAll(async () => {
  world = await openWebhookWorld();
  worker = new pg.Client({ connectionString: world.urls.workerUrl });
  await worker.connect();
});

afterAll(async () => {
  await worker.end();
  await world.close();
});

function blocked(index: number): EventData<"evaluation.blocked"> {
  return {
    trace_id: newId(),
    evaluation_id: `evaluation-${index}`,
    project_id: newId(),
    environment: "prod",
    agent_id: null,
    stage: "input",
    rule_ids: ["pii.email", "it's 'quoted' ? {x} \\"],
    categories: ["pii.email"],
    bundle_version: 3,
    capture: "none",
    text: null,
  };
}

/** Wake-ups that wait for the organization's webhooks. */
async function jobsOf({ orgId }: Caller): Promise<string[]> {
  const { rows } = await worker.query<{ webhook_id: string }>(
    `select j.payload->>'webhook_id' as webhook_id from graphile_worker._private_jobs j
     join graphile_worker._private_tasks t on t.id = j.task_id
     where t.identifier = 'deliver-webhook' and j.payload->>'org_id' = $1`,
    [orgId],
  );
  return rows.map((row) => row.webhook_id);
}

async function bodiesOf({ orgId }: Caller): Promise<Record<string, unknown>[]> {
  const rows = await world.database.read(orgId, (tx) => tx.sql<{ body: string }>("select body from event order by id"));
  return rows.map(({ body }) => JSON.parse(body));
}

async function deliveriesOf(caller: Caller, webhookId: string): Promise<number> {
  const [, total] = await world.deliveries.list(caller, webhookId, page);
  return total;
}

describe("publishEvent()", () => {
  it("reaches the active webhooks of the organization that subscribe, and no others", async () => {
    const caller = await world.newCaller();
    const stranger = await world.newCaller();
    const subscribed = (await world.subscribe(caller, url)).row;
    const inactive = (await world.subscribe(caller, url)).row;
    await world.webhooks.update(caller, inactive.id, { isActive: false });
    const events = ["bundle.published", "evaluation.blocked"];
    const other = (await world.webhooks.create(caller, { url, events, generateSecret: false })).row;
    const foreign = (await world.subscribe(stranger, url)).row;
    const id = await world.publish(caller);
    expect(id).toMatch(/^evt_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect(await deliveriesOf(caller, subscribed.id)).toBe(1);
    expect(await deliveriesOf(caller, inactive.id)).toBe(0);
    expect(await deliveriesOf(caller, other.id)).toBe(0);
    expect(await deliveriesOf(stranger, foreign.id)).toBe(0);
    expect(await jobsOf(caller)).toEqual([subscribed.id]);
    expect(await jobsOf(stranger)).toEqual([]);
  });

  it("leaves nothing behind when the transaction rolls back", async () => {
    const caller = await world.newCaller();
    const { row } = await world.subscribe(caller, url);
    const change = world.database.systemTransaction(caller.orgId, async (tx) => {
      await publishEvent(tx, "policy.updated", { policy_id: newId(), name: "a", version: 1, change: "created" });
      throw new Error("the change failed");
    });
    await expect(change).rejects.toThrow("the change failed");
    expect(await deliveriesOf(caller, row.id)).toBe(0);
    expect(await bodiesOf(caller)).toEqual([]);
    expect(await jobsOf(caller)).toEqual([]);
  });

  it("sends every documented field, and no other members of the object", async () => {
    const caller = await world.newCaller();
    const data = { ...blocked(1), prompt: "text that must not leave" };
    await world.database.systemTransaction(caller.orgId, (tx) => publishEvent(tx, "evaluation.blocked", data));
    const [body] = await bodiesOf(caller);
    expect(Object.keys(body ?? {})).toEqual(["id", "event", "created_at", "org_id", "data"]);
    const { prompt: _, ...documented } = data;
    expect(body?.data).toEqual(documented);
    expect(() => fromJson(EvaluationBlockedDataSchema, JSON.parse(JSON.stringify(documented)))).not.toThrow();
  });

  it("does not fail the change when a webhook is deleted at the same time", async () => {
    const caller = await world.newCaller();
    for (let round = 0; round < 10; round += 1) {
      const { row } = await world.subscribe(caller, url);
      await Promise.all([
        world.webhooks.delete(caller, row.id),
        world.publish(caller),
        world.publish(caller),
        world.publish(caller),
      ]);
    }
    expect(await bodiesOf(caller)).toHaveLength(30);
  });
});

describe("publishEvents()", () => {
  it("tells of thousands at once, with one wake-up for each webhook", async () => {
    const caller = await world.newCaller();
    const events = ["evaluation.blocked"];
    const webhooks = await Promise.all(
      [1, 2].map(() => world.webhooks.create(caller, { url, events, generateSecret: false })),
    );
    const data = Array.from({ length: 2_345 }, (_, index) => blocked(index));
    await world.database.systemTransaction(caller.orgId, (tx) => publishEvents(tx, "evaluation.blocked", data));
    for (const { row } of webhooks) expect(await deliveriesOf(caller, row.id)).toBe(data.length);
    expect((await jobsOf(caller)).sort()).toEqual(webhooks.map(({ row }) => row.id).sort());
    const bodies = await bodiesOf(caller);
    const told = new Map(bodies.map((body) => [(body.data as { evaluation_id: string }).evaluation_id, body.data]));
    expect(told).toEqual(new Map(data.map((entry) => [entry.evaluation_id, entry])));
  });

  it("writes nothing when nobody subscribes", async () => {
    const caller = await world.newCaller();
    await world.subscribe(caller, url);
    await world.database.systemTransaction(caller.orgId, (tx) => publishEvents(tx, "evaluation.blocked", [blocked(1)]));
    expect(await bodiesOf(caller)).toEqual([]);
    expect(await jobsOf(caller)).toEqual([]);
  });
});
