import { expect, test } from "vitest";
import { byRules } from "../../console/page/benchmark/groups.ts";

test("mistakes of one cause stand together, the most frequent cause first", () => {
  const results = [{ rules: [] }, { rules: ["p/a", "p/b"] }, { rules: ["p/a"] }, { rules: ["p/a"] }];
  expect(byRules(results).map(({ rules, results: { length } }) => [rules, length])).toEqual([
    ["p/a", 2],
    ["", 1],
    ["p/a, p/b", 1],
  ]);
});
