// What a wire can carry and no text should have, in the dialects that do not pass the REST reader.

import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EvaluateRequestSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { EvaluateVectorSchema } from "../../../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { bundleOf, type EvaluateStage, startEvaluateStage } from "../../harness/vector/evaluate-stage.ts";

describe("bad input by Connect", () => {
  let stage: EvaluateStage;

  beforeAll(async () => {
    stage = await startEvaluateStage();
    const yaml = [
      "rules:",
      "  - {id: mail, stages: [input, tool_call], detect: {ref: pii, entities: [EMAIL]}, action: REDACT}",
    ];
    await stage.adopt(await bundleOf(create(EvaluateVectorSchema, { policies: [{ yaml }] })));
  });

  afterAll(() => stage.stop());

  async function send(method: string, type: string, body: string | Uint8Array<ArrayBuffer>) {
    const response = await fetch(`${stage.url}/policyguard.runtime.v1.EvaluationService/${method}`, {
      method: "POST",
      headers: { "content-type": type, authorization: `Bearer ${stage.tokenOf("")}` },
      body,
    });
    return { status: response.status, text: await response.text() };
  }

  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  const call = (args: string) => `{"toolCalls":[{"id":"c","name":"n","arguments":${args}}]}`;

  it.each([37, 100, 1_000, 50_000])("arguments that are nested %i levels deep are refused", async (levels) => {
    const { status, text } = await send("EvaluateToolCall", "application/json", call(nested(levels)));
    expect(status, text).toBe(400);
    expect(text).toContain('"code":"invalid_argument"');
    expect((await send("EvaluateToolCall", "application/json", call(nested(36)))).status).toBe(200);
  });

  it("an unpaired surrogate is refused or harmless, and findings next to it are found", async () => {
    const { status, text } = await send(
      "EvaluateInput",
      "application/json",
      '{"text":"\\ud800 ada@lovelace.dev \\udc00"}',
    );
    expect([200, 400]).toContain(status);
    if (status === 200) expect(JSON.parse(text)).toMatchObject({ outcome: "OUTCOME_REDACT" });
    expect(text).not.toContain("ada@lovelace.dev");
  });

  it("bytes that are not UTF-8 are refused", async () => {
    const bytes = toBinary(EvaluateRequestSchema, create(EvaluateRequestSchema, { text: "abc" }));
    const broken = Uint8Array.from(bytes, (byte) => (byte === 0x62 ? 0xff : byte));
    const { status, text } = await send("EvaluateInput", "application/proto", broken);
    expect(status, text).toBe(400);
    expect(text).toContain('"code":"invalid_argument"');
  });

  it("a message that ends too early is refused", async () => {
    const bytes = toBinary(EvaluateRequestSchema, create(EvaluateRequestSchema, { text: "abc" }));
    expect((await send("EvaluateInput", "application/proto", bytes.slice(0, -1))).status).toBe(400);
  });
});
