// Receivers as they are: a tenth of them is away for an hour and a half, and of the others a tenth of all requests
// fails.

import { afterAll, beforeAll, expect, it } from "vitest";
import { seededRandom } from "../../../runtime/engine/authoring/seeded-random.ts";
import type { Caller } from "../../../src/kit/rpc/context.ts";
import { startWebhookSink, type WebhookSink } from "../../harness/net/webhook-sink.ts";
import { openWebhookWorld, type WebhookWorld } from "../../harness/net/webhook-world.ts";

const receivers = 10;
const events = 10;
const minuteMs = 60_000;
const awayMs = 90 * minuteMs;

let world: WebhookWorld;
let sink: WebhookSink;

beforeAll(async () => {
  [world, sink] = await Promise.all([openWebhookWorld(), startWebhookSink()]);
});

afterAll(async () => {
  await sink.close();
  await world.close();
});

it("hear of every event within the schedule, though a tenth of them is faulty", async () => {
  const caller = await world.newCaller();
  const random = seededRandom(1);
  const startedAt = world.clock.now().getTime();
  const elapsedMs = () => world.clock.now().getTime() - startedAt;
  sink.answerWith(({ path }) => {
    const isAwayOne = Number(path.split("/").at(-1)) < receivers / 10;
    return { status: (isAwayOne ? elapsedMs() < awayMs : random() < 0.1) ? 503 : 204 };
  });
  await Promise.all(Array.from({ length: receivers }, (_, index) => world.subscribe(caller, `${sink.url}/${index}`)));
  for (let count = 0; count < events; count += 1) await world.publish(caller);
  let wakes = 0;
  for (; elapsedMs() < 150 * minuteMs; wakes += 1) {
    for (const id of await dueWebhooks(caller)) world.dispatcher.wake({ org_id: caller.orgId, webhook_id: id });
    await world.dispatcher.idle();
    const [next] = await world.database.read(caller.orgId, (tx) =>
      tx.sql<{ at: Date | null }>("select min(next_attempt_at) as at from webhook_delivery where state = 'pending'"),
    );
    if (next?.at == null) break;
    world.clock.set(new Date(next.at.getTime() + minuteMs));
  }
  expect(wakes).toBeGreaterThan(3);
  // 120 minutes, 10 % of them, and a minute for each of the steps by which this test goes.
  expect(elapsedMs()).toBeLessThanOrEqual((132 + 5) * minuteMs);
  const states = await world.database.read(caller.orgId, (tx) =>
    tx.sql<{ state: string; count: number; most: number }>(
      "select state, count(*)::int as count, max(attempts) as most from webhook_delivery group by state",
    ),
  );
  expect(states).toEqual([{ state: "delivered", count: receivers * events, most: expect.any(Number) }]);
  expect(states[0]?.most).toBeLessThanOrEqual(5);
  expect(sink.requests.length).toBeGreaterThan(receivers * events * 1.05);
});

/** Webhooks that have something due by the world's clock. */
async function dueWebhooks({ orgId }: Caller): Promise<string[]> {
  const rows = await world.database.read(orgId, (tx) =>
    tx.sql<{ id: string }>(
      "select distinct webhook_id as id from webhook_delivery where state = 'pending' and next_attempt_at <= ?",
      [tx.now],
    ),
  );
  return rows.map(({ id }) => id);
}
