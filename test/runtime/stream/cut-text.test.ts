// Texts that are cut within a surrogate pair, as whoever slices strings of JavaScript cuts them.

import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EvaluateVectorSchema } from "../../../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { bundleOf, type EvaluateStage, startEvaluateStage } from "../../harness/vector/evaluate-stage.ts";

const yaml = ["rules:", "  - {id: mail, stages: [output], detect: {ref: pii, entities: [EMAIL]}, action: REDACT}"];
const text = "🙂 Write to ann@example.com 🙂🙃 today 🙂";
let stage: EvaluateStage;

beforeAll(async () => {
  stage = await startEvaluateStage();
  await stage.adopt(await bundleOf(create(EvaluateVectorSchema, { policies: [{ yaml }] })));
});
afterAll(() => stage.stop());

async function post(path: string, body: string, type = "application/json") {
  const authorization = `Bearer ${stage.tokenOf("runtime")}`;
  const headers = { authorization, "content-type": type };
  const response = await fetch(`${stage.url}/v1/evaluate/${path}`, { method: "POST", headers, body });
  return { status: response.status, text: await response.text() };
}

/** The deltas as NDJSON; what was released, and how it ended. */
async function stream(deltas: readonly string[]) {
  const parts = [{ open: {} }, ...deltas.map((delta) => ({ delta })), { finish: true }];
  const answer = await post("stream", parts.map((part) => JSON.stringify(part)).join("\n"), "application/x-ndjson");
  const lines = answer.text.trim().split("\n");
  const events = lines.map((line) => JSON.parse(line));
  return { status: answer.status, released: events.map(({ release }) => release ?? "").join(""), last: events.at(-1) };
}

async function open(): Promise<string> {
  return JSON.parse((await post("streams", "{}")).text).stream_id;
}

const redacted = text.replace("ann@example.com", "[EMAIL_1]");

describe("a text that is cut into single units", () => {
  it("is released as it is, over NDJSON", async () => {
    expect(await stream(text.split(""))).toMatchObject({ status: 200, released: redacted });
  });

  it("is released as it is, by single calls", async () => {
    const id = await open();
    let released = "";
    for (const delta of text.split("")) {
      const step = await post(`streams/${id}/chunks`, JSON.stringify({ delta }));
      expect(step.status).toBe(200);
      released += JSON.parse(step.text).released;
    }
    const end = JSON.parse((await post(`streams/${id}/finish`, "{}")).text);
    expect(released + end.released).toBe(redacted);
  });
});

describe("half of a surrogate pair", () => {
  it.each([
    ["that is the last", ["x\ud83d"]],
    ["with another beside it", ["x\ud83d", "\ud83d\ude00"]],
    ["without the first", ["x", "\ude00"]],
    ["within a delta", ["x\ud83dy"]],
  ])("%s is refused", async (_, deltas) => {
    const { status, last } = await stream(deltas);
    const detail = last.error ?? last.detail;
    expect(detail).toMatchObject({ error: "malformed_request" });
    expect([200, 400]).toContain(status);
  });

  it("is refused elsewhere, in keys and in other fields too", async () => {
    const id = await open();
    for (const body of ['{"tool_calls": [{"id": "c\\ud83d"}]}', '{"\\ud83d": ""}', '{"delta": ["\\ud83d"]}'])
      expect((await post(`streams/${id}/chunks`, body)).status).toBe(400);
    expect((await post("output", '{"text": "x\\ud83d"}')).status).toBe(400);
  });

  it("leaves a stream of unary calls open, so that the other half may come", async () => {
    const id = await open();
    await post(`streams/${id}/chunks`, '{"delta": "x\\ud83d"}');
    expect((await post(`streams/${id}/finish`, "{}")).status).toBe(400);
    expect((await post(`streams/${id}/chunks`, '{"delta": "y"}')).status).toBe(400);
    expect((await post(`streams/${id}/chunks`, '{"delta": "\\ude00y"}')).status).toBe(200);
    expect(JSON.parse((await post(`streams/${id}/finish`, "{}")).text).released).toContain("😀y");
  });
});
