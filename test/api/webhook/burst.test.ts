// A burst of evaluation.blocked as ingests raise them, to several targets: all of it arrives, and memory does not grow with it.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { reportSample, sampleOf } from "../../../scripts/assurance/sample.ts";
import { publishEvents } from "../../../src/domain/event.ts";
import { newId } from "../../../src/kit/id.ts";
import { openWebhookWorld, type WebhookWorld } from "../../harness/webhook-world.ts";

const { n } = sampleOf({ n: 1_000, seed: 1 });
/** As many as an ingest has in a batch. */
const batch = 256;
const targets = 4;
/** Far below what the rows of a large burst take, and above what a garbage collector leaves lying about. */
const mostGrowthBytes = 96 * 1024 * 1024;

let world: WebhookWorld;
let server: Server;
const arrivals = new Map<string, number>();

beforeAll(async () => {
  world = await openWebhookWorld();
  server = createServer((request, response) => {
    const key = `${request.url} ${request.headers["x-webhook-id"]}`;
    arrivals.set(key, (arrivals.get(key) ?? 0) + 1);
    request.resume().once("end", () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await world.close();
});

it("is delivered completely, each event once to each target, in bounded memory", async () => {
  const caller = await world.newCaller();
  const { port } = server.address() as AddressInfo; // listens on TCP
  const ids: string[] = [];
  for (let index = 0; index < targets; index += 1) {
    const { row } = await world.webhooks.create(caller, {
      url: `http://127.0.0.1:${port}/${index}`,
      events: ["evaluation.blocked"],
      generateSecret: true,
    });
    ids.push(row.id);
  }
  const events = Math.ceil(n / targets);
  const before = process.memoryUsage().heapUsed;
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().heapUsed);
  }, 20);
  try {
    for (let done = 0; done < events; done += batch) {
      const data = Array.from({ length: Math.min(batch, events - done) }, blockedData);
      await world.database.systemTransaction(caller.orgId, (tx) => publishEvents(tx, "evaluation.blocked", data));
      for (const id of ids) world.dispatcher.wake({ org_id: caller.orgId, webhook_id: id });
    }
    await world.dispatcher.idle();
  } finally {
    clearInterval(sampling);
  }
  const missing = events * targets - arrivals.size;
  const repeated = [...arrivals.values()].filter((count) => count > 1).length;
  reportSample({ n, failures: missing + repeated });
  expect({ missing, repeated }).toEqual({ missing: 0, repeated: 0 });
  // What this test itself remembers of each arrival is not the product's.
  const own = arrivals.size * 250;
  console.info(
    `burst of ${events * targets} deliveries: heap grew by ${Math.round((peak - before) / 1024 / 1024)} MiB at most`,
  );
  expect(peak - before - own).toBeLessThan(mostGrowthBytes);
});

function blockedData() {
  return {
    trace_id: newId(),
    evaluation_id: newId(),
    project_id: newId(),
    environment: "prod",
    agent_id: null,
    stage: "input",
    rule_ids: ["injection.override"],
    categories: ["injection.override"],
    bundle_version: 1,
    capture: "none",
    text: null,
  };
}
