// What two bundles mean to each other, where a vector cannot reach: the same policy with another pack or scope.

import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import type { PackRecord } from "../../../../runtime/engine/policy/pack-record.ts";
import { compareBundles } from "../../../../src/domain/analysis/compare-bundles.ts";
import type { PartScope, StoredPart } from "../../../../src/domain/analysis/stored-part.ts";
import { productTools } from "../../../../src/domain/analysis/tools.ts";

const tools = { ...productTools(), enter: () => {} };
const everywhere: PartScope = { tenant_id: "t", app_id: "*", agent_id: "*", env: "*" };
const policyId = "0f7a5a0e-3c1d-4b52-9c0e-6c7a2f1b8d34";

function documentOf(name: string, action: string): JsonObject {
  const rules = [{ id: "keys", stages: ["input"], detect: "secrets", action }];
  return { apiVersion: "policyguard/v1", kind: "Policy", metadata: { name }, rules };
}

function part(document: JsonObject, { scope = everywhere, packs = [] as readonly PackRecord[] } = {}): StoredPart {
  const content = { policy_id: policyId, name: "guard", version: 3, scope, document, packs };
  return { path: `policies/${policyId}.json`, data: Buffer.from(JSON.stringify(content)) };
}

function compared(before: StoredPart, after: StoredPart) {
  return compareBundles({ before: [before], after: [after], otherPaths: [], now: new Date() }, tools);
}

test("the same version with another content of its pack is compared by the packs that were signed", () => {
  const document = { ...documentOf("guard", "FLAG"), extends: ["pack:house@1"] };
  const pack = (action: string): PackRecord => ({
    ...{ id: "house", requested: "1", parameters: {}, version: "1.0.0", digest: "sha256:0" },
    document: documentOf("house", action),
  });
  const { strictness, policies } = compared(
    part(document, { packs: [pack("BLOCK")] }),
    part(document, { packs: [pack("FLAG")] }),
  );
  expect(strictness).toBe("weaker");
  expect(policies[0]?.changes.map(({ rule, effect }) => [rule, effect])).toEqual([["house/keys", "weaker"]]);
});

test.each([
  { before: { env: "prod" }, after: {}, strictness: "stricter" },
  { before: {}, after: { env: "prod" }, strictness: "weaker" },
  { before: { env: "dev" }, after: { env: "prod" }, strictness: "unknown" },
])("a scope of $before that becomes $after is $strictness", ({ before, after, strictness }) => {
  const document = documentOf("guard", "BLOCK");
  const [was, is] = [
    { ...everywhere, ...before },
    { ...everywhere, ...after },
  ];
  const found = compared(part(document, { scope: was }), part(document, { scope: is }));
  expect(found.strictness).toBe(strictness);
  expect(found.policies[0]?.changes.map(({ kind, effect }) => [kind, effect])).toEqual([["scope_changed", strictness]]);
});

test("a wider scope with a milder action cannot be decided, and another name means the same", () => {
  const narrow = part(documentOf("guard", "BLOCK"), { scope: { ...everywhere, env: "prod" } });
  expect(compared(narrow, part(documentOf("guard", "FLAG"))).strictness).toBe("unknown");
  const named = compared(part(documentOf("guard", "BLOCK")), part(documentOf("guardian", "BLOCK")));
  expect(named).toMatchObject({ strictness: "equal", reasons: ["no difference can change an outcome"] });
});
