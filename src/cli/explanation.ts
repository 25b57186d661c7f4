// What became of every rule of every policy for one request.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Finding } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { PolicyDocument, PolicyRule } from "../../runtime/engine/policy/document.ts";
import { trustName } from "../../runtime/engine/wire.ts";
import { effectOf } from "./decision-text.ts";
import { decisionJson, type Judged, type JudgingFile, whyAbsent } from "./evaluate.ts";
import { type NearMisses, nearMisses } from "./near-miss.ts";

/** What became of a rule. */
export type RuleStatus = "matched" | "not_matched" | "other_stage" | "off";

/** One rule and what became of it. */
export interface ExplainedRule {
  readonly rule: PolicyRule;
  readonly status: RuleStatus;
  /** Why it did not match, or why its match has no effect; "" for a match that takes effect. */
  readonly reason: string;
  readonly findings: readonly Finding[];
  readonly decided: boolean;
}

/** One policy and what became of it. */
export interface ExplainedPolicy {
  readonly file: JudgingFile;
  /** Why it takes no part; undefined when it does. */
  readonly absent: string | undefined;
  /** Empty when it takes no part. */
  readonly rules: readonly ExplainedRule[];
}

/** Explains a decision rule by rule. */
export function explainPolicies(files: readonly JudgingFile[], judged: Judged, now: Date): ExplainedPolicy[] {
  const { subject, env, evaluation } = judged;
  const misses = nearMisses(files, subject, env, now);
  return files.map((file) => {
    const { policy } = file;
    const absent = whyAbsent(policy, env, subject.request.agentId ?? "");
    const own = evaluation.findings.filter((finding) => finding.policy === policy.metadata.name);
    const decidedBy = evaluation.decidedByPolicy === policy.metadata.name ? evaluation.decidedByRule : "";
    const rules = absent === undefined ? policy.rules : [];
    return {
      file,
      absent,
      rules: rules.map((rule) => ({
        rule,
        ...outcomeOf(policy, rule, { findings: own, stage: subject.stage, misses }),
        decided: rule.id === decidedBy,
      })),
    };
  });
}

function outcomeOf(
  policy: PolicyDocument,
  rule: PolicyRule,
  { findings, stage, misses }: { findings: readonly Finding[]; stage: string; misses: NearMisses },
): Pick<ExplainedRule, "status" | "reason" | "findings"> {
  const own = findings.filter(({ ruleId }) => ruleId === rule.id);
  const without = (status: RuleStatus, reason: string) => ({ status, reason, findings: [] });
  if (!rule.stages.some((name) => name === stage)) return without("other_stage", `it is for ${rule.stages.join(", ")}`);
  if ((rule.mode ?? policy.defaults?.mode) === "off") return without("off", "its mode is off");
  if (own.length === 0) return without("not_matched", misses.reasonOf(policy, rule));
  const effects = own.map(effectOf);
  const reason = effects.every((effect) => effect !== "") ? [...new Set(effects)].join(", ") : "";
  return { status: "matched", reason, findings: own };
}

/** An explanation for programs. */
export function explanationJson(judged: Judged, policies: readonly ExplainedPolicy[]): JsonObject {
  const { evaluation, compileUs } = judged;
  return {
    decision: decisionJson(judged),
    segments: evaluation.segments.map(({ id, role, trust, text }) => ({
      id,
      role,
      trust: trustName(trust),
      length: text.length,
    })),
    detections: evaluation.signals.map(({ detector, category, score, segment, start, end }) => ({
      detector,
      category,
      score,
      segment,
      start,
      end,
    })),
    policies: policies.map(({ file, absent, rules }) => ({
      policy: file.policy.metadata.name,
      file: file.path,
      applies: absent === undefined,
      reason: absent ?? null,
      rules: rules.map(ruleJson),
    })),
    timing: { compile_us: compileUs, evaluate_us: evaluation.response.latencyUs },
  };
}

function ruleJson({ rule, status, reason, findings, decided }: ExplainedRule): JsonObject {
  return {
    rule_id: rule.id,
    action: rule.action,
    status,
    reason: reason === "" ? null : reason,
    findings: findings.length,
    decided,
  };
}
