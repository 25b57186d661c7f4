import { describe, expect, it } from "vitest";
import { AnnotationMark } from "../../../../gen/policyguard/control/v1/annotation_pb.ts";
import { Mode, Outcome } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { Replayed } from "../../../../runtime/engine/replay/replay.ts";
import type { Answer } from "../../../../runtime/engine/replay/replayed-finding.ts";
import { agreementsOf, type TraceMark } from "../../../../src/domain/analysis/replay-marks.ts";
import { blockedEvaluation, evaluation } from "../telemetry/evaluation.ts";

const { ALLOW, FLAG, REDACT, BLOCK } = Outcome;
const { FALSE_POSITIVE, FALSE_NEGATIVE, CORRECT, ACCEPTABLE } = AnnotationMark;

function replayed(least: Outcome, most: Outcome = least, change: Partial<Replayed> = {}): Replayed {
  const range = { least, most };
  return {
    range,
    wouldBe: range,
    decidedBy: undefined,
    rules: [],
    findings: [],
    reasons: [],
    usedText: false,
    ...change,
  };
}

function rule(match: Answer, effect: Answer = match) {
  return {
    rules: [{ policy: "support-bot", ruleId: "r", was: "yes" as const, match, effect, score: null, reasons: [] }],
  };
}

const onWhole = (mark: AnnotationMark, expected: Outcome | null = null): TraceMark[] => [
  { policy: "", ruleId: "", mark, expected },
];
const onRule = (mark: AnnotationMark): TraceMark[] => [{ policy: "support-bot", ruleId: "r", mark, expected: null }];
const agrees = (...about: Parameters<typeof agreementsOf>) =>
  Object.fromEntries(agreementsOf(...about).map(({ name, agrees: answer }) => [name, answer]));
const blocked = blockedEvaluation("r");
const allowed = evaluation();

describe("a replay", () => {
  it.each([
    [ALLOW, ALLOW, "yes"],
    [FLAG, BLOCK, "no"],
    [ALLOW, BLOCK, "unknown"],
  ] as const)("that comes to %i to %i: a false positive of a whole trace is gone: %s", (least, most, answer) => {
    expect(agrees(onWhole(FALSE_POSITIVE), blocked, replayed(least, most))).toEqual({ falsePositives: answer });
  });

  it("asks what rules would have made of a trace that they only observed", () => {
    const wouldBe = { least: FLAG, most: FLAG };
    expect(agrees(onWhole(FALSE_POSITIVE), allowed, replayed(ALLOW, ALLOW, { wouldBe }))).toEqual({
      falsePositives: "no",
    });
    expect(agrees(onWhole(FALSE_POSITIVE), allowed, replayed(ALLOW))).toEqual({ falsePositives: "yes" });
  });

  it.each([
    [REDACT, BLOCK, "yes"],
    [ALLOW, FLAG, "no"],
    [FLAG, BLOCK, "unknown"],
  ] as const)("that comes to %i to %i: a miss that should have been REDACT is caught: %s", (least, most, answer) => {
    expect(agrees(onWhole(FALSE_NEGATIVE, REDACT), allowed, replayed(least, most))).toEqual({ falseNegatives: answer });
  });

  it("is as before where a trace is right, or right either way", () => {
    expect(agrees(onWhole(CORRECT), allowed, replayed(ALLOW))).toEqual({ correct: "yes" });
    expect(agrees(onWhole(CORRECT), allowed, replayed(FLAG, BLOCK))).toEqual({ correct: "no" });
    expect(agrees(onWhole(ACCEPTABLE), allowed, replayed(ALLOW, FLAG))).toEqual({ acceptable: "unknown" });
  });

  it("asks of a rule that took effect whether it does, and of one that observed whether it matches", () => {
    const inShadow = rule("yes", "no");
    expect(agrees(onRule(FALSE_POSITIVE), blocked, replayed(ALLOW, ALLOW, inShadow))).toEqual({
      falsePositives: "yes",
    });
    const observed = blockedEvaluation("r", { outcome: ALLOW });
    for (const finding of observed.findings) finding.mode = Mode.SHADOW;
    expect(agrees(onRule(FALSE_POSITIVE), observed, replayed(ALLOW, ALLOW, inShadow))).toEqual({
      falsePositives: "no",
    });
    expect(agrees(onRule(FALSE_NEGATIVE), allowed, replayed(ALLOW, BLOCK, rule("unknown")))).toEqual({
      falseNegatives: "unknown",
    });
  });

  it("leaves rules of other policies as they were", () => {
    expect(agrees(onRule(CORRECT), blocked, replayed(BLOCK))).toEqual({ correct: "yes", correctBlocks: "yes" });
    expect(agrees(onRule(FALSE_POSITIVE), blocked, replayed(BLOCK))).toEqual({ falsePositives: "no" });
    expect(agrees(onRule(FALSE_NEGATIVE), allowed, replayed(ALLOW))).toEqual({ falseNegatives: "no" });
  });

  it("loses a correct block only where a trace that is rightly blocked no longer is", () => {
    expect(agrees(onWhole(CORRECT), blocked, replayed(FLAG))).toEqual({ correct: "no", correctBlocks: "no" });
    expect(agrees(onRule(CORRECT), blocked, replayed(BLOCK, BLOCK, rule("no")))).toEqual({
      correct: "no",
      correctBlocks: "yes",
    });
    const byAnother = blockedEvaluation("r");
    for (const finding of byAnother.findings) finding.action = FLAG;
    expect(agrees(onRule(CORRECT), byAnother, replayed(ALLOW, ALLOW, rule("no")))).toEqual({ correct: "no" });
  });
});
