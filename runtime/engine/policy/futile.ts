// Rules that can do nothing: those that contradict themselves, and those that another rule makes needless. Both are warned of, and only
// where it can be proved by looking; `diffRule` is the proof that one rule matches wherever another does and is as strict.

import { partsJoinedBy } from "./condition-part.ts";
import { diffRule } from "./diff-rule.ts";
import { outcomeNames, type PolicyDocument, type PolicyRule, stageNames } from "./document.ts";
import { type Definitions, type EffectiveRule, effectiveRule } from "./effective-rule.ts";
import { coversGlob } from "./glob-cover.ts";
import type { Reporter } from "./reporter.ts";

/** Pairs of rules that are compared thoroughly; a document that has more of them is not searched to the end. */
const mostComparisons = 500;

/** Warns of rules that can do nothing. */
export function warnOfFutileRules(policy: PolicyDocument, definitions: Definitions, report: Reporter): void {
  const rules = [...report.sound("rules", policy.rules)];
  for (const [index, rule] of rules) {
    const why = contradictionIn(rule, policy);
    if (why !== undefined) report.warn(["rules", index], `rule "${rule.id}" never matches: ${why}`);
  }
  let comparisons = 0;
  const judged = rules.flatMap(([index, rule]) =>
    isComparable(rule, report, index) ? [{ index, effective: effectiveRule(rule, policy, definitions) }] : [],
  );
  const needless = new Set<number>();
  for (const { index, effective } of judged) {
    const other = judged.find((candidate) => {
      if (candidate.index === index || needless.has(candidate.index)) return false;
      if (!mayCover(candidate.effective, effective, policy) || comparisons >= mostComparisons) return false;
      comparisons++;
      return covers(candidate.effective, effective);
    });
    if (other === undefined) continue;
    needless.add(index);
    report.warn(["rules", index], needlessness(effective, other.effective));
  }
}

function isComparable(rule: PolicyRule, report: Reporter, index: number): boolean {
  return report.isSound(`rules[${index}]`) && Array.isArray(rule.stages) && outcomeNames.includes(rule.action);
}

function needlessness({ id, action }: EffectiveRule, other: EffectiveRule): string {
  if (action === "ALLOW" && other.action !== "ALLOW") {
    return `rule "${id}" contradicts "${other.id}", which matches the same and is stricter: ALLOW takes nothing back, an exemption does`;
  }
  return `rule "${id}" never decides: "${other.id}" matches wherever it does and is as strict`;
}

/** Cheap signs that a rule could make another needless. */
function mayCover(outer: EffectiveRule, inner: EffectiveRule, { exemptions = [] }: PolicyDocument): boolean {
  const [a, b] = [outer.rule, inner.rule];
  if (outer.mode !== "enforce" || outer.percent < 100 || inner.mode === "off") return false;
  if (outcomeNames.indexOf(a.action) < outcomeNames.indexOf(b.action)) return false;
  if (a.category !== b.category && a.action === "REDACT") return false;
  if (!b.stages.every((stage) => a.stages.includes(stage))) return false;
  // With a condition that the inner rule has not, the outer one leaves cases to it.
  if ((a.when !== undefined && b.when === undefined) || (a.unless !== undefined && b.unless === undefined))
    return false;
  if (inner.terms.length > 0 && !inner.terms.some(({ use }) => outer.terms.some((term) => term.use === use)))
    return false;
  // An exemption that takes the outer rule's effect away leaves the inner one's, unless it covers both.
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

/** Why a rule cannot match, when that can be said by looking. */
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
