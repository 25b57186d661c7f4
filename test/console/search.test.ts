import { expect, test } from "vitest";
import { traceSearch } from "../../console/page/trace/search.ts";

test("an address says what the page looks at; unknown values and defaults are dropped", () => {
  expect(traceSearch({ range: "7d", outcome: "BLOCK", environment: "prod", rule: "pii.email", trace: "t1" })).toEqual({
    range: "7d",
    outcome: "BLOCK",
    environment: "prod",
    rule: "pii.email",
    trace: "t1",
  });
  expect(traceSearch({ range: "24h", outcome: "block", environment: [], rule: "", other: "x" })).toEqual({});
  // The router reads digits as a number; the name of an environment may be made of them.
  expect(traceSearch({ environment: 4 })).toEqual({ environment: "4" });
  expect(traceSearch({ range: "toString", outcome: ["BLOCK"] })).toEqual({});
});
