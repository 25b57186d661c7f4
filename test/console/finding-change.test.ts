import { expect, test } from "vitest";
import { changeOf, driftOf } from "../../console/page/trace/finding-change.ts";
import { ReplayAnswer } from "../../gen/policyguard/control/v1/trace_replay_pb.ts";

const { YES, NO, UNKNOWN } = ReplayAnswer;

test("a finding is added or gone only where both sides are known", () => {
  expect(changeOf({ was: NO, match: YES })).toBe("added");
  expect(changeOf({ was: YES, match: NO })).toBe("gone");
  expect(changeOf({ was: YES, match: YES })).toBe("same");
  expect(changeOf({ was: YES, match: UNKNOWN })).toBe("unknown");
  expect(changeOf({ was: UNKNOWN, match: YES })).toBe("unknown");
});

test("a score drifts where both sides have one, by what is visible in three digits", () => {
  expect(driftOf({ wasScore: 0.7, score: 0.93 })).toBe("+0.23");
  expect(driftOf({ wasScore: 0.93, score: 0.7 })).toBe("−0.23");
  expect(driftOf({ wasScore: 0.7, score: 0.70001 })).toBeUndefined();
  expect(driftOf({ score: 0.7 })).toBeUndefined();
});
