// What a trace would have come to without the overrides of its environment. Content is judged without them, so a gate
// compares with this: otherwise a rule that is weakened while an override keeps it in shadow would change nothing.

import { Mode } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { EvaluationRecord } from "../../../gen/policyguard/policy/v1/record_pb.ts";

/** A rule that an override keeps in shadow. */
export interface LiftedRule {
  readonly policy: string;
  readonly ruleId: string;
  /** Of the first activation that has the override. */
  readonly activationSeq: number;
}

/** The record as it would be had the matches of these rules taken effect; the same one where that changes nothing. */
export function withoutOverrides(record: EvaluationRecord, rules: readonly LiftedRule[]): EvaluationRecord {
  const activationSeq = record.bundle?.activationSeq ?? 0;
  const lifted = rules.filter((rule) => rule.activationSeq <= activationSeq);
  if (lifted.length === 0) return record;
  const [strictest] = record.findings
    .filter(({ mode, exemptedBy }) => mode === Mode.SHADOW && exemptedBy === undefined)
    .filter(({ policy, ruleId }) => lifted.some((rule) => rule.policy === policy && rule.ruleId === ruleId))
    .toSorted((a, b) => b.action - a.action);
  if (strictest === undefined || strictest.action <= record.outcome) return record;
  const { action: outcome, policy: decidedByPolicy, ruleId: decidedByRule } = strictest;
  return { ...record, outcome, decidedByPolicy, decidedByRule };
}
