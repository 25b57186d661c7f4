import { expect, it } from "vitest";
import { dayOf, monthOf } from "../../../../src/domain/telemetry/trace-tally.ts";

it("counts an evaluation in its day and month of UTC, whichever was asked for before", () => {
  const begins = ["1969-12-31", "1970-01-01", "2024-02-29", "2026-11-30", "2026-12-01", "2027-01-01"];
  const moments = begins.flatMap((day) => [`${day}T00:00:00.000Z`, `${day}T23:59:59.999Z`]);
  for (const before of moments) {
    for (const moment of moments) {
      dayOf(new Date(before));
      expect(dayOf(new Date(moment))).toBe(moment.slice(0, 10));
      expect(monthOf(new Date(moment))).toBe(`${moment.slice(0, 7)}-01`);
    }
  }
  expect(() => dayOf(new Date(Number.NaN))).toThrow(RangeError);
});
