import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { BundleReferenceSchema, EvaluateRequestSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { type BundleContent, compileBundle } from "../../../runtime/bundle/compile.ts";
import { patternKey } from "../../../runtime/engine/pattern/pattern-facts.ts";
import { type PatternPart, patternPartPath } from "../../../runtime/engine/policy-plan/pattern-part.ts";
import { verifiedBundle } from "../../harness/bundle.ts";

const policy = `
apiVersion: policyguard/v1
kind: Policy
metadata: { name: orders }
detectors:
  orders: { use: regex, patterns: ["order-[0-9]{7}"] }
rules:
  - { id: orders, stages: [input], detect: orders, action: BLOCK }
`;

// Patterns are remembered, so that each text here has one that nothing compiled before.
describe("what a bundle says about its patterns", () => {
  it("is trusted when the analysis of this program made it", async () => {
    const content = await renamed("parcel", (part) => part);
    expect(findings(content, "where is parcel-1234567?")).toBe(0);
  });

  it("is ignored when another analysis made it", async () => {
    const content = await renamed("letter", (part) => ({ ...part, analysis: "another" }));
    expect(findings(content, "where is letter-1234567?")).toBe(1);
  });

  it("need not be there", async () => {
    const { manifest, parts } = await renamed("card", (part) => part);
    const others = new Map([...parts].filter(([path]) => path !== patternPartPath));
    expect(findings({ manifest, parts: others }, "where is card-1234567?")).toBe(1);
  });
});

// The bundle with another word in its pattern, and with the facts of the former one said of it: a gate that its texts
// do not have shows who is believed.
async function renamed(word: string, change: (part: PatternPart) => PatternPart): Promise<BundleContent> {
  const { manifest, parts } = await verifiedBundle([policy]);
  const { analysis, patterns }: PatternPart = JSON.parse(textOf(parts.get(patternPartPath)));
  const facts = patterns[patternKey(pattern("order"), 0)];
  if (facts === undefined) throw new Error("the bundle says nothing about its pattern");
  expect(facts).toMatchObject({ gates: ["order-", 0, 7] });
  const part = change({ analysis, patterns: { [patternKey(pattern(word), 0)]: facts } });
  const policies = [...parts].flatMap(([path, data]): [string, Uint8Array][] =>
    path.startsWith("policies/") ? [[path, Buffer.from(textOf(data).replace(pattern("order"), pattern(word)))]] : [],
  );
  return { manifest, parts: new Map([...policies, [patternPartPath, Buffer.from(JSON.stringify(part))]]) };
}

function pattern(word: string): string {
  return `${word}-[0-9]{7}`;
}

function textOf(data: Uint8Array = new Uint8Array()): string {
  return Buffer.from(data).toString("utf8");
}

function findings(content: BundleContent, text: string): number {
  const evaluation = compileBundle(content).evaluate(create(EvaluateRequestSchema, { text }), {
    stage: Stage.INPUT,
    now: new Date(0),
    evaluationId: "e",
    fingerprintKey: new Uint8Array(32),
    bundle: create(BundleReferenceSchema),
    elapsedUs: () => 0,
  });
  return evaluation.findings.length;
}
