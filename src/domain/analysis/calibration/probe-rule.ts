// Makes of a policy one whose rule accepts every score, and of a threshold a policy that has it.

import type { JsonObject } from "@bufbuild/protobuf";
import { diffPolicies } from "../../../../runtime/engine/authoring/diff.ts";
import { catalog } from "../../../../runtime/engine/detectors/catalog.ts";
import type { DetectTerm, PolicyDocument, PolicyRule } from "../../../../runtime/engine/policy/document.ts";
import { effectiveRule } from "../../../../runtime/engine/policy/effective-rule.ts";
import { canonicalPolicy } from "../../../../runtime/engine/policy/parse.ts";
import { asReference, detectTerms } from "../../../../runtime/engine/policy/reference.ts";
import { validationFailed } from "../../../kit/fault/fault.ts";
import type { Tools } from "../tools.ts";
import { soundPolicy } from "../try-policy.ts";

const definitions = new Map(catalog.map((definition) => [definition.id, definition]));

/** A rule of a stored policy. */
export interface RuleQuestion {
  readonly document: JsonObject;
  readonly ruleId: string;
}

/** A rule whose threshold can be looked for. */
export interface ProbedRule {
  /** Name of the policy. */
  readonly policy: string;
  /** The policy with the rule in effect at every score. */
  readonly probe: JsonObject;
  readonly detector: string;
  /** The threshold in force. */
  readonly threshold: number;
  readonly stages: readonly string[];
  readonly action: string;
}

/** The rule with everything that its calibration needs. Throws for a rule without a single detector of its own. */
export function probeRule({ document, ruleId }: RuleQuestion, tools: Tools): ProbedRule {
  tools.enter("reading the document");
  const policy = soundPolicy(document, tools.packs);
  const rule = requireRule(policy, ruleId);
  const [term] = requireSingle(rule);
  const [{ threshold } = { threshold: 0 }] = effectiveRule(rule, policy, definitions).terms;
  // Whether the rule is enforced is none of the question: a rule in shadow is calibrated like any other.
  const { rollout: _rollout, shadow: _shadow, ...rest } = rule;
  const probed: PolicyRule = { ...rest, mode: "enforce", detect: { ...asReference(term), threshold: 0 } };
  return {
    policy: policy.metadata.name,
    probe: canonicalPolicy(withRule({ ...policy, tests: [] }, probed)),
    ...{ detector: asReference(term).ref, threshold, stages: rule.stages, action: rule.action },
  };
}

/** A policy with another threshold, and how it differs. */
export interface ProposedPolicy {
  readonly document: JsonObject;
  readonly changes: readonly string[];
}

/** The policy with the threshold in the rule. */
export function proposeThreshold(
  { document, ruleId, threshold }: RuleQuestion & { readonly threshold: number },
  tools: Tools,
): ProposedPolicy {
  tools.enter("reading the document");
  const policy = soundPolicy(document, tools.packs);
  const rule = requireRule(policy, ruleId);
  const [term] = requireSingle(rule);
  const proposed = withRule(policy, { ...rule, detect: { ...asReference(term), threshold } });
  tools.enter("comparing the versions");
  const { changes } = diffPolicies(policy, proposed, catalog, tools.packs);
  return { document: canonicalPolicy(proposed), changes: changes.map(({ text }) => text) };
}

function withRule(policy: PolicyDocument, rule: PolicyRule): PolicyDocument {
  return { ...policy, rules: policy.rules.map((each) => (each.id === rule.id ? rule : each)) };
}

function requireRule({ rules }: PolicyDocument, ruleId: string): PolicyRule {
  const rule = rules.find(({ id }) => id === ruleId);
  if (rule !== undefined) return rule;
  const message = `the policy itself has no rule "${ruleId}"; a rule of a pack is tuned by the pack's parameters`;
  throw validationFailed([{ field: "rule_id", message }]);
}

function requireSingle({ id, detect }: PolicyRule): readonly [DetectTerm] {
  const [term, ...others] = detect === undefined ? [] : detectTerms(detect).terms;
  if (term !== undefined && others.length === 0) return [term];
  const message =
    term === undefined
      ? `the rule "${id}" asks no detector, so it has no threshold`
      : `the rule "${id}" asks several detectors; split it into rules that ask one each, and calibrate those`;
  throw validationFailed([{ field: "rule_id", message }]);
}
