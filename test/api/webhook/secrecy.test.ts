// A webhook's secret is told when it is made and when it is rotated, and nowhere else: whoever has the log, the other
// answers or a dump of the database cannot sign.

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DeliveryAttempts } from "../../../src/domain/webhook/delivery-attempt.ts";
import { Dispatcher } from "../../../src/domain/webhook/dispatcher.ts";
import { createOutbound } from "../../../src/kit/net/outbound/client.ts";
import { createNetworkGuard } from "../../../src/kit/net/outbound/guard.ts";
import { createLog } from "../../../src/kit/observability/log.ts";
import { createSealer, parseMasterKeys } from "../../../src/platform/seal.ts";
import { openDatabase } from "../../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { dumpOf, formsOf } from "../../harness/dump.ts";
import { startWebhookSink, type WebhookSink } from "../../harness/net/webhook-sink.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { createWorld, type World } from "../../harness/vector/world.ts";

const masterKey = randomBytes(32).toString("base64");
const allowNetworks = "127.0.0.0/8";

const lines: string[] = [];
const log = createLog({ name: "test", level: "trace", destination: { write: (line) => void lines.push(line) } });
let urls: TestDatabase;
let plane: TestControlPlane;
let world: World;
let sink: WebhookSink;

beforeAll(async () => {
  urls = await createTestDatabase();
  const env = { POLICY_GUARD_MASTER_KEY: masterKey, POLICY_GUARD_ALLOW_NETWORKS: allowNetworks };
  plane = await startTestControlPlane({ urls, log, env });
  [world, sink] = await Promise.all([createWorld(plane.database), startWebhookSink()]);
});

afterAll(async () => {
  await sink.close();
  await plane.stop();
  await urls.drop();
});

/** Calls the REST API as an admin. */
async function call(method: string, path: string, body?: object): Promise<string> {
  const headers = { authorization: `Bearer ${world.tokens.admin}`, "content-type": "application/json" };
  const request = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return (await fetch(`${plane.baseUrl}/v1/orgs/${world.orgId}${path}`, request)).text();
}

/** Delivers what is due, as the worker does. */
async function deliver(webhookId: string): Promise<void> {
  const database = await openDatabase({ url: urls.workerUrl, poolSize: 4 });
  const guard = createNetworkGuard({ allowNetworks: [allowNetworks], dnsServers: [] });
  const outbound = createOutbound({ guard });
  const sealer = createSealer({ masterKeys: parseMasterKeys(masterKey) });
  const attempts = new DeliveryAttempts(database, { sealer, outbound, clock: { now: () => new Date() } });
  const dispatcher = new Dispatcher({ attempts, log, onResult: (result) => log.trace({ result }, "attempt") });
  dispatcher.wake({ org_id: world.orgId, webhook_id: webhookId });
  await dispatcher.idle();
  await outbound.close();
  await database.close();
}

/**
 * A life of a webhook: every operation that there is, with failures. Returns the secrets and all answers that must not
 * have one.
 */
async function liveALife(): Promise<{ secrets: string[]; answers: string[] }> {
  const input = { url: sink.url, events: ["policy.updated", "alert.triggered"], generate_secret: true };
  const { id, secret }: { id: string; secret: string } = JSON.parse(await call("POST", "/webhooks", input));
  const at = `/webhooks/${id}`;
  const { secret: second }: { secret: string } = JSON.parse(await call("POST", `${at}/rotate-secret`));
  const answers: string[] = [];
  const ask = async (...request: Parameters<typeof call>) => answers.push(await call(...request));
  sink.answerWith(({ headers }) => ({ status: 500, body: `away, ${headers["x-webhook-id"]}` }));
  await ask("POST", `${at}/test`);
  const rules = [{ id: "secrets.any", stages: ["input"], detect: "secrets", action: "BLOCK" }];
  const document = { apiVersion: "policyguard/v1", kind: "Policy", metadata: { name: "guard" }, rules };
  await ask("POST", "/policies", { document });
  await deliver(id);
  await ask("GET", "/webhooks");
  await ask("GET", at);
  await ask("PATCH", at, { events: ["policy.updated"] });
  await ask("PATCH", at, { secret });
  const list = await call("GET", `${at}/deliveries`);
  const [{ id: deliveryId }]: [{ id: string }] = JSON.parse(list).deliveries;
  answers.push(list);
  await ask("GET", `${at}/deliveries/${deliveryId}`);
  await ask("POST", `${at}/deliveries/${deliveryId}/redeliver`);
  await ask("POST", `${at}/redeliver-failed`, { since: "2026-01-01T00:00:00Z" });
  return { secrets: [secret, second], answers };
}

it("a secret is in the two answers that tell it, and in no other, no log and no dump of the database", async () => {
  const { secrets, answers } = await liveALife();
  for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  // What the receiver saw is signed by both: they were used.
  expect(sink.requests.length).toBeGreaterThanOrEqual(2);
  expect(sink.requests[0]?.headers).toHaveProperty("x-webhook-signature-previous");
  const dump = await dumpOf(urls);
  expect(answers).toHaveLength(10);
  expect(answers.at(-3)).toContain("the target answered 500");
  expect(lines.join("")).toContain('"msg":"attempt"');
  expect(dump).toContain(sink.url);
  const places = { answers: answers.join("\n"), log: lines.join(""), dump };
  for (const [place, text] of Object.entries(places)) {
    for (const form of [...secrets, masterKey].flatMap(allForms)) expect(text.includes(form), place).toBe(false);
  }
});

/** A secret as it is written, without its prefix, and as the bytes that it stands for. */
function allForms(secret: string): string[] {
  const bare = secret.replace(/^whsec_/, "");
  return [...formsOf(secret), ...formsOf(bare), Buffer.from(bare, "base64").toString("hex")];
}
