import { create, type JsonObject } from "@bufbuild/protobuf";
import { afterAll, expect, test } from "vitest";
import { messageEncoder } from "../../gateway/json/encode.ts";
import { EvaluateRequestSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { ExplanationSchema } from "../../gen/policyguard/policy/v1/explanation_pb.ts";
import { parsePolicy } from "../../runtime/engine/policy/parse.ts";
import { explainRequest } from "../../src/cli/evaluate.ts";
import { explanationJson } from "../../src/cli/explanation.ts";
import { policyText, removeFolders } from "./run.ts";

afterAll(removeFolders);

const rules = [
  "  - {id: parts, stages: [input], detect: pii, when: 'finding.domain == \"x.dev\" || segment.length > 9', action: REDACT}",
  "  - {id: near, stages: [input], detect: {ref: pii, threshold: 1}, action: BLOCK, rollout: {percent: 10}}",
  "  - {id: broken, stages: [input], detect: pii, when: 'int(segment.text) > 1', action: FLAG, severity: low}",
];
const source = policyText("p", { rules: `${rules.join("\n")}\n`, more: "match: {agents: ['*']}\n" });

test("programs read the same explanation here as from the server, with files in place of ids", () => {
  const { policy, problems } = parsePolicy(source);
  if (policy === undefined) throw new Error(JSON.stringify(problems));
  const request = create(EvaluateRequestSchema, { text: "Write to ada@lovelace.dev, or to ｂｏｂ＠lovelace.dev" });
  const files = [{ path: "p.yaml", source, policy, problems }];
  const explained = explainRequest(files, { request, stage: "input" }, "test", new Date(0));
  const { decision, ...found } = explanationJson(explained, new Map([["p", "p.yaml"]]));
  expect(decision).toMatchObject({ outcome: "REDACT", stage: "input", env: "test" });

  const server = messageEncoder(ExplanationSchema)(explained.explanation);
  const { response: _, decided_by: __, environment: ___, ...wanted } = withoutFingerprints(server);
  const [{ policy_id: ____, version: _____, ...told }] = wanted.policies as [JsonObject];
  expect(withoutFileFacts(found)).toEqual({ ...wanted, policies: [told] });
  expect(JSON.stringify(told)).toContain('"joint":"||"');
  expect(JSON.stringify(wanted.segments)).toContain('"layer":"normalized"');
});

/** What only this command says. */
function withoutFileFacts(json: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(json), (key, value) => (key === "file" || key === "compile_us" ? undefined : value));
}

function withoutFingerprints(json: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(json), (key, value) => (key === "fingerprint" ? undefined : value));
}
