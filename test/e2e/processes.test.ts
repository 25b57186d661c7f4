// A runtime of two processes and its control plane: each process enrols and reports for itself, and what they tell adds
// up.

import { Agent, request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownerOf } from "../../runtime/cluster/worker-slot.ts";
import { newId } from "../../src/kit/process/id.ts";
import { eventually } from "../harness/eventually.ts";
import { type Installation, startInstallation } from "../harness/process/installation.ts";
import { type NodeProcess, startNodeProcess } from "../harness/process/node-process.ts";

const policy = `apiVersion: policyguard/v1
kind: Policy
metadata: {name: words}
detectors: {words: {use: keywords, keywords: [forbidden]}}
rules: [{id: word, stages: [input, output], detect: words, action: BLOCK}]
`;
// Every call has a connection of its own, so that the system chooses the process anew.
const fresh = new Agent({ keepAlive: false });
let home: Installation;
let runtime: NodeProcess;

beforeAll(async () => {
  home = await startInstallation();
  await home.createPolicy(policy);
  await home.publish();
  runtime = await startNodeProcess({
    script: "runtime/main.ts",
    env: {
      RUNTIME_PORT: "0",
      RUNTIME_MANAGEMENT_PORT: "0",
      RUNTIME_PROCESSES: "2",
      POLICY_GUARD_URL: home.url,
      POLICY_GUARD_TOKEN: home.token,
      POLICY_GUARD_DATA: home.newFolder(),
    },
    readyMessage: "runtime is listening",
  });
  // The least of both.
  await eventually(async () => expect(await metric("reporting_stream_connected")).toBe(1));
  await eventually(async () => expect((await post("input", { text: "a" })).status).toBe(200));
});

afterAll(async () => {
  const code = await runtime.stop();
  await home.stop();
  expect(code).toBe(0);
});

function post(path: string, body: object): Promise<{ status: number; body: Record<string, never> }> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: "127.0.0.1",
        port: Number(runtime.facts.port),
        path: `/v1/evaluate/${path}`,
        method: "POST",
        agent: fresh,
        headers: { "content-type": "application/json", authorization: `Bearer ${home.token}` },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
      },
    );
    call.on("error", reject).end(JSON.stringify(body));
  });
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${runtime.facts.managementPort}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith(name) && /[ {]/.test(line.charAt(name.length)));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

async function idsTraced(ids: readonly string[]): Promise<number> {
  const stored = await home.traceIds();
  return ids.filter((id) => stored.filter((found) => found === id).length === 1).length;
}

describe("two processes and a control plane", () => {
  it("enrol as two instances, and both are told of the bundle", async () => {
    const path = `/projects/${home.world.projectId}/envs/${home.world.environment}/runtimes`;
    await eventually(async () => {
      const { total, runtimes } = await home.call("GET", path);
      expect(total).toBe(2);
      for (const each of runtimes) expect(each).toMatchObject({ connected: true, bundle_version: 1, state: "active" });
    });
    const versions = await Promise.all(
      Array.from({ length: 12 }, () => post("input", { text: "a" }).then(({ body }) => body)),
    );
    for (const body of versions) expect(body).toMatchObject({ bundle: { version: 1 } });
  });

  it("report every evaluation once, and count all of them", async () => {
    const before = await metric("evaluations_total");
    const ids = Array.from({ length: 60 }, newId);
    await Promise.all(
      ids.map((evaluation_id, i) => post("input", { evaluation_id, text: i % 3 === 0 ? "forbidden" : "fine" })),
    );
    expect(await metric("evaluations_total")).toBe(before + ids.length);
    await eventually(async () => expect(await idsTraced(ids)).toBe(ids.length));
    await eventually(async () => expect(await metric("spool_records")).toBe(0));
  });

  it("make one record of a stream, even if its parts go to different processes", async () => {
    const sessions = Array.from({ length: 8 }, (_, i) => `session-${i}`);
    expect(new Set(sessions.map((id) => ownerOf(id, 2))).size).toBe(2);
    const ids = sessions.map(() => newId());
    for (const [index, session_id] of sessions.entries()) {
      const { body } = await post("streams", {
        stage: "output",
        request: { session_id, evaluation_id: ids[index] },
      });
      for (const delta of ["nothing ", "that is forb", "idden here"])
        expect((await post(`streams/${body.stream_id}/chunks`, { delta })).status).toBe(200);
      expect(await metric("streams_open")).toBe(1);
      const end = await post(`streams/${body.stream_id}/finish`, {});
      expect(end.body).toMatchObject({ verdict: { outcome: "BLOCK", evaluation_id: ids[index] } });
    }
    expect(await metric("streams_open")).toBe(0);
    await eventually(async () => expect(await idsTraced(ids)).toBe(ids.length));
  });
});
