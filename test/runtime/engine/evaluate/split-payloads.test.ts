import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BundleReferenceSchema, EvaluateRequestSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Outcome } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { compileEngine } from "../../../../runtime/engine/engine.ts";
import { maxJoinedUnits } from "../../../../runtime/engine/evaluate/split-payloads.ts";
import { stageOfTranscript } from "../../../../runtime/engine/segment/segment.ts";

const key = "AKIA" + "Q3EGRZ7X" + "W2LMNP4T";
const engine = compileEngine({
  environment: "test",
  projectId: "",
  policies: [
    {
      policyId: "p",
      name: "p",
      version: 1,
      scope: { tenantId: "*", appId: "*", agentId: "*", env: "*" },
      document: {
        apiVersion: "policyguard/v1",
        kind: "Policy",
        metadata: { name: "p" },
        rules: [{ id: "key", stages: ["input"], detect: "secrets", action: "REDACT", redact: { style: "remove" } }],
      },
    },
  ],
});

function judge(messages: readonly { role: string; content: string }[]) {
  const request = create(EvaluateRequestSchema, { messages: [...messages] });
  return engine.evaluate(request, {
    stage: stageOfTranscript(request),
    isTranscript: true,
    now: new Date(0),
    evaluationId: "e",
    fingerprintKey: new Uint8Array(32),
    bundle: create(BundleReferenceSchema),
    elapsedUs: () => 0,
  }).response;
}

const words = fc.array(fc.constantFrom("hello", "please", "ok", "the", "weather"), { maxLength: 4 });
const noise = words.map((list) => list.join(" "));
const other = fc.record({ role: fc.constantFrom("assistant", "tool"), content: noise });

describe("a payload that is split over user turns", () => {
  it("is found at every split, and each turn loses exactly its part of it", () => {
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: key.length - 1 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(cuts, noise, noise, fc.array(other, { maxLength: 2 }), (at, before, after, between) => {
        const places = [0, ...at.toSorted((a, b) => a - b), key.length];
        const parts = places.slice(1).map((end, index) => key.slice(places[index], end));
        const contents = parts.map((part, index) => {
          const head = index === 0 ? `${before} ` : "";
          const tail = index === parts.length - 1 ? ` ${after}` : "";
          return { part, text: `${head}${part}${tail}`, rest: `${head}${tail}` };
        });
        const messages = contents.flatMap(({ text }) => [{ role: "user", content: text }, ...between]);
        const { outcome, redactedSegments } = judge(messages);
        expect(outcome, JSON.stringify(messages)).toBe(Outcome.REDACT);
        expect(redactedSegments.map(({ text }) => text)).toEqual(contents.map(({ rest }) => rest));
      }),
      { numRuns: 1000, seed: 3 },
    );
  });

  it("is nothing where nothing is split", () => {
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 5 }), (texts) => {
        const { findings } = judge(texts.map((content) => ({ role: "user", content })));
        expect(findings).toEqual([]);
      }),
      { numRuns: 1000, seed: 4 },
    );
  });

  it("is looked for in the newest part of long transcripts, and their cost stays bounded", () => {
    const turn = { role: "user", content: "word ".repeat(2_000) };
    const old = [
      { role: "user", content: key.slice(0, 9) },
      { role: "user", content: key.slice(9) },
    ];
    expect(judge([...old, ...Array(50).fill(turn)]).findings).toEqual([]);
    expect(judge([...Array(50).fill(turn), ...old]).findings).toHaveLength(2);
    const longest = { role: "user", content: `${"x ".repeat(maxJoinedUnits)}${key.slice(0, 9)}` };
    expect(judge([longest, { role: "user", content: key.slice(9) }]).findings).toMatchObject([
      { segment: "s1", start: 2 * maxJoinedUnits, end: 2 * maxJoinedUnits + 9 },
      { segment: "s2", start: 0, end: 11 },
    ]);
  });
});
