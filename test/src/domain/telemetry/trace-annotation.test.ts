import { describe, expect, it } from "vitest";
import { AnnotationMark } from "../../../../gen/policyguard/control/v1/annotation_pb.ts";
import { summarize } from "../../../../src/domain/telemetry/trace-annotation.ts";

const { CORRECT, ACCEPTABLE } = AnnotationMark;

describe("the summary of a trace", () => {
  const verdict = (policy: string, resolvedMark: AnnotationMark | null, count = 1) => ({
    ...{ policy, resolvedMark, marks: count, isDisputed: false },
  });

  it("has the mark of the whole trace before those of its rules", () => {
    expect(summarize([verdict("p", CORRECT), verdict("", ACCEPTABLE, 2)])).toEqual({
      ...{ marks: 3, resolvedMark: ACCEPTABLE, isDisputed: false },
    });
  });

  it("has the mark that all rules share, and none where they differ", () => {
    expect(summarize([verdict("p", CORRECT), verdict("q", CORRECT)])?.resolvedMark).toBe(CORRECT);
    expect(summarize([verdict("p", CORRECT), verdict("q", null)])?.resolvedMark).toBeNull();
  });

  it("is none where everything was withdrawn", () => {
    expect(summarize([verdict("p", null, 0)])).toBeUndefined();
  });
});
