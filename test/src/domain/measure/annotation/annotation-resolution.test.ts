import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AnnotationMark } from "../../../../../gen/policyguard/control/v1/annotation_pb.ts";
import { type GivenMark, resolve } from "../../../../../src/domain/measure/annotation/annotation-resolution.ts";

const { FALSE_POSITIVE, CORRECT, ACCEPTABLE } = AnnotationMark;
const marks = [AnnotationMark.FALSE_POSITIVE, AnnotationMark.FALSE_NEGATIVE, CORRECT, ACCEPTABLE];
const given = (mark: AnnotationMark, isFinal = false): GivenMark => ({ mark, isFinal });
const anyMarks = fc.array(fc.record({ mark: fc.constantFrom(...marks), isFinal: fc.constant(false) }), {
  maxLength: 9,
});

describe("what several marks come to", () => {
  it("is nothing below the quorum, the mark of more than half above it, and a dispute otherwise", () => {
    expect(resolve([given(CORRECT)], 2)).toEqual({ resolvedMark: null, isDisputed: false });
    expect(resolve([given(CORRECT), given(CORRECT)], 2)).toEqual({ resolvedMark: CORRECT, isDisputed: false });
    expect(resolve([given(CORRECT), given(ACCEPTABLE)], 1)).toEqual({ resolvedMark: null, isDisputed: true });
    expect(resolve([], 1)).toEqual({ resolvedMark: null, isDisputed: false });
  });

  it("is the last final one, whatever others say", () => {
    const said = [given(CORRECT), given(FALSE_POSITIVE, true), given(CORRECT), given(ACCEPTABLE, true)];
    expect(resolve(said, 5)).toEqual({ resolvedMark: ACCEPTABLE, isDisputed: false });
  });

  it("is resolved exactly when one mark has a strict majority of enough, in any order", () => {
    fc.assert(
      fc.property(anyMarks, fc.integer({ min: 1, max: 5 }), (said, quorum) => {
        const { resolvedMark, isDisputed } = resolve(said, quorum);
        const most = marks.find((mark) => said.filter((one) => one.mark === mark).length > said.length / 2);
        const isEnough = said.length >= quorum && said.length > 0;
        expect(resolvedMark).toBe(isEnough ? (most ?? null) : null);
        expect(isDisputed).toBe(isEnough && most === undefined);
        expect(resolve(said.toReversed(), quorum)).toEqual({ resolvedMark, isDisputed });
      }),
      { seed: 23, numRuns: 2_000 },
    );
  });
});
