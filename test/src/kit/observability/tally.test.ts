import fc from "fast-check";
import { Counter, Histogram, Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { createTally, TallyHistogram } from "../../../../src/kit/observability/tally.ts";

const labelNames = ["service", "code"];
const buckets = [0.001, 0.01, 0.1];
const observation = fc.record({
  service: fc.constantFrom("a", "b"),
  code: fc.constantFrom("ok", "internal"),
  value: fc.oneof(fc.constantFrom(0, 0.001, 0.0011, 0.1, 7), fc.double({ min: 0, max: 1, noNaN: true })),
});

/** Lines in an order that does not depend on which label set was seen first. */
function linesOf(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .sort();
}

describe("a tally", () => {
  it("prints the same as prom-client's own counter and histogram for the same observations", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(observation, { maxLength: 30 }), async (observations) => {
        const [own, theirs] = [new Registry(), new Registry()];
        const count = createTally({ name: "n_total", help: "n", labelNames, registry: own });
        const histogram = new TallyHistogram({ name: "s", help: "s", labelNames, buckets, registry: own });
        const counter = new Counter({ name: "n_total", help: "n", labelNames, registers: [theirs] });
        const reference = new Histogram({ name: "s", help: "s", labelNames, buckets, registers: [theirs] });
        const bound = new Map<string, (value: number) => void>();
        for (const { service, code, value } of observations) {
          const labels = { service, code };
          const key = `${service} ${code}`;
          if (!bound.has(key)) {
            const [add, observe] = [count(labels), histogram.bind(labels)];
            bound.set(key, (each) => {
              add();
              observe(each);
            });
          }
          bound.get(key)?.(value);
          counter.inc(labels);
          reference.observe(labels, value);
        }
        expect(linesOf(await own.metrics())).toEqual(linesOf(await theirs.metrics()));
        // What processes tell each other is what is printed.
        const told = await own.getMetricsAsJSON();
        expect(JSON.parse(JSON.stringify(told))).toHaveLength(2);
        expect(linesOf(await own.metrics())).toEqual(linesOf(await theirs.metrics()));
      }),
      { numRuns: 300, seed: 5 },
    );
  });
});
