import { describe, expect, it } from "vitest";
import { FailMode, Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { ask, engineOf } from "./sample-engine.ts";
import { outcomeOf, rules } from "./sample-policy.ts";

describe("when and unless", () => {
  const own = `lists: {own_domains: [example.com]}\n${rules(
    "id: mail, stages: [input], detect: {ref: pii, entities: [EMAIL]}, unless: finding.domain in lists.own_domains, action: FLAG",
  )}`;

  it("judge each finding on its own", () => {
    const { response } = ask(engineOf([own]), { text: "a@example.com b@other.net" });
    expect(response.findings).toMatchObject([{ start: 14, end: 25 }]);
  });

  it("count only the findings that they accept", () => {
    const policy = rules(
      "id: a, stages: [input], detect: {all: [pii, secrets]}, when: 'finding.detector == \"secrets\"', action: BLOCK",
    );
    expect(outcomeOf(policy, "KEY-1 a@b.cc")).toBe(Outcome.ALLOW);
  });

  it("match a whole segment when a rule has no detector", () => {
    const policy = rules("id: long, stages: [input], when: segment.length > 5, action: BLOCK");
    expect(
      ask(engineOf([policy]), { segments: [{ text: "short" }, { text: "longer" }] }).response.findings,
    ).toMatchObject([{ ruleId: "long", detector: "condition", segment: "s2", start: 0, end: 6 }]);
  });

  it("see all findings of the policy's detectors", () => {
    const policy = rules(
      'id: a, stages: [input], detect: secrets, when: \'findings.exists(f, f.category == "pii.email" && f.segment == "s2")\', action: BLOCK',
      "id: b, stages: [output], detect: pii, action: FLAG",
    );
    const segments = (text: string) =>
      ask(engineOf([policy]), { segments: [{ text: "KEY-1" }, { text }] }).response.outcome;
    expect(segments("nothing")).toBe(Outcome.ALLOW);
    expect(segments("a@b.cc")).toBe(Outcome.BLOCK);
  });

  it("list a condition without a value as unjudged, and on_error says what that means", () => {
    const policy = (onError: string) =>
      rules(
        `id: a, stages: [input], detect: secrets, when: request.metadata.tier == "gold", action: BLOCK, on_error: ${onError}`,
      );
    const closed = ask(engineOf([policy("fail_closed")]), { text: "KEY-1" }).response;
    expect(closed).toMatchObject({
      outcome: Outcome.BLOCK,
      unjudged: [{ detector: "secrets", reason: "condition_error", onError: FailMode.FAIL_CLOSED }],
    });
    const open = ask(engineOf([policy("fail_open")]), { text: "KEY-1" }).response;
    expect(open).toMatchObject({ outcome: Outcome.ALLOW, unjudged: [{ onError: FailMode.FAIL_OPEN }] });
    const known = ask(engineOf([policy("fail_closed")]), { text: "KEY-1", metadata: { tier: "tin" } }).response;
    expect(known).toMatchObject({ outcome: Outcome.ALLOW, unjudged: [] });
  });

  it("do not judge lists that are longer than their cost was reckoned for", () => {
    const policy = rules(
      "id: a, stages: [input], detect: secrets, when: 'request.metadata.l.exists(x, x == \"a\")', action: BLOCK",
    );
    const metadata = { l: Array.from({ length: 5000 }, () => "b") };
    expect(ask(engineOf([policy]), { text: "KEY-1", metadata }).response).toMatchObject({
      outcome: Outcome.BLOCK,
      unjudged: [{ reason: "condition_limit" }],
    });
  });
});
