// Callers that read slowly, go away, or never finish: a stream takes no more than it may, and ends as one record with
// what was known.

import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { create, fromBinary } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Outcome, Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { type EvaluationRecord, EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import {
  type EvaluateStreamRequest,
  EvaluateStreamRequestSchema,
  type EvaluateStreamResponse,
  EvaluationService,
} from "../../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { EvaluateVectorSchema } from "../../../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { streamLimits } from "../../../runtime/stream/stream-limits.ts";
import { eventually } from "../../harness/eventually.ts";
import { bundleOf, type EvaluateStage, startEvaluateStage } from "../../harness/vector/evaluate-stage.ts";

const yaml = [
  "detectors: {words: {use: keywords, keywords: [project bluebird]}, mail: {use: pii, entities: [EMAIL]}}",
  "rules:",
  "  - {id: secret, stages: [output], detect: words, action: BLOCK}",
  "  - {id: mail, stages: [output], detect: mail, action: REDACT}",
];
const limits = { ...streamLimits, idleMs: 120_000, maxDurationMs: 120_000, units: 1_000_000 };
const idleMs = 1_200;
const records: EvaluationRecord[] = [];
const spool = { append: (bytes: Uint8Array) => records.push(fromBinary(EvaluationRecordSchema, bytes)) };
let stage: EvaluateStage;

beforeAll(async () => {
  stage = await startEvaluateStage({ spool, streamLimits: limits });
  await stage.adopt(await bundleOf(create(EvaluateVectorSchema, { policies: [{ yaml }] })));
});
afterAll(() => end(stage));

afterEach(async () => {
  await eventually(async () => expect(await stage.metric("streams_open")).toBe(0));
  expect(await stage.metric("stream_held_back_characters")).toBe(0);
  records.length = 0;
});

type Part = EvaluateStreamRequest["part"];

function part(value: Part): EvaluateStreamRequest {
  return create(EvaluateStreamRequestSchema, { part: value });
}
const opening = () =>
  part({ case: "open", value: { $typeName: "policyguard.policy.v1.StreamOpening", stage: Stage.OUTPUT } });

// Connections that are left open keep a runtime from ending for a while.
const connections = new Map<EvaluateStage, Http2SessionManager>();

function sessionOf(at: EvaluateStage): Http2SessionManager {
  const known = connections.get(at) ?? new Http2SessionManager(at.url);
  connections.set(at, known);
  return known;
}

/** Works with a runtime of its own, which keeps to some of the limits sooner. */
async function withLimits(sooner: Partial<typeof limits>, work: (at: EvaluateStage) => Promise<void>): Promise<void> {
  const at = await startEvaluateStage({ spool, streamLimits: { ...limits, ...sooner } });
  try {
    await at.adopt(await bundleOf(create(EvaluateVectorSchema, { policies: [{ yaml }] })));
    await work(at);
  } finally {
    await end(at);
  }
}

async function end(at: EvaluateStage): Promise<void> {
  connections.get(at)?.abort();
  await at.stop();
}

function call(requests: AsyncIterable<EvaluateStreamRequest>, signal?: AbortSignal, at = stage) {
  const client = createClient(
    EvaluationService,
    createGrpcTransport({ baseUrl: at.url, sessionManager: sessionOf(at) }),
  );
  const headers = { authorization: `Bearer ${at.tokenOf("runtime")}` };
  return client.evaluateStream(requests, { headers, ...(signal && { signal }) })[Symbol.asyncIterator]();
}

/** Parts, and then nothing more until the caller is gone. */
async function* unfinished(...deltas: string[]): AsyncGenerator<EvaluateStreamRequest> {
  yield opening();
  for (const value of deltas) yield part({ case: "delta", value });
  await new Promise(() => undefined);
}

async function rest(events: AsyncIterator<EvaluateStreamResponse>): Promise<EvaluateStreamResponse[]> {
  const all: EvaluateStreamResponse[] = [];
  for (let next = await events.next(); next.done !== true; next = await events.next()) all.push(next.value);
  return all;
}

describe("a caller that does not read", () => {
  it("is not read from: the waiting bytes are bounded by the windows of the connection", async () => {
    // What a delta leads to is longer than the delta.
    const delta = "a@b.com ".repeat(25) + "word ".repeat(160);
    const count = 600;
    let sent = 0;
    async function* requests() {
      yield opening();
      for (; sent < count; sent++) yield part({ case: "delta", value: delta });
      yield part({ case: "finish", value: true });
    }
    const events = call(requests());
    const first = await events.next();
    let before = -1;
    while (before < sent) {
      before = sent;
      await sleep(150);
    }
    // Two windows of 64 KiB and what the pipes between hold; the rest has not been asked for.
    expect(sent).toBeLessThan(count / 2);
    expect(await stage.metric("stream_held_back_characters")).toBeLessThan(10_000);
    // Once it reads, all of it comes.
    let findings = 1;
    let last = first.value;
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      last = next.value;
      if (last?.event.case === "finding") findings++;
    }
    expect(sent).toBe(count);
    expect(findings).toBe(25 * count);
    expect(last?.event).toMatchObject({ case: "verdict", value: { outcome: Outcome.REDACT } });
    expect(records).toHaveLength(1);
  });

  it("ends a stream after a while: as one record, and its text is freed", () =>
    withLimits({ idleMs }, async (at) => {
      const delta = "a@b.com ".repeat(125);
      async function* requests() {
        yield opening();
        for (let i = 0; i < 900; i++) yield part({ case: "delta", value: delta });
      }
      const events = call(requests(), undefined, at);
      expect((await events.next()).done).toBe(false);
      await eventually(() => expect(records).toHaveLength(1));
      await eventually(async () => expect(await at.metric("streams_open")).toBe(0));
      expect(await at.metric("stream_held_back_characters")).toBe(0);
      await expect(rest(events)).rejects.toThrow(/deadline_exceeded/);
    }));
});

describe("a caller that goes away in the middle", () => {
  it("leaves one record over RPC, of the text so far", async () => {
    const gone = new AbortController();
    const events = call(unfinished("Write to ann@example.com about ", "the project blue"), gone.signal);
    const first = await events.next();
    expect(first.done).toBe(false);
    expect(await stage.metric("streams_open")).toBe(1);
    gone.abort();
    await expect(rest(events)).rejects.toThrow();
    await eventually(() => expect(records).toHaveLength(1));
    expect(records[0]).toMatchObject({ outcome: Outcome.REDACT, stage: Stage.OUTPUT });
    expect(records[0]?.findings.map(({ ruleId }) => ruleId)).toEqual(["mail"]);
  });

  it("leaves one record over NDJSON, and frees its text", async () => {
    const socket = connect(Number(new URL(stage.url).port), "127.0.0.1");
    const lines = [{ open: { stage: "output" } }, { delta: "ann@example.com and project bluebird " }];
    const body = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    socket.write(
      `POST /v1/evaluate/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${stage.tokenOf("runtime")}\r\n` +
        `content-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n`,
    );
    let answer = "";
    socket.setEncoding("utf8").on("data", (text) => {
      answer += text;
    });
    await eventually(() => expect(answer).toContain('"finding"'));
    socket.destroy();
    await eventually(() => expect(records).toHaveLength(1));
    expect(records[0]).toMatchObject({ outcome: Outcome.BLOCK });
    expect(records[0]?.findings.map(({ ruleId }) => ruleId).sort()).toEqual(["mail", "secret"]);
  });

  it("leaves no record when nothing of the text came", async () => {
    const gone = new AbortController();
    const events = call(unfinished(), gone.signal);
    const reading = rest(events);
    await eventually(async () => expect(await stage.metric("streams_open")).toBe(1));
    gone.abort();
    await expect(reading).rejects.toThrow();
    await eventually(async () => expect(await stage.metric("streams_open")).toBe(0));
    expect(records).toEqual([]);
  });
});

describe("a stream that never finishes", () => {
  it("ends by itself after a pause, as one record", () =>
    withLimits({ idleMs }, async (at) => {
      const startedAtMs = performance.now();
      const events = call(unfinished("Write to ann@example.com now"), undefined, at);
      await expect(rest(events)).rejects.toThrow(/deadline_exceeded/);
      expect(performance.now() - startedAtMs).toBeGreaterThan(idleMs * 0.9);
      await eventually(() => expect(records).toHaveLength(1));
      expect(records[0]).toMatchObject({ outcome: Outcome.REDACT });
    }));

  it("ends after its max duration, however busy it is", async () => {
    async function* busy() {
      yield opening();
      for (;;) {
        yield part({ case: "delta", value: "word " });
        await sleep(50);
      }
    }
    const maxDurationMs = 1_500;
    await withLimits({ maxDurationMs }, async (at) => {
      const startedAtMs = performance.now();
      await expect(rest(call(busy(), undefined, at))).rejects.toThrow(/deadline_exceeded/);
      const tookMs = performance.now() - startedAtMs;
      expect(tookMs).toBeGreaterThan(maxDurationMs * 0.9);
      expect(tookMs).toBeLessThan(maxDurationMs + 30_000);
      await eventually(() => expect(records).toHaveLength(1));
    });
  });

  it("ends when its text is too long, as one record of the text before", async () => {
    async function* long() {
      yield opening();
      for (let i = 0; i < 11; i++) yield part({ case: "delta", value: "word ".repeat(20_000) });
    }
    await expect(rest(call(long()))).rejects.toThrow(/1000000 units/);
    await eventually(() => expect(records).toHaveLength(1));
    expect(records[0]).toMatchObject({ outcome: Outcome.ALLOW });
  });

  it("does not affect others: they go on beside 200 such streams", async () => {
    const gone = new AbortController();
    const idle = Array.from({ length: 200 }, () =>
      rest(call(unfinished("some words "), gone.signal)).catch(() => undefined),
    );
    const answer = await fetch(`${stage.url}/v1/evaluate/output`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${stage.tokenOf("runtime")}` },
      body: JSON.stringify({ text: "ann@example.com" }),
    });
    expect(await answer.json()).toMatchObject({ outcome: "REDACT" });
    gone.abort();
    await Promise.all(idle);
  });
});
