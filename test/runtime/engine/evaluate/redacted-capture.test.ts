import { describe, expect, it } from "vitest";
import { CaptureMode } from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import { captureModeOf, captureText } from "../../../../runtime/engine/evaluate/redacted-capture.ts";
import { ask, engineOf } from "../sample-engine.ts";

const rules = `rules:
  - {id: key, stages: [input], detect: secrets, action: BLOCK}
  - {id: mail, stages: [input], detect: pii, action: FLAG, mode: shadow}
`;
const request = {
  messages: [
    { role: "system", content: "be kind" },
    { role: "user", content: "KEY-1 of a@b.cc" },
  ],
};
const texts = (policy: string, mode: CaptureMode) =>
  captureText(ask(engineOf([policy]), request), mode).map(({ text }) => text);

describe("captureText", () => {
  it("reports no text in the mode none, nor in a mode that nobody set", () => {
    expect(texts(rules, CaptureMode.NONE)).toEqual([]);
    expect(texts(rules, CaptureMode.UNSPECIFIED)).toEqual([]);
  });

  it("replaces every finding in the mode redacted, those of shadow rules as well", () => {
    expect(texts(rules, CaptureMode.REDACTED)).toEqual(["be kind", "[KEY_1] of [EMAIL_1]"]);
  });

  it("keeps the text, role and trust in the mode full", () => {
    const captured = captureText(ask(engineOf([rules]), request), CaptureMode.FULL);
    expect(captured).toMatchObject([
      { id: "s1", role: "system", trust: 1, text: "be kind" },
      { id: "s2", role: "user", trust: 2, text: "KEY-1 of a@b.cc" },
    ]);
  });

  it("never reports more than a policy in scope allows", () => {
    const record = (limit: string) => ask(engineOf([`defaults: {record: ${limit}}\n${rules}`]), request);
    expect(captureModeOf(record("redacted"), CaptureMode.FULL)).toBe(CaptureMode.REDACTED);
    expect(captureModeOf(record("none"), CaptureMode.FULL)).toBe(CaptureMode.NONE);
    expect(captureModeOf(record("full"), CaptureMode.REDACTED)).toBe(CaptureMode.REDACTED);
  });
});
