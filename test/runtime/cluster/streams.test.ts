// Streams of text in front of several processes: whichever is called, a stream goes on where it was opened, and the
// loss of a process takes its own streams only.

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
  - {id: mail, stages: [output], detect: {ref: pii, entities: [EMAIL]}, action: REDACT}
  - {id: late, stages: [output], detect: {ref: pii, entities: [CREDIT_CARD]}, when: 'session.saw("tool_result", "untrusted")', action: BLOCK, on_error: fail_closed}
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

interface Answer {
  readonly status: number;
  readonly text: string;
}

function send(path: string, body: string, contentType = "application/json"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: "127.0.0.1",
        port: Number(runtime.facts.port),
        path: `/v1/evaluate/${path}`,
        method: "POST",
        agent: fresh,
        headers: { "content-type": contentType, authorization: `Bearer ${runtime.token}` },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    call.on("error", reject).end(body);
  });
}

async function post(path: string, body: object) {
  const { status, text } = await send(path, JSON.stringify(body));
  return { status, body: JSON.parse(text) };
}

const opening = (session_id?: string) => ({ stage: "output", request: session_id === undefined ? {} : { session_id } });

async function open(session_id?: string): Promise<string> {
  const { status, body } = await post("streams", opening(session_id));
  expect(status).toBe(201);
  return body.stream_id;
}

const processOf = (id: string) => Number(id.split(".")[0]);

/** Streams of both processes. */
async function openInBoth(): Promise<[string, string]> {
  const ids: string[] = [];
  for (let n = 0; n < 100 && ![0, 1].every((index) => ids.some((id) => processOf(id) === index)); n++)
    ids.push(await open());
  const found = [0, 1].map((index) => ids.find((id) => processOf(id) === index) ?? "");
  return [found[0] ?? "", found[1] ?? ""];
}

/** A whole stream at once, over NDJSON. */
async function streamed(session_id: string, deltas: readonly string[]) {
  const lines = [{ open: opening(session_id) }, ...deltas.map((delta) => ({ delta })), { finish: true }];
  const { status, text } = await send(
    "stream",
    lines.map((line) => JSON.stringify(line)).join("\n"),
    "application/x-ndjson",
  );
  expect(status).toBe(200);
  const events = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { released: events.map(({ release }) => release ?? "").join(""), verdict: events.at(-1).verdict };
}

describe("streams in front of two processes", () => {
  it("continue in the process that the id names when another one is called", async () => {
    for (const id of await openInBoth()) {
      let released = "";
      for (const delta of ["Write to a", "nn@exam", "ple.com", " today", "."]) {
        const { status, body } = await post(`streams/${id}/chunks`, { delta });
        expect(status).toBe(200);
        released += body.released;
      }
      const { status, body } = await post(`streams/${id}/finish`, {});
      expect(status).toBe(200);
      expect(released + body.released).toBe("Write to [EMAIL_1] today.");
      expect(body.verdict).toMatchObject({ outcome: "REDACT", unjudged: [] });
      expect((await post(`streams/${id}/finish`, {})).status).toBe(404);
    }
  });

  it("all take texts that are cut within surrogate pairs", async () => {
    const units = "🙂 for ann@example.com 🙃🙂".split("");
    for (const id of await openInBoth()) {
      let released = "";
      for (const delta of units) released += (await post(`streams/${id}/chunks`, { delta })).body.released;
      const { body } = await post(`streams/${id}/finish`, {});
      expect(released + body.released).toBe("🙂 for [EMAIL_1] 🙃🙂");
    }
    for (const session_id of ["smile-0", "smile-1", "smile-2", "smile-3"])
      expect((await streamed(session_id, units)).released).toMatch(/^🙂 for \[EMAIL_\d\] 🙃🙂$/);
  });

  it("are kept where their session is, in either form", async () => {
    const sessions = Array.from({ length: 8 }, (_, i) => `session-${i}`);
    expect(new Set(sessions.map((id) => ownerOf(id, 2))).size).toBe(2);
    for (const session_id of sessions) {
      await post("input", { session_id, text: "hello" });
      await post("tool-result", { session_id, text: "a page" });
      const id = await open(session_id);
      expect(processOf(id)).toBe(ownerOf(session_id, 2));
      await post(`streams/${id}/chunks`, { delta: "Pay 4111 1111 1111 1111 now." });
      const end = await post(`streams/${id}/finish`, {});
      expect(end.body).toMatchObject({ verdict: { outcome: "BLOCK", unjudged: [] } });
      const { released, verdict } = await streamed(session_id, ["Pay 4111 11", "11 1111 11", "11 now."]);
      expect(released).toBe("Pay ");
      expect(verdict).toMatchObject({ outcome: "BLOCK", unjudged: [] });
    }
  });

  it("judge tool calls in parts that a peer keeps", async () => {
    const [far = ""] = Array.from({ length: 16 }, (_, i) => `calls-${i}`);
    await post("input", { session_id: far, text: "hello" });
    const parts = ['{"note": "about ', 'nothing"}'].map((piece, index) => ({
      tool_call: { id: "c1", name: index === 0 ? "save" : "", arguments: piece },
    }));
    const lines = [{ open: opening(far) }, { delta: "Saving." }, ...parts, { finish: true }];
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        send("stream", lines.map((line) => JSON.stringify(line)).join("\n"), "application/x-ndjson"),
      ),
    );
    for (const { text } of answers) {
      const { verdict } = JSON.parse(text.trim().split("\n").at(-1) ?? "");
      expect(verdict.tool_calls).toMatchObject([{ id: "c1", outcome: "ALLOW" }]);
    }
  });

  it("all refuse in the same way", async () => {
    for (const id of ["0.nothing", "1.nothing", "7.nothing", "nothing"])
      expect((await post(`streams/${id}/chunks`, { delta: "x" })).status).toBe(404);
    const [id] = await openInBoth();
    const parts = [{ id: "c", name: "t", arguments: "{" }];
    await post(`streams/${id}/chunks`, { delta: "x", tool_calls: parts });
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(`streams/${id}/finish`, {})));
    for (const { status, body } of answers) {
      expect(status).toBe(422);
      expect(body).toMatchObject({ detail: { error: "validation_failed" } });
    }
  });

  it("are lost with their process, with an error that says so, and no other streams are", async () => {
    const ids = await openInBoth();
    const [victim = 0, other = 0] = children();
    process.kill(victim, "SIGKILL");
    const answers = new Map<string, Set<number>>();
    await eventually(async () => {
      for (const id of ids) {
        const { status } = await post(`streams/${id}/chunks`, { delta: "x" });
        answers.set(id, (answers.get(id) ?? new Set()).add(status));
      }
    });
    for (let n = 0; n < 10; n++) {
      for (const id of ids) {
        const status = await post(`streams/${id}/chunks`, { delta: "x" }).then(
          (answer) => answer.status,
          () => 0,
        );
        answers.set(id, (answers.get(id) ?? new Set()).add(status));
      }
    }
    const kept = ids.filter((id) => answers.get(id)?.has(200) === true);
    const lost = ids.filter((id) => !kept.includes(id));
    expect([kept.length, lost.length]).toEqual([1, 1]);
    for (const status of answers.get(lost[0] ?? "") ?? []) expect([503, 404, 0]).toContain(status);
    expect(children()).toContain(other);
    const end = await eventually(async () => {
      const answer = await post(`streams/${kept[0]}/finish`, {});
      expect(answer.status).toBe(200);
      return answer;
    });
    expect(end.body.verdict).toMatchObject({ outcome: "ALLOW" });
    // The next process knows nothing of the lost stream.
    await eventually(async () => {
      expect((await post(`streams/${lost[0]}/chunks`, { delta: "x" })).status).toBe(404);
    });
  });
});

function children(): number[] {
  const text = execFileSync("ps", ["-o", "pid=", "--ppid", String(runtime.facts.pid)], { encoding: "utf8" });
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(Number);
}
