// The moderation contract, with the client library that users have.

import { create } from "@bufbuild/protobuf";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EvaluateVectorSchema } from "../../../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { bundleOf, type EvaluateStage, startEvaluateStage } from "../../harness/vector/evaluate-stage.ts";

const key = "AKIA" + "Q3EGRZ7X" + "W2LMNP4T";
const yaml = [
  "rules:",
  "  - {id: key, stages: [input], detect: secrets, action: BLOCK}",
  "  - {id: mail, stages: [input], detect: {ref: pii, entities: [EMAIL]}, action: FLAG}",
];

describe("an OpenAI client", () => {
  let stage: EvaluateStage;
  let client: OpenAI;

  beforeAll(async () => {
    stage = await startEvaluateStage();
    await stage.adopt(await bundleOf(create(EvaluateVectorSchema, { policies: [{ yaml }] })));
    client = new OpenAI({ apiKey: stage.tokenOf(""), baseURL: `${stage.url}/v1/evaluate/openai/v1`, maxRetries: 0 });
  });

  afterAll(() => stage.stop());

  it("moderates a text", async () => {
    const { id, model, results } = await client.moderations.create({ input: `my key is ${key}` });
    expect(id).toMatch(/^modr-/);
    expect(model).toBe("policy-guard");
    expect(results).toHaveLength(1);
    expect(results[0]?.flagged).toBe(true);
    expect(results[0]?.categories.harassment).toBe(false);
    expect(JSON.stringify(results)).not.toContain(key);
  });

  it("moderates several texts in their order", async () => {
    const { results } = await client.moderations.create({
      model: "omni-moderation-latest",
      input: ["hello", key, "write to ada@lovelace.dev"],
    });
    expect(results.map(({ flagged }) => flagged)).toEqual([false, true, false]);
    const scores = results[2]?.category_scores as unknown as Record<string, number>; // categories of our own are not in its types
    expect(scores["pii.email"]).toBeGreaterThan(0.5);
    expect(results[0]?.category_applied_input_types.violence).toEqual(["text"]);
  });

  it("moderates parts of text", async () => {
    const { results } = await client.moderations.create({ input: [{ type: "text", text: key }] });
    expect(results.map(({ flagged }) => flagged)).toEqual([true]);
  });

  const of = (apiKey: string | undefined, baseURL = client.baseURL) =>
    new OpenAI({ apiKey: apiKey ?? "", baseURL, maxRetries: 0 });
  const refused = (promise: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> =>
    promise.then(
      () => Promise.reject(new Error("it was not refused")),
      (error: unknown) => (error instanceof OpenAI.APIError ? error : Promise.reject(error)),
    );

  it.each([
    ["a wrong key", () => of("sk-nobody").moderations.create({ input: "x" }), 401, "unauthenticated", null],
    [
      "a token of another kind",
      () => of(stage.tokenOf("admin")).moderations.create({ input: "x" }),
      403,
      "insufficient_scope",
      null,
    ],
    ["a path of the contract that is not served", () => client.models.list(), 404, "unknown_path", null],
    ["another method", () => client.get("/moderations"), 405, "method_not_allowed", null],
    [
      "a text that is too large",
      () => client.moderations.create({ input: "x".repeat(8 * 1024 * 1024) }),
      413,
      "too_large",
      null,
    ],
    [
      "another media type",
      () => client.post("/moderations", { body: "x", headers: { "content-type": "text/plain" } }),
      415,
      "unsupported_media_type",
      null,
    ],
    ["a wrong input", () => client.moderations.create({ input: [] }), 422, "validation_failed", "input"],
  ] as const)("is told of %s in words", async (_, call, status, code, param) => {
    const error = await refused(call());
    expect(error).toMatchObject({ status, code, param, type: "invalid_request_error" });
    expect(error.message).toMatch(/^\d{3} \w.*\w.*/);
    expect(error.message).not.toContain("no body");
  });

  it("is reported in words: there is no bundle yet", async () => {
    const empty = await startEvaluateStage();
    try {
      const client = of(empty.tokenOf(""), `${empty.url}/v1/evaluate/openai/v1`);
      const error = await refused(client.moderations.create({ input: "x" }));
      expect(error).toMatchObject({ status: 503, code: "bundle_unavailable", type: "server_error" });
      expect(error.message).toMatch(/^503 .*bundle/);
    } finally {
      await empty.stop();
    }
  });

  it("is an exception: the other paths keep the envelope of the API", async () => {
    const response = await fetch(`${stage.url}/v1/evaluate/input`, { method: "POST" });
    expect(await response.json()).toEqual({ detail: expect.objectContaining({ error: expect.any(String) }) });
  });
});
