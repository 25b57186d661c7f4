import { describe, expect, it } from "vitest";
import { FailMode, Outcome } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { ask, engineOf } from "../sample-engine.ts";
import { block } from "../sample-policy.ts";
import { streamEngine } from "../stream/sample-stream.ts";

describe("the time budget", () => {
  const clock = (stepUs: number) => {
    let now = 0;
    return () => (now += stepUs);
  };

  it("lists the detectors that had no time, and fails as the rule says", () => {
    const closed = ask(engineOf([block]), { text: "KEY-1" }, { elapsedUs: clock(700_000) });
    expect(closed.response).toMatchObject({
      outcome: Outcome.BLOCK,
      unjudged: [{ detector: "secrets", reason: "timeout" }],
    });
    const open = `defaults: {on_error: fail_open}\n${block}`;
    expect(ask(engineOf([open]), { text: "KEY-1" }, { elapsedUs: clock(700_000) }).response).toMatchObject({
      outcome: Outcome.ALLOW,
      unjudged: [{ reason: "timeout", onError: FailMode.FAIL_OPEN }],
    });
  });

  it("is the shorter of the policy's and the request's", () => {
    const engine = engineOf([`defaults: {timeout_ms: 100}\n${block}`]);
    const unjudged = (elapsedMs: number, timeoutMs?: number) =>
      ask(engine, { text: "KEY-1", options: { timeoutMs } }, { elapsedUs: () => elapsedMs * 1000 }).response.unjudged
        .length;
    expect(unjudged(99)).toBe(0);
    expect(unjudged(101)).toBe(1);
    expect(unjudged(60, 50)).toBe(1);
    expect(unjudged(101, 500)).toBe(1);
  });

  it("ends in the middle of a long text, of which nothing is said then", () => {
    const engine = streamEngine(`defaults: {timeout_ms: 4}\n${block}`);
    const elapsedUs = () => clock(1_000);
    const long = ask(engine, { text: `a word. ${"no more ".repeat(1_100)}` }, { elapsedUs: elapsedUs() });
    expect(long.response).toMatchObject({ unjudged: [{ detector: "secrets", reason: "timeout" }] });
    expect(long.redactedTexts()).toEqual([undefined]);
    expect(ask(engine, { text: "a word." }, { elapsedUs: elapsedUs() }).response.unjudged).toEqual([]);
  });

  it("reports nothing of a text that was not scanned", () => {
    const evaluation = ask(
      engineOf([block]),
      { segments: [{ text: "KEY-1" }, { text: "KEY-2" }] },
      { elapsedUs: clock(600_000) },
    );
    expect(evaluation.redactedTexts()[1]).toBeUndefined();
  });
});
