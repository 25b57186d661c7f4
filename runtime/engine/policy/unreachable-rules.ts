// Warns about rules that can have no effect: rules that contradict themselves, and rules that another rule makes
// unnecessary. Only provable cases are reported; `diffRule` proves that one rule matches wherever another does and is
// at least as strict.

import { partsJoinedBy } from "./condition-part.ts";
import { diffRule } from "./diff-rule.ts";
import { outcomeNames, type PolicyDocument, type PolicyRule, stageNames } from "./document.ts";
import { type Definitions, type EffectiveRule, effectiveRule } from "./effective-rule.ts";
import { coversGlob } from "./glob-cover.ts";
import type { Reporter } from "./reporter.ts";

/** Maximum number of rule pairs that are compared in detail; further pairs are skipped. */
const maxComparisons = 500;

/** Warns about rules that can have no effect. */
export function warnOfUnreachableRules(policy: PolicyDocument, definitions: Definitions, report: Reporter): void {
  const rules = [...report.sound("rules", policy.rules)];
  for (const [index, rule] of rules) {
    const why = contradictionIn(rule, policy);
    if (why !== undefined) report.warn("unreachable_rule", ["rules", index], `rule "${rule.id}" never matches: ${why}`);
  }
  let comparisons = 0;
  const judged = rules.flatMap(([index, rule]) =>
    isComparable(rule, report, index) ? [{ index, effective: effectiveRule(rule, policy, definitions) }] : [],
  );
  const needless = new Set<number>();
  for (const { index, effective } of judged) {
    const other = judged.find((outer) => {
      if (outer.index === index || needless.has(outer.index)) return false;
      if (!mayCover(outer.effective, effective, policy) || comparisons >= maxComparisons) return false;
      comparisons++;
      return covers(outer.effective, effective);
    });
    if (other === undefined) continue;
    needless.add(index);
    report.warn("needless_rule", ["rules", index], needlessness(effective, other.effective));
  }
}

function isComparable(rule: PolicyRule, report: Reporter, index: number): boolean {
  return report.isSound(`rules[${index}]`) && Array.isArray(rule.stages) && outcomeNames.includes(rule.action);
}

function needlessness({ id, action }: EffectiveRule, other: EffectiveRule): string {
  if (action === "ALLOW" && other.action !== "ALLOW") {
    return `rule "${id}" contradicts "${other.id}", which matches the same and is stricter: ALLOW does not weaken another rule, an exemption does`;
  }
  return `rule "${id}" never decides: "${other.id}" always matches too and is as strict`;
}

/** A cheap test for whether one rule could make another unnecessary. */
function mayCover(outer: EffectiveRule, inner: EffectiveRule, { exemptions = [] }: PolicyDocument): boolean {
  const [a, b] = [outer.rule, inner.rule];
  if (outer.mode !== "enforce" || outer.percent < 100 || inner.mode === "off") return false;
  if (outcomeNames.indexOf(a.action) < outcomeNames.indexOf(b.action)) return false;
  if (a.category !== b.category && a.action === "REDACT") return false;
  if (!b.stages.every((stage) => a.stages.includes(stage))) return false;
  // A condition that only the outer rule has leaves cases to the inner rule.
  if ((a.when !== undefined && b.when === undefined) || (a.unless !== undefined && b.unless === undefined))
    return false;
  if (inner.terms.length > 0 && !inner.terms.some(({ use }) => outer.terms.some((term) => term.use === use)))
    return false;
  // An exemption that cancels the outer rule leaves the inner one in effect, unless it covers both.
  return exemptions.every(({ rules = [] }) =>
    rules.every((glob) => !coversGlob(glob, a.id) || rules.some((each) => coversGlob(each, b.id))),
  );
}

function covers(outer: EffectiveRule, inner: EffectiveRule): boolean {
  const enforced = { ...inner, mode: "enforce", percent: 100, counts: inner.action !== "ALLOW" } as const;
  const from = {
    ...enforced,
    rule: { ...inner.rule, action: inner.action === "ALLOW" ? "FLAG" : inner.action },
  } as const;
  const changes = diffRule(
    { ...from, action: from.rule.action, counts: true, rule: withoutRollout(from.rule) },
    { ...outer, counts: true },
  );
  const hasSameKind = (outer.terms.length === 0) === (inner.terms.length === 0);
  return hasSameKind && outer.counts && changes.every(({ effect }) => effect === "stricter" || effect === "neutral");
}

function withoutRollout({ rollout: _, ...rule }: PolicyRule): PolicyRule {
  return rule;
}

const domains: Readonly<Record<string, readonly string[]>> = {
  "request.stage": stageNames,
  "segment.trust": ["trusted", "untrusted"],
  "segment.role": ["system", "developer", "user", "assistant", "tool"],
};

/** Why a rule cannot match, when that is provable from its text. */
function contradictionIn({ when, unless, stages }: PolicyRule, { match }: PolicyDocument): string | undefined {
  const holds = typeof when === "string" ? partsJoinedBy("&&", when) : [];
  const fails = typeof unless === "string" ? partsJoinedBy("||", unless) : [];
  const refused = holds.find((part) => fails.includes(part));
  if (refused !== undefined) return `\`when\` and \`unless\` both ask for ${refused}`;
  const denied = holds.find((part) => holds.includes(`!${part}`) || holds.includes(`!(${part})`));
  if (denied !== undefined) return `\`when\` asks for ${denied} and its opposite`;
  if (holds.includes("false")) return "`when` is false";
  if (fails.includes("true")) return "`unless` is true";
  const narrowed = {
    ...domains,
    "request.stage": stages,
    ...(match?.envs === undefined ? {} : { "request.env": match.envs }),
  };
  return impossibleValue(holds, narrowed);
}

function impossibleValue(
  parts: readonly string[],
  possible: Readonly<Record<string, readonly string[]>>,
): string | undefined {
  const wanted = new Map<string, string>();
  for (const part of parts) {
    const [, field, value] = /^([a-z_]+\.[a-z_]+) == "([^"\\]*)"$/.exec(part) ?? [];
    if (field === undefined || value === undefined) continue;
    const other = wanted.get(field);
    if (other !== undefined && other !== value) return `${field} cannot be both "${other}" and "${value}"`;
    const values = possible[field];
    if (values !== undefined && !values.includes(value)) {
      return `${field} is never "${value}" here, only ${values.join(", ")}`;
    }
    wanted.set(field, value);
  }
  return undefined;
}
