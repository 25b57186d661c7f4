// What a stream holds back, and what it does with text that no match could be finished in.

import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { EvaluateRequestSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Outcome } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { maxHeldBack } from "../../../../runtime/engine/stream/stream.ts";
import { streamText } from "../../../../runtime/engine/stream/stream-text.ts";
import { context, streamEngine, streamed, whole } from "./sample-stream.ts";

const rule = (detect: string, action = "BLOCK", more = "") =>
  `detectors:\n  d: ${detect}\nrules:\n  - {id: r, stages: [output], detect: d, action: ${action}${more}}`;
const words = "{use: keywords, keywords: [project bluebird]}";

function released(source: string, ...chunks: string[]): string[] {
  return streamed(streamEngine(source), chunks).steps.map((step) => step.released);
}

describe("a stream holds back", () => {
  it("a keyword that has begun, from its first letter, and nothing before it", () => {
    expect(released(rule(words), "the new project blue", "print is out. ")).toEqual([
      "the new ",
      "project blueprint is out.",
    ]);
  });

  it("no word in whose middle a keyword would have to begin", () => {
    expect(released(rule(words), "a subproj", "ect ")).toEqual(["a subpro", "ject"]);
  });

  it("what an author's pattern could still finish", () => {
    const source = rule('{use: regex, patterns: ["\\\\bab{2,6}c"]}', "REDACT");
    expect(released(source, "x abbb", "d ", "abbc is")).toEqual(["x ", "abbbd", " [REGEX_1] i"]);
  });

  it("an address, as long as it may go on", () => {
    const source = rule("{use: pii, entities: [EMAIL]}", "REDACT");
    expect(released(source, "to ann@example", ".com", " and on. But")).toEqual(["to ", "", "[EMAIL_1] and on. "]);
  });

  it("nothing for shadow rules, not even a half of a character but its own", () => {
    expect(released(rule(words, "BLOCK", ", mode: shadow"), "the project blue", "bird \ud83d", "\ude00")).toEqual([
      "the project blue",
      "bird ",
      "\u{1f600}",
    ]);
  });

  it("nothing for a rule that the request rules out", () => {
    const source = rule(words, "BLOCK", ', when: "request.agent_id == \\"bot\\""');
    expect(released(source, "the project blue")).toEqual(["the project blue"]);
  });

  it("everything for a rule that reads the whole text, and says which", () => {
    const engine = streamEngine(rule(words, "BLOCK", ', when: "segment.text.size() > 3"'));
    const stream = engine.openStream(create(EvaluateRequestSchema), context);
    expect(stream.push("harmless text ").released).toBe("");
    expect(stream.untilVerdict).toEqual([{ policy: "p", rule: "r", reason: "condition" }]);
    expect(stream.finish().released).toBe("harmless text ");
  });
});

describe("a stream", () => {
  it("tells findings when they are certain, with offsets of the whole text", () => {
    const { steps } = streamed(streamEngine(rule(words, "REDACT")), ["😀 now project", " bluebird flies"]);
    expect(steps.map(({ findings }) => findings.map(({ start, end }) => [start, end]))).toEqual([[], [[7, 23]]]);
  });

  it("stays closed after a block, and its verdict is about the whole text", () => {
    const engine = streamEngine(rule(words));
    const chunks = ["so project bluebird is", " on, and project bluebird is off"];
    const { steps, evaluation } = streamed(engine, chunks);
    expect(steps.map((step) => step.released)).toEqual(["so ", ""]);
    expect(evaluation.findings).toEqual(whole(engine, chunks.join("")).evaluation.findings);
  });

  it.each([
    ["fail_closed", Outcome.BLOCK, false],
    ["fail_open", Outcome.ALLOW, true],
  ])("leaves a match that needs more than 64 KiB unjudged: %s", (onError, outcome, goesOn) => {
    const detector = '{use: regex, patterns: [{pattern: "BEGIN[\\\\s\\\\S]*?END", flags: "s"}]}';
    const engine = streamEngine(rule(detector, "BLOCK", `, on_error: ${onError}`));
    const stream = engine.openStream(create(EvaluateRequestSchema), context);
    let out = stream.push("so BEGIN ").released;
    for (let i = 0; i < maxHeldBack / 1000 + 2; i++) out += stream.push("text ".repeat(200)).released;
    const end = stream.finish();
    expect(end.evaluation.response.unjudged).toMatchObject([{ detector: "d", reason: "hold_limit" }]);
    expect(end.evaluation.response.outcome).toBe(outcome);
    expect((out + end.released).length > maxHeldBack).toBe(goesOn);
  });

  it("runs a list of chunks at once for policy tests", () => {
    const result = streamText(streamEngine(rule(words)), create(EvaluateRequestSchema), context, [
      "a project",
      " bluebird",
    ]);
    expect(result.released).toBe("a ");
    expect(result.evaluation.response.blocked).toBe(true);
  });
});
