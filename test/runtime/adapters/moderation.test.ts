// The moderation contract, with the client library that users have.

import { create } from "@bufbuild/protobuf";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EvaluateVectorSchema } from "../../../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { bundleOf, type EvaluateStage, startEvaluateStage } from "../../harness/evaluate-stage.ts";

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

  it("is told of a wrong key and a wrong input in its own errors", async () => {
    const stranger = new OpenAI({ apiKey: "sk-nobody", baseURL: client.baseURL, maxRetries: 0 });
    await expect(stranger.moderations.create({ input: "x" })).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(client.moderations.create({ input: [] })).rejects.toBeInstanceOf(OpenAI.UnprocessableEntityError);
  });
});
