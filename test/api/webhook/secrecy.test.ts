// A webhook's secret is told when it is made and when it is rotated, and nowhere else: no answer, no log and no table has it.

import { expect, it } from "vitest";
import { createLog } from "../../../src/kit/log.ts";
import { startTestControlPlane } from "../../harness/control-plane.ts";
import { eventually } from "../../harness/eventually.ts";
import { startWebhookSink } from "../../harness/webhook-sink.ts";
import { startWorkerProcess } from "../../harness/worker-process.ts";
import { createWorld } from "../../harness/world.ts";

const masterKey = Buffer.alloc(32, 7).toString("base64");

it("a secret is in the answers that make it, and in no other answer and no log", async () => {
  const logged: string[] = [];
  const log = createLog({ name: "test", level: "trace", destination: { write: (line) => void logged.push(line) } });
  const env = { POLICY_GUARD_ALLOW_NETWORKS: "127.0.0.0/8", POLICY_GUARD_MASTER_KEY: masterKey };
  const plane = await startTestControlPlane({ env, log });
  const sink = await startWebhookSink();
  const worker = await startWorkerProcess({ ...env, DATABASE_WORKER_URL: plane.urls.workerUrl, LOG_LEVEL: "trace" });
  const { orgId, tokens } = await createWorld(plane.database);
  const answers: string[] = [];
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${plane.baseUrl}/v1/orgs/${orgId}/webhooks${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens.admin}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
    });
    return response.text();
  };
  try {
    sink.answerWith(() => ({ status: 500, body: "away" }));
    const made = { url: sink.url, events: ["policy.updated", "alert.triggered"], generate_secret: true };
    const { id, secret }: { id: string; secret: string } = JSON.parse(await call("POST", "", made));
    const { secret: second }: { secret: string } = JSON.parse(await call("POST", `/${id}/rotate-secret`));
    expect([secret, second].every((value) => value.startsWith("whsec_"))).toBe(true);
    answers.push(await call("POST", `/${id}/test`));
    const policy = "apiVersion: policyguard/v1\nkind: Policy\nmetadata: {name: x}\nrules: []\n";
    await fetch(`${plane.baseUrl}/v1/orgs/${orgId}/policies`, {
      method: "POST",
      headers: { authorization: `Bearer ${tokens.admin}`, "content-type": "application/json" },
      body: JSON.stringify({ document: policy, scope: { app_id: "*" } }),
    });
    await eventually(() => {
      if (sink.requests.length < 2) throw new Error("nothing was delivered yet");
    }, 20_000);
    answers.push(await call("GET", ""), await call("GET", `/${id}`), await call("PATCH", `/${id}`, { url: sink.url }));
    const list = await call("GET", `/${id}/deliveries`);
    const [{ id: deliveryId }]: [{ id: string }] = JSON.parse(list).deliveries;
    answers.push(list, await call("GET", `/${id}/deliveries/${deliveryId}`), await call("DELETE", `/${id}`));
    expect(await worker.stop()).toBe(0);
    const texts = { answers: answers.join("\n"), logs: [...logged, ...worker.lines].join("\n") };
    expect(texts.logs).toContain("shut down");
    for (const value of [secret, second, masterKey]) {
      for (const [where, text] of Object.entries(texts)) {
        expect(text.includes(value.replace("whsec_", "")), where).toBe(false);
      }
    }
  } finally {
    await worker.kill();
    await sink.close();
    await plane.stop();
  }
});
