import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EvaluateVectorSchema } from "../../../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { bundleOf, type EvaluateStage, startEvaluateStage } from "../../harness/vector/evaluate-stage.ts";

describe("an explanation", () => {
  let stage: EvaluateStage;

  beforeAll(async () => {
    stage = await startEvaluateStage();
    const yaml = ["rules:", "  - {id: mail, stages: [input], detect: {ref: pii, entities: [EMAIL]}, action: REDACT}"];
    await stage.adopt(await bundleOf(create(EvaluateVectorSchema, { policies: [{ yaml }] })));
  });

  afterAll(() => stage.stop());

  const post = (path: string, body: object) =>
    fetch(`${stage.url}/v1/evaluate/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${stage.tokenOf("")}` },
      body: JSON.stringify(body),
    });

  it("is made one at a time; who comes meanwhile is told to come again", async () => {
    const text = "write to ada@lovelace.dev ".repeat(2_000);
    const answers = await Promise.all(Array.from({ length: 12 }, () => post("explain", { text })));
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    const refused = answers.find(({ status }) => status === 503);
    expect(refused?.headers.get("retry-after")).toBe("1");
    expect(await refused?.json()).toMatchObject({ detail: { error: "overloaded", retry_after: 1 } });
    expect((await post("explain", { text: "again" })).status).toBe(200);
  });

  it("leaves no trace in its session", async () => {
    const session_id = "explained";
    const { status } = await post("explain", { session_id, text: "ada@lovelace.dev" });
    expect(status).toBe(200);
    expect((await post("restore", { session_id, text: "[EMAIL_1]" })).status).toBe(404);
  });
});
