import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LatencyHistogram, relativeError } from "../../../../src/kit/tally/latency-histogram.ts";

const latencies = fc.array(fc.oneof(fc.nat(2_147_483_647), fc.nat(5_000), fc.constantFrom(0, 1, 2, 2_147_483_647)), {
  minLength: 1,
  maxLength: 200,
});

function histogramOf(values: readonly number[]): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const value of values) histogram.add(value);
  return histogram;
}

describe("LatencyHistogram", () => {
  it("answers every quantile within its error", () => {
    fc.assert(
      fc.property(latencies, fc.double({ min: 0, max: 1, noNaN: true }), (values, share) => {
        const sorted = [...values].sort((a, b) => a - b);
        const exact = sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
        const estimate = histogramOf(values).quantile(share) ?? -1;
        // Half a microsecond for rounding; 0 and 1 share a bucket.
        expect(Math.abs(estimate - Math.max(exact, 1))).toBeLessThanOrEqual(exact * relativeError + 0.5);
      }),
      { seed: 17, numRuns: 2_000 },
    );
  });

  it("is the same whether values are added together or apart, in any order", () => {
    fc.assert(
      fc.property(latencies, latencies, (left, right) => {
        const merged = histogramOf(left);
        merged.addBytes(histogramOf(right).toBytes());
        expect(merged.toBytes()).toEqual(histogramOf([...right, ...left]).toBytes());
        expect(LatencyHistogram.fromBytes(merged.toBytes()).toBytes()).toEqual(merged.toBytes());
      }),
      { seed: 17, numRuns: 1_000 },
    );
  });

  it("keeps counts far beyond 32 bits", () => {
    // Bucket 3, 2^42 values.
    const bytes = Uint8Array.of(3, 128, 128, 128, 128, 128, 128, 1);
    const histogram = LatencyHistogram.fromBytes(bytes);
    histogram.addBytes(bytes);
    expect(histogram.toBytes()).toEqual(Uint8Array.of(3, 128, 128, 128, 128, 128, 128, 2));
  });

  it("has no quantile of nothing", () => {
    expect(new LatencyHistogram().quantile(0.5)).toBeUndefined();
    expect(new LatencyHistogram().toBytes()).toHaveLength(0);
  });

  it("refuses bytes that no histogram has", () => {
    for (const bytes of [[3], [128], [3, 128], [255, 255, 3, 1], [3, 255, 255, 255, 255, 255, 255, 255, 255, 1]]) {
      expect(() => LatencyHistogram.fromBytes(Uint8Array.from(bytes)), String(bytes)).toThrow("histogram");
    }
  });
});
