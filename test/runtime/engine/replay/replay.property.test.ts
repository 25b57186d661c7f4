// A replay against the evaluation that it stands for: exact where the record says enough, and never wrong where it does
// not.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Finding } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Outcome } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { CaptureMode, type EvaluationRecord } from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import type { PolicyDocument } from "../../../../runtime/engine/policy/document.ts";
import { reportProgress, reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { caseModel, hiding, policyModel, sampleEngine, sampleNow, sampleRecord } from "./sample-record.ts";

const sample = sampleOf({ n: 240, seed: 20261123 });
const settings = { seed: sample.seed, numRuns: Math.ceil(sample.n / 3) };
const nowMs = sampleNow.getTime();

const emptyPolicy = {
  ...{ apiVersion: "policyguard/v1", kind: "Policy", metadata: { name: "p" } },
  defaults: { timeout_ms: 1_000 },
  rules: [],
} as unknown as PolicyDocument; // as the models write it

/** Another version of a policy, in which only thresholds, modes, actions and severities differ. */
function tuned(policy: PolicyDocument, numbers: readonly number[]): PolicyDocument {
  const pick = <T>(from: readonly T[], at: number): T => from[(numbers[at % numbers.length] ?? 0) % from.length] as T; // not empty
  return {
    ...policy,
    rules: policy.rules.map((rule, index) => ({
      ...rule,
      action: pick(["ALLOW", "FLAG", rule.detect === undefined ? "FLAG" : "REDACT", "BLOCK"], index),
      mode: pick(["enforce", "enforce", "shadow"], index + 1),
      severity: pick(["low", "high", "critical"], index + 2),
      ...(typeof rule.detect === "object" &&
        "threshold" in rule.detect && {
          detect: { ...rule.detect, threshold: pick([0.01, 0.3, 0.6, 0.8, 0.95], index) },
        }),
    })),
  };
}

let tried = 0;

describe("a replay", () => {
  it("says what the evaluation would have been, or at least between which outcomes it lies", () => {
    let bounded = 0;
    fc.assert(
      fc.property(policyModel, policyModel, caseModel, fc.boolean(), (before, after, asked, isTextKept) => {
        reportProgress(++tried);
        const record = sampleRecord(
          asked,
          sampleEngine(before).evaluate(asked.request, asked.context),
          isTextKept ? CaptureMode.FULL : CaptureMode.NONE,
        );
        const engine = sampleEngine(after);
        const { response } = engine.evaluate(asked.request, asked.context);
        const { range, wouldBe, reasons } = engine.replay(record, { nowMs, useText: isTextKept });
        expect(response.outcome).toBeGreaterThanOrEqual(range.least);
        expect(response.outcome).toBeLessThanOrEqual(range.most);
        expect(response.wouldBeOutcome).toBeGreaterThanOrEqual(wouldBe.least);
        expect(response.wouldBeOutcome).toBeLessThanOrEqual(wouldBe.most);
        expect(reasons.length > 0).toBe(range.least < range.most);
        if (range.least < range.most) bounded += 1;
      }),
      settings,
    );
    // A judge that doubts everything would never be wrong.
    expect(bounded / settings.numRuns).toBeLessThan(0.4);
  });

  it("knows that a detector that fails closed counts without an answer, whatever its rule asks of findings", () => {
    const policy = (rule: Partial<PolicyDocument["rules"][number]>): PolicyDocument => {
      const detectors = { far: { use: "secrets", backend: "remote" } };
      const common = { id: "r0", stages: ["input"], mode: "enforce", on_error: "fail_closed" } as const;
      return { ...emptyPolicy, detectors, rules: [{ ...common, action: "ALLOW", ...rule }] };
    };
    const before = policy({ detect: { ref: "pii", threshold: 0.1 } });
    const after = policy({
      ...{ detect: { ref: "far", threshold: 0.1 }, action: "FLAG" },
      ...{ when: 'finding.domain == "b.cc"', unless: 'segment.trust == "untrusted"' },
    });
    let flagged = 0;
    fc.assert(
      fc.property(caseModel, (asked) => {
        const record = sampleRecord(asked, sampleEngine(before).evaluate(asked.request, asked.context));
        const engine = sampleEngine(after);
        const { response } = engine.evaluate(asked.request, asked.context);
        const { range } = engine.replay(record, { nowMs, useText: false });
        expect(response.outcome).toBeGreaterThanOrEqual(range.least);
        expect(response.outcome).toBeLessThanOrEqual(range.most);
        if (response.outcome !== Outcome.ALLOW) flagged += 1;
      }),
      { seed: sample.seed, numRuns: 200 },
    );
    expect(flagged).toBeGreaterThan(0);
  });

  it("is exact when only thresholds, modes and actions change, without any text", () => {
    fc.assert(
      fc.property(
        policyModel,
        caseModel,
        fc.array(fc.nat(), { minLength: 3, maxLength: 9 }),
        (before, asked, numbers) => {
          reportProgress(++tried);
          const record = sampleRecord(asked, sampleEngine(before).evaluate(asked.request, asked.context));
          const engine = sampleEngine(tuned(before, numbers));
          const evaluation = engine.evaluate(asked.request, asked.context);
          const replayed = engine.replay(record, { nowMs, useText: false });
          // Languages are told by the text alone.
          fc.pre(before.defaults?.unsupported_language !== "unjudged");
          fc.pre(!readsAllFindings(before) && !wasOff(before));
          expect(replayed.reasons).toEqual([]);
          expect(replayed.range).toEqual({ least: evaluation.response.outcome, most: evaluation.response.outcome });
          expect(replayed.decidedBy?.ruleId ?? "").toBe(evaluation.decidedByRule);
          const found = new Set(evaluation.findings.map(({ ruleId }) => ruleId));
          for (const { ruleId, match } of replayed.rules) expect(match).toBe(found.has(ruleId) ? "yes" : "no");
          // The finding with the highest score stands for those at one place.
          const sides = (side: "before" | "after") =>
            replayed.findings.filter((each) => each[side] !== undefined).map((each) => placed(each, each[side]));
          expect(new Set(sides("after"))).toEqual(new Set(best(evaluation.findings)));
          expect(new Set(sides("before"))).toEqual(new Set(best(record.findings)));
          expect(replayed.findings.filter(({ was, match }) => was === "unknown" || match === "unknown")).toEqual([]);
        },
      ),
      settings,
    );
  });

  it("never misses the outcome, whatever facts are hidden", () => {
    fc.assert(
      fc.property(
        policyModel,
        policyModel,
        caseModel,
        fc.array(hiding, { maxLength: 4 }),
        (before, after, asked, hide) => {
          reportProgress(++tried);
          const record: EvaluationRecord = sampleRecord(
            asked,
            sampleEngine(before).evaluate(asked.request, asked.context),
          );
          for (const each of hide) each(record);
          const engine = sampleEngine(after);
          const { response } = engine.evaluate(asked.request, asked.context);
          const { range } = engine.replay(record, { nowMs, useText: false });
          expect(response.outcome).toBeGreaterThanOrEqual(range.least);
          expect(response.outcome).toBeLessThanOrEqual(range.most);
        },
      ),
      settings,
    );
    reportSample({ n: 3 * settings.numRuns, failures: 0 });
  });
});

type Placed = Pick<Finding, "policy" | "ruleId" | "segment" | "category" | "start" | "end">;

function placed(
  { policy, ruleId, segment, category, start, end }: Placed,
  measured: { readonly score: number; readonly threshold: number } | undefined,
): string {
  return JSON.stringify([policy, ruleId, segment, category, start, end, measured?.score]);
}

/** The findings, of those at one place the one with the highest score. */
function best(findings: readonly Finding[]): string[] {
  const byPlace = Map.groupBy(findings, (finding) => placed(finding, undefined));
  return [...byPlace.values()].map((same) => {
    const [first] = same.toSorted((a, b) => b.score - a.score);
    return first === undefined ? "" : placed(first, first);
  });
}

/** Conditions that read all findings and unrecorded attributes depend on what the policy itself finds. */
function readsAllFindings(policy: PolicyDocument): boolean {
  return JSON.stringify(policy).includes("each.domain");
}

/** A rule that was off was not asked for its conditions. */
function wasOff({ rules }: PolicyDocument): boolean {
  return rules.some(({ mode }) => mode === "off");
}
