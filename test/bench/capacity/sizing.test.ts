import { describe, expect, it } from "vitest";
import { type Figures, sizingOf } from "../../../bench/capacity/sizing.ts";

const figures: Figures = {
  ...{ evaluateUs: 500, reportUs: 20, countUs: 10 },
  ...{ storePlaneUs: 100, storeDatabaseUs: 200, takePlaneUs: 1, takeDatabaseUs: 2 },
  ...{ traceBytes: 1_000, minuteBytes: 1_000 },
};

describe("the sizing of an installation", () => {
  it("has what each evaluation costs, at three times the mean and 60 % of a core", () => {
    const sizing = sizingOf(figures, { name: "", evaluationsPerDay: 8.64e6, allowPercent: 100 });
    expect(sizing).toMatchObject({ tracedShare: 1, rowsPerDay: 2 * 8.64e6 });
    expect(sizing.peakPerSecond).toBeCloseTo(300, 9);
    expect(sizing.runtimeCores).toBeCloseTo((300 * 520e-6) / 0.6, 9);
    expect(sizing.planeCores).toBeCloseTo((300 * 100e-6) / 0.6, 9);
    expect(sizing.databaseCores).toBeCloseTo((300 * 200e-6) / 0.6, 9);
    expect(sizing.gigabytesPerDay).toBeCloseTo(8.64 + 0.00144, 9);
  });

  it("has a trace for a sample of what is allowed and for everything else, and counts the rest", () => {
    const sizing = sizingOf(figures, { name: "", evaluationsPerDay: 8.64e6, allowPercent: 1 });
    expect(sizing.tracedShare).toBeCloseTo(0.005 + 0.995 * 0.01, 12);
    expect(sizing.planeCores).toBeCloseTo((300 * (0.014_95 * 100 + 0.985_05 * 1) * 1e-6) / 0.6, 9);
    expect(sizing.gigabytesPerDay).toBeCloseTo(8.64 * 0.014_95 + 0.001_44, 9);
  });
});
