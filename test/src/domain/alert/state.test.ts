// Timelines: the values of successive minutes, and the states that they lead to.

import { describe, expect, test } from "vitest";
import { nextStanding, quiet, reachOf, type StateRule } from "../../../../src/domain/alert/state.ts";

const letters = { o: "ok", p: "pending", f: "firing", r: "recovering", n: "no_data" } as const;
const rule: StateRule = {
  ...{ operator: "gt", threshold: 10, recoveryThreshold: null, forMinutes: 0, keepFiringMinutes: 0, noData: "keep" },
};

/** Values with blanks between them, "-" for none, and a letter for each state. A minute that is left out is "/". */
type Timeline = readonly [change: Partial<StateRule>, values: string, states: string];

const thresholds: readonly Timeline[] = [
  [{}, "0 10 11 10 0", "o o f o o"],
  [{}, "11 11 11", "f f f"],
  [{}, "11 9 11 9", "f o f o"],
  [{ operator: "gte" }, "9 10 9", "o f o"],
  [{ operator: "lt" }, "11 10 9 10", "o o f o"],
  [{ operator: "lte" }, "11 10 11", "o f o"],
  [{ threshold: 0 }, "0 1 0", "o f o"],
  [{ threshold: -5 }, "-6 -4 -6", "o f o"],
  [{ operator: "lt", threshold: 1 }, "5 0 5", "o f o"],
  [{ threshold: 0.5 }, "0.5 0.51 0.5", "o f o"],
];
const recoveries: readonly Timeline[] = [
  [{ recoveryThreshold: 5 }, "11 8 6 5 4", "f f f o o"],
  [{ recoveryThreshold: 5 }, "8 8 8", "o o o"],
  [{ recoveryThreshold: 5 }, "11 8 11 8", "f f f f"],
  [{ recoveryThreshold: 5 }, "11 5 8 11", "f o o f"],
  [{ recoveryThreshold: 10 }, "11 10", "f o"],
  [{ operator: "gte", recoveryThreshold: 5 }, "10 5 4", "f f o"],
  [{ operator: "lt", recoveryThreshold: 20 }, "9 15 20 9", "f f o f"],
  [{ operator: "lte", recoveryThreshold: 20 }, "10 20 21", "f f o"],
  [{ operator: "lt", recoveryThreshold: 20 }, "15 15", "o o"],
  [{ recoveryThreshold: 5, forMinutes: 1 }, "11 8 11 11 8", "p o p f f"],
];
const delays: readonly Timeline[] = [
  [{ forMinutes: 1 }, "11 11 11", "p f f"],
  [{ forMinutes: 2 }, "11 11 11 11", "p p f f"],
  [{ forMinutes: 2 }, "11 11 9 11 11 11", "p p o p p f"],
  [{ forMinutes: 2 }, "11 9 11 9", "p o p o"],
  [{ forMinutes: 3 }, "11 11 11 9", "p p p o"],
  [{ forMinutes: 3 }, "11 / / 11", "p f"],
  [{ forMinutes: 2 }, "11 / / 9", "p o"],
  [{ forMinutes: 1, operator: "lt" }, "9 9 11", "p f o"],
  [{ forMinutes: 5 }, "11 11 11 11 11 11", "p p p p p f"],
  [{ forMinutes: 1 }, "11 11 9 11 11", "p f o p f"],
];
const endings: readonly Timeline[] = [
  [{ keepFiringMinutes: 1 }, "11 9 9 9", "f r o o"],
  [{ keepFiringMinutes: 2 }, "11 9 9 9", "f r r o"],
  [{ keepFiringMinutes: 2 }, "11 9 11 9 9 9", "f r f r r o"],
  [{ keepFiringMinutes: 2 }, "11 9 9 11 9 9 9", "f r r f r r o"],
  [{ keepFiringMinutes: 3 }, "11 9 / / 9", "f r o"],
  [{ keepFiringMinutes: 3 }, "11 9 / / 11", "f r f"],
  [{ keepFiringMinutes: 1, forMinutes: 1 }, "11 11 9 9 11", "p f r o p"],
  [{ keepFiringMinutes: 1, recoveryThreshold: 5 }, "11 8 5 8 5 5", "f f r f r o"],
  [{ keepFiringMinutes: 1, operator: "lt" }, "9 11 11", "f r o"],
  [{ keepFiringMinutes: 1 }, "9 9", "o o"],
];
const gaps: readonly Timeline[] = [
  [{}, "- - 0 -", "n n o n"],
  [{}, "11 - - 9", "f f f o"],
  [{}, "- 11 -", "n f f"],
  [{ forMinutes: 1 }, "11 - 11", "p p f"],
  [{ forMinutes: 1 }, "11 - 9", "p p o"],
  [{ keepFiringMinutes: 1 }, "11 9 - 9", "f r r o"],
  [{ keepFiringMinutes: 1 }, "11 9 - 11", "f r r f"],
  [{ forMinutes: 3 }, "11 - - -", "p p p p"],
  [{ noData: "ok" }, "- 11 - 11", "o f o f"],
  [{ noData: "ok", forMinutes: 1 }, "11 - 11 11", "p o p f"],
  [{ noData: "ok", keepFiringMinutes: 1 }, "11 - -", "f r o"],
  [{ noData: "ok", keepFiringMinutes: 2 }, "11 - 11 - - -", "f r f r r o"],
  [{ noData: "fire" }, "9 - 9", "o f o"],
  [{ noData: "fire" }, "- - -", "f f f"],
  [{ noData: "fire", forMinutes: 1 }, "- - 9", "p f o"],
  [{ noData: "fire", forMinutes: 2 }, "11 - 11", "p p f"],
  [{ noData: "fire", keepFiringMinutes: 1 }, "11 9 - 9 9", "f r f r o"],
  [{ noData: "fire", operator: "lt" }, "11 - 11", "o f o"],
  [{ noData: "fire", recoveryThreshold: 5 }, "- 8 5", "f f o"],
  [{}, "0 - - 0", "o n n o"],
  [{ forMinutes: 1 }, "- 11 11 9", "n p f o"],
];

describe.each([
  ["a value beyond the threshold fires", thresholds],
  ["what fires goes on until the recovery threshold", recoveries],
  ["what is beyond has to stay so for a while", delays],
  ["what has recovered has to stay so for a while", endings],
  ["without a value a rule says what that means", gaps],
])("%s", (_, timelines) => {
  test.each(timelines.map((each) => [JSON.stringify(each[0]), ...each] as const))(
    "%s",
    (_name, change, values, states) => {
      let standing = quiet;
      const seen: string[] = [];
      for (const [minute, text] of values.split(" ").entries()) {
        if (text === "/") continue;
        const value = text === "-" ? undefined : Number(text);
        standing = nextStanding({ ...rule, ...change }, standing, minute * 60_000, value);
        seen.push(standing.state);
      }
      expect(seen).toEqual(states.split(" ").map((letter) => letters[letter as keyof typeof letters]));
    },
  );
});

test.each([
  ["gt", 5, 1, { canFire: false, canRest: true }],
  ["gt", 1, 1, { canFire: false, canRest: true }],
  ["gte", 1, 1, { canFire: true, canRest: true }],
  ["gte", 0, 1, { canFire: true, canRest: false }],
  ["gt", -1, 1, { canFire: true, canRest: false }],
  ["lt", 0, 1, { canFire: false, canRest: true }],
  ["lte", 1, 1, { canFire: true, canRest: false }],
  ["lt", 1, Number.POSITIVE_INFINITY, { canFire: true, canRest: true }],
  ["gt", 1e15, Number.POSITIVE_INFINITY, { canFire: true, canRest: true }],
] as const)("values can be beyond a limit or not: %s %d of at most %d", (operator, limit, max, expected) => {
  expect(reachOf(operator, limit, max)).toEqual(expected);
});
