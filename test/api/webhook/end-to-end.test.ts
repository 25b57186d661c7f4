// From a REST call to the target of a webhook: the control plane writes the event, the worker delivers it.

import { createHmac, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWebhookSink, type WebhookSink } from "../../harness/net/webhook-sink.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { startWorkerProcess, type WorkerProcess } from "../../harness/process/worker-process.ts";
import { createWorld, type World } from "../../harness/vector/world.ts";

const shared = {
  POLICY_GUARD_MASTER_KEY: randomBytes(32).toString("base64"),
  POLICY_GUARD_ALLOW_NETWORKS: "127.0.0.0/8",
};

let plane: TestControlPlane;
let worker: WorkerProcess;
let world: World;
let sink: WebhookSink;

beforeAll(async () => {
  plane = await startTestControlPlane({ env: shared });
  [world, sink, worker] = await Promise.all([
    createWorld(plane.database),
    startWebhookSink(),
    startWorkerProcess({ ...shared, DATABASE_WORKER_URL: plane.urls.workerUrl }),
  ]);
});

afterAll(async () => {
  await worker.kill();
  await sink.close();
  await plane.stop();
});

async function post(path: string, body: object): Promise<{ status: number; json: Record<string, unknown> }> {
  const response = await fetch(`${plane.baseUrl}/v1/orgs/${world.orgId}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.tokens.admin}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: await response.json() };
}

describe("an event that a REST call causes", () => {
  it("reaches the webhook, signed with the secret that only its creation showed", async () => {
    const input = { url: sink.url, events: ["policy.updated"], generate_secret: true };
    const { status, json: webhook } = await post("/webhooks", input);
    expect(status).toBe(201);
    const document = {
      apiVersion: "policyguard/v1",
      kind: "Policy",
      metadata: { name: "guard" },
      rules: [{ id: "secrets.any", stages: ["input"], detect: "secrets", action: "BLOCK" }],
    };
    const { json: policy } = await post("/policies", { document });
    await sink.received(1);
    const [request] = sink.requests;
    expect(request?.event).toMatchObject({
      event: "policy.updated",
      org_id: world.orgId,
      data: { policy_id: policy.id, name: "guard", version: 1, change: "created" },
    });
    const expected = createHmac("sha256", String(webhook.secret))
      .update(request?.body ?? "")
      .digest("hex");
    expect(request?.headers["x-webhook-signature"]).toBe(`sha256=${expected}`);
    const { json: tested } = await post(`/webhooks/${webhook.id}/test`, {});
    expect(tested).toEqual({ status_code: 204, delivered: true, error: null });
  });
});
