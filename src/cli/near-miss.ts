// Why a rule did not match, found by asking the engine again with changed policies: without `unless`, without both
// conditions, and with every threshold at zero. What changes the answer is the reason. So the explanation cannot
// disagree with the engine, whatever a rule consists of.

import { catalog } from "../../runtime/engine/detectors/catalog.ts";
import type { PolicyDocument, PolicyRule } from "../../runtime/engine/policy/document.ts";
import { asReference, detectTerms, resolveDetector } from "../../runtime/engine/policy/reference.ts";
import { type JudgingFile, judge } from "./evaluate.ts";
import type { Subject } from "./request.ts";

const definitions = new Map(catalog.map((definition) => [definition.id, definition]));

/** Says why rules did not match. */
export interface NearMisses {
  readonly reasonOf: (policy: PolicyDocument, rule: PolicyRule) => string;
}

/** Judges the request by changed policies. */
export function nearMisses(files: readonly JudgingFile[], subject: Subject, env: string, now: Date): NearMisses {
  const asked = (change: (rule: PolicyRule) => PolicyRule) => scores(variant(files, change), subject, env, now);
  const withoutUnless = asked(({ unless: _, ...rule }) => rule);
  const withoutConditions = asked(unconditional);
  const withoutThresholds = asked((rule) => ({ ...unconditional(rule), ...lowered(rule) }));
  return {
    reasonOf(policy, rule) {
      const key = ruleKey(policy.metadata.name, rule.id);
      if (withoutUnless.has(key)) return `its \`unless\` holds: ${rule.unless ?? ""}`;
      if (withoutConditions.has(key)) return `its \`when\` does not hold: ${rule.when ?? ""}`;
      return notFound(policy, rule, withoutThresholds.get(key));
    },
  };
}

/** The best score of each rule that matches, by policy and rule. */
function scores(files: readonly JudgingFile[], subject: Subject, env: string, now: Date): Map<string, number> {
  const best = new Map<string, number>();
  for (const { policy, ruleId, score } of judge(files, subject, env, now).evaluation.findings) {
    const key = ruleKey(policy, ruleId);
    best.set(key, Math.max(score, best.get(key) ?? 0));
  }
  return best;
}

function ruleKey(policy: string, rule: string): string {
  return JSON.stringify([policy, rule]);
}

function variant(files: readonly JudgingFile[], change: (rule: PolicyRule) => PolicyRule): JudgingFile[] {
  return files.map((file) => {
    const { tests: _tests, exemptions: _exemptions, ...document } = file.policy;
    return { ...file, policy: { ...document, rules: document.rules.map(change) } };
  });
}

function unconditional({ when, unless: _, ...rule }: PolicyRule): PolicyRule {
  // A rule needs `detect` or `when`.
  return rule.detect === undefined && when !== undefined ? { ...rule, when: "true" } : rule;
}

/** The rule's `detect` with every threshold at zero. */
function lowered({ detect }: PolicyRule): Pick<PolicyRule, "detect"> {
  if (detect === undefined) return {};
  const { terms, atLeast } = detectTerms(detect);
  const all = terms.map((term) => ({ ...asReference(term), threshold: 0 }));
  return { detect: { quorum: { of: all, at_least: atLeast } } };
}

function notFound(policy: PolicyDocument, rule: PolicyRule, best: number | undefined): string {
  if (rule.detect === undefined) return "there is nothing of the kind that it judges";
  const { terms, atLeast } = detectTerms(rule.detect);
  const names = [...new Set(terms.map((term) => asReference(term).ref))].join(", ");
  if (best !== undefined) {
    const [first] = terms;
    if (terms.length > 1 || first === undefined) return `${names}: found, but with scores below their thresholds`;
    return `${names}: found with score ${best.toFixed(2)}, below the threshold ${thresholdOf(policy, first)}`;
  }
  if (atLeast > 1) return `fewer than ${atLeast} of ${names} found something in one segment`;
  return `${names} found nothing`;
}

function thresholdOf(policy: PolicyDocument, term: Parameters<typeof asReference>[0]): string {
  const { ref, threshold } = asReference(term);
  return String(threshold ?? resolveDetector(policy, ref, definitions)?.threshold ?? "");
}
