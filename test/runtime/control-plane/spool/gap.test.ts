import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GapList, type GapReason } from "../../../../runtime/control-plane/spool/gap.ts";

const reasons: GapReason[] = ["spool_full", "write_failed", "corrupt"];

describe("the list of gaps", () => {
  it("counts each lost evaluation once, under its first reason, in every order of reports", () => {
    const command = fc.record({
      first: fc.integer({ min: 1, max: 60 }),
      length: fc.integer({ min: 1, max: 15 }),
      reason: fc.constantFrom(...reasons),
      forget: fc.option(fc.integer({ min: 0, max: 40 })),
    });
    fc.assert(
      fc.property(fc.array(command, { maxLength: 12 }), (commands) => {
        const list = new GapList();
        const model = new Map<number, GapReason>();
        for (const { first, length, reason, forget } of commands) {
          let fresh = 0;
          for (let seq = first; seq < first + length; seq++) {
            if (model.has(seq)) continue;
            model.set(seq, reason);
            fresh++;
          }
          expect(list.add(first, first + length - 1, reason)).toBe(fresh);
          if (forget !== null) {
            list.forget(forget);
            for (const seq of model.keys()) if (seq <= forget) model.delete(seq);
          }
          expect(expanded(list)).toEqual([...model].sort(([a], [b]) => a - b));
          expect(list.count).toBe(model.size);
          const seqs = Array.from({ length: 80 }, (_, seq) => seq);
          expect(seqs.map((seq) => list.at(seq)?.reason)).toEqual(seqs.map((seq) => model.get(seq)));
        }
      }),
      { numRuns: 1000, seed: 1 },
    );
  });

  it("keeps a long outage as one gap that grows", () => {
    const list = new GapList();
    for (let seq = 5; seq < 5000; seq++) list.add(seq, seq, "write_failed");
    expect(list.list()).toEqual([{ kind: "gap", firstSeq: 5, lastSeq: 4999, count: 4995, reason: "write_failed" }]);
  });

  it("says where the next gap begins", () => {
    const list = new GapList();
    list.add(10, 12, "corrupt");
    expect([list.after(1), list.after(10), list.at(11)?.firstSeq]).toEqual([10, Number.POSITIVE_INFINITY, 11]);
  });
});

function expanded(list: GapList): [number, GapReason][] {
  return list
    .list()
    .flatMap(({ firstSeq, count, reason }) =>
      Array.from({ length: count }, (_, i): [number, GapReason] => [firstSeq + i, reason]),
    );
}
