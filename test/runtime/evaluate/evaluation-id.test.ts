// Ids of evaluations that callers choose.

import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EvaluateVectorSchema } from "../../../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { bundleOf, type EvaluateStage, startEvaluateStage } from "../../harness/vector/evaluate-stage.ts";

const id = "5b0f2b0e-4a1c-4c07-9a3b-0d6b3f0b9d11";
let stage: EvaluateStage;

beforeAll(async () => {
  stage = await startEvaluateStage();
  await stage.adopt(await bundleOf(create(EvaluateVectorSchema)));
});
afterAll(() => stage.stop());

async function post(path: string, body: object) {
  const headers = { authorization: `Bearer ${stage.tokenOf("runtime")}`, "content-type": "application/json" };
  const response = await fetch(`${stage.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

describe("the id of an evaluation", () => {
  it.each(["/v1/evaluate/input", "/policyguard.runtime.v1.EvaluationService/EvaluateInput"])(
    "comes back in lower case from %s",
    async (path) => {
      const { body } = await post(path, { evaluation_id: id.toUpperCase(), text: "Hello." });
      expect(body.evaluation_id ?? body.evaluationId).toBe(id);
    },
  );

  it.each([
    ["of version 1", "c232ab00-9414-11ec-b3c8-9f6bdeced846"],
    ["of version 7", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"],
    ["that is nil", "00000000-0000-0000-0000-000000000000"],
    ["that is none", "mine"],
  ])("is refused as a UUID %s", async (_, other) => {
    const { status, body } = await post("/v1/evaluate/input", { evaluation_id: other, text: "Hello." });
    expect(status).toBe(422);
    expect(body.detail.fields).toMatchObject([{ field: "evaluation_id" }]);
  });

  it("is checked in the opening of a stream too", async () => {
    const answer = await post("/v1/evaluate/streams", { request: { evaluation_id: id.replace("-4c", "-1c") } });
    expect(answer.status).toBe(422);
  });
});
