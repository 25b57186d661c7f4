// Several processes on one port, as users start them: sessions are one, measurements add up, and the loss of one is
// survived.

import { execFileSync } from "node:child_process";
import { Agent, request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownerOf } from "../../../runtime/cluster/worker-slot.ts";
import { eventually } from "../../harness/eventually.ts";
import { type Standalone, startStandalone } from "../../harness/process/standalone-process.ts";

const policy = `
apiVersion: policyguard/v1
kind: Policy
metadata: {name: guard}
rules:
  - {id: mail, stages: [input], detect: {ref: pii, entities: [EMAIL]}, action: REDACT, redact: {style: placeholder, reversible: true}}
  - {id: exfil, stages: [tool_call], when: 'session.saw("tool_result", "untrusted")', action: BLOCK, on_error: fail_open}
`;
// Every call has a connection of its own, so that the system chooses the process anew.
const fresh = new Agent({ keepAlive: false });
let runtime: Standalone;

beforeAll(async () => {
  runtime = await startStandalone(policy, 2);
});

afterAll(async () => {
  expect(await runtime.stop()).toBe(0);
});

function post(path: string, body: object): Promise<{ status: number; body: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: "127.0.0.1",
        port: Number(runtime.facts.port),
        path: `/v1/evaluate/${path}`,
        method: "POST",
        agent: fresh,
        headers: { "content-type": "application/json", authorization: `Bearer ${runtime.token}` },
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

async function metrics(): Promise<string> {
  return (await fetch(`http://127.0.0.1:${runtime.facts.managementPort}/metrics`)).text();
}

async function metric(name: string): Promise<number> {
  const lines = (await metrics()).split("\n").filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

function children(): number[] {
  const [parent] = [runtime.facts.pid];
  const text = execFileSync("ps", ["-o", "pid=", "--ppid", String(parent)], { encoding: "utf8" });
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(Number);
}

describe("two processes on one port", () => {
  it("share a session, so that any of them can be called", async () => {
    const ids = Array.from({ length: 12 }, (_, i) => `session-${i}`);
    expect(new Set(ids.map((id) => ownerOf(id, 2))).size).toBe(2);
    for (const session_id of ids) {
      const { body } = await post("input", { session_id, text: "write to ada@lovelace.dev" });
      expect(body.text).toBe("write to [EMAIL_1]");
      await post("tool-result", { session_id, text: "a page" });
      const call = await post("tool-call", { session_id, tool_calls: [{ id: "c", name: "send" }] });
      expect(call.body).toMatchObject({ outcome: "BLOCK", unjudged: [] });
      const restored = await post("restore", { session_id, text: "[EMAIL_1]" });
      expect(restored.body).toMatchObject({ text: "ada@lovelace.dev", restored: 1 });
    }
    expect(await metric("sessions ")).toBe(12);
  });

  it("add up their counts, and no other metrics", async () => {
    const before = await metric("evaluations_total");
    await Promise.all(Array.from({ length: 40 }, () => post("input", { text: "hello" })));
    expect(await metric("evaluations_total")).toBe(before + 40);
    expect(await metric("bundle_version")).toBe(1);
  });

  it("all refuse in the same way", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        post("input", { session_id: `refused-${i}`, output_schema: "none", text: "x" }),
      ),
    );
    for (const { status, body } of answers) {
      expect(status).toBe(422);
      expect(body).toMatchObject({ detail: { error: "validation_failed", fields: [{ field: "output_schema" }] } });
    }
  });

  it("go on when one is killed, and it comes again", async () => {
    const readyz = () => fetch(`http://127.0.0.1:${runtime.facts.managementPort}/readyz`);
    await eventually(async () => expect((await readyz()).status).toBe(200));
    const [victim = 0, ...others] = children();
    expect(others).toHaveLength(1);
    process.kill(victim, "SIGKILL");
    await eventually(async () => {
      const { status } = await post("input", { text: "hello" });
      expect(status).toBe(200);
    });
    // A session of the one that is gone is unknown, and one of the other is not.
    const known = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        post("tool-call", { session_id: `session-${i}`, tool_calls: [{ id: "c", name: "send" }] }).then(
          ({ body }) => (body.unjudged as unknown[]).length === 0,
          () => false,
        ),
      ),
    );
    expect(known).toContain(true);
    expect(known).toContain(false);
    await eventually(async () => expect(children()).toHaveLength(2));
    await eventually(async () => {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) => post("input", { session_id: `again-${i}`, text: "hello" })),
      );
      expect(answers.every(({ status }) => status === 200)).toBe(true);
    });
    expect((await readyz()).status).toBe(200);
  });
});
