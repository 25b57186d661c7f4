import { expect, test } from "vitest";
import { dotsOf, lineOf } from "../../console/chart/scale.ts";

const size = { width: 100, height: 10, max: 10 };

test("a line is interrupted where there is no value, and a value without neighbours is a dot", () => {
  expect(lineOf([0, 10, undefined, 5], size)).toBe("M0 10h.01L33.3 0M100 5h.01");
  expect(dotsOf([0, 10, undefined, 5], size)).toBe("M100 5h.01");
  expect(dotsOf([0, 10, 5], size)).toBe("");
});
