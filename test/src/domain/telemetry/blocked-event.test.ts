import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CaptureMode, RecordedSegmentSchema } from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import { blockedEvent, textLimit } from "../../../../src/domain/telemetry/blocked-event.ts";
import { acceptRecord } from "../../../../src/domain/telemetry/trace-record.ts";
import { blockedEvaluation, type Change, evaluation } from "./evaluation.ts";

const source = { projectId: "8f1f6c1e-3f63-4f0e-8d5a-2f1f0b0a7c21", environment: "prod" };

const segmentsOf = (...texts: string[]) =>
  texts.map((text, index) => create(RecordedSegmentSchema, { id: `s${index}`, text }));

function dataOf(change: Change) {
  const accepted = acceptRecord(blockedEvaluation("secrets.any", change), new Date());
  if (typeof accepted === "string") throw new Error(`the record was refused: ${accepted}`);
  return blockedEvent(source, accepted);
}

describe("evaluation.blocked", () => {
  it.each([
    ["redacted", CaptureMode.REDACTED],
    ["full", CaptureMode.FULL],
  ])("carries the text as it was kept where the environment keeps it: %s", (capture, mode) => {
    const data = dataOf({ capture: mode, segments: segmentsOf("You are a bot.", "my key is [SECRET_1]") });
    expect(data).toMatchObject({ capture, text: "You are a bot.\nmy key is [SECRET_1]" });
  });

  it("never carries text where the environment keeps none, even if a runtime sends some", () => {
    const data = dataOf({ capture: CaptureMode.NONE, segments: segmentsOf("my key is hunter2") });
    expect(data).toMatchObject({ capture: "none", text: null });
    expect(JSON.stringify(data)).not.toContain("hunter2");
    expect(dataOf({ capture: CaptureMode.UNSPECIFIED, segments: segmentsOf("hunter2") })).toMatchObject({ text: null });
  });

  it("carries null, not an empty text, where nothing was kept", () => {
    expect(dataOf({ capture: CaptureMode.FULL, segments: [] })).toMatchObject({ capture: "full", text: null });
  });

  it("carries the beginning of a long text, whole characters only", () => {
    fc.assert(
      fc.property(fc.integer({ min: textLimit - 5, max: textLimit + 5 }), (length) => {
        const whole = `${"x".repeat(length)}😀tail`;
        const text = dataOf({ capture: CaptureMode.FULL, segments: segmentsOf(whole) })?.text ?? "";
        expect(text.length).toBeLessThanOrEqual(textLimit);
        expect(text.length).toBeGreaterThanOrEqual(textLimit - 1);
        expect(whole.startsWith(text)).toBe(true);
        expect(text.isWellFormed()).toBe(true);
      }),
    );
  });

  it("is raised for BLOCK alone", () => {
    const accepted = acceptRecord(evaluation({ capture: CaptureMode.FULL, segments: segmentsOf("x") }), new Date());
    if (typeof accepted === "string") throw new Error(`the record was refused: ${accepted}`);
    expect(blockedEvent(source, accepted)).toBeUndefined();
  });
});
