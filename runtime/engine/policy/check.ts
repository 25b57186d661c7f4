// Semantic checks of a policy beyond what a schema can express: names refer to something, conditions have the right
// types, rules can match. All problems are reported at once.

import { ConditionCheck } from "./check-condition.ts";
import type { CheckContext, SemanticCheck } from "./check-context.ts";
import { DetectorCheck } from "./check-detector.ts";
import { ExemptionCheck } from "./check-exemption.ts";
import { RuleCheck } from "./check-rule.ts";
import { checkShadow } from "./check-shadow.ts";
import { checkTest } from "./check-test.ts";
import type { PolicyDocument } from "./document.ts";
import type { Problems } from "./problem.ts";
import { Reporter } from "./reporter.ts";
import type { SourceNode } from "./source-tree.ts";
import { warnOfUnreachableRules } from "./unreachable-rules.ts";

/** Reports errors and warnings of a document. Parts that violate the schema are skipped. */
export function checkSemantics(
  policy: PolicyDocument,
  tree: SourceNode,
  context: CheckContext,
  problems: Problems,
): void {
  const about: SemanticCheck = {
    ...context,
    policy,
    tree,
    problems,
    report: new Reporter(tree, problems, context.now),
  };
  const ruleIds = ruleIdsOf(about);
  const conditions = new ConditionCheck(about);
  const detectors = new DetectorCheck(about);
  checkExtension(about);
  detectors.detectors();
  new RuleCheck(about, detectors, conditions).rules();
  // Errors in patterns were reported where they are, and such patterns cannot be counted.
  if (!problems.hasErrors) detectors.patterns();
  checkNames(about);
  new ExemptionCheck(about, conditions, ruleIds).exemptions();
  checkTests(about, ruleIds);
  checkLeftovers(about, detectors);
  // Only for a document without errors: a mistake in one rule may make another look unnecessary.
  if (!problems.hasErrors) warnOfUnreachableRules(policy, context.definitions, about.report);
}

/** Ids of all rules, including those of packs; undefined when some are unknown. */
function ruleIdsOf({ policy, extension, report }: SemanticCheck): string[] | undefined {
  if (!report.isSound("rules") || extension.problems.length > 0) return undefined;
  return [
    ...policy.rules.map(({ id }) => id),
    ...extension.layers.flatMap(({ prefix, document }) => document.rules.map(({ id }) => prefix + id)),
  ];
}

function checkExtension({ policy, extension, report }: SemanticCheck): void {
  for (const { index, message, suggestion, path } of extension.problems) {
    const at = ["extends", index, ...(path === undefined ? [] : ["parameters", ...path])];
    report.error(path === undefined ? "unusable_pack" : "invalid_parameter", at, message, suggestion);
  }
  for (const [index, use] of report.sound("extends", policy.extends ?? [])) {
    if (typeof use === "object") checkShadow(use, use.mode ?? policy.defaults?.mode, ["extends", index], report);
  }
  const { defaults = {} } = policy;
  if (report.isSound("defaults")) checkShadow(defaults, defaults.mode, ["defaults"], report);
}

function checkNames({ policy, report }: SemanticCheck): void {
  checkUnique("rules", "id", policy.rules, ({ id }) => id, report);
  checkUnique("exemptions", "id", policy.exemptions ?? [], ({ id }) => id, report);
  checkUnique("tests", "name", policy.tests ?? [], ({ name }) => name, report);
}

function checkUnique<T>(
  list: string,
  key: string,
  items: readonly T[],
  nameOf: (item: T) => string,
  report: Reporter,
): void {
  const seen = new Set<string>();
  for (const [index, item] of report.sound(list, items)) {
    const name = nameOf(item);
    if (seen.has(name)) report.error("duplicate_name", [list, index, key], `the ${key} "${name}" is used twice`);
    seen.add(name);
  }
}

function checkTests({ policy, extension, report }: SemanticCheck, ruleIds: readonly string[] | undefined): void {
  const targets = { policy, packs: extension.layers, ruleIds };
  for (const [index, test] of report.sound("tests", policy.tests ?? [])) {
    checkTest(test, ["tests", index], targets, report);
  }
}

function checkLeftovers({ policy, report }: SemanticCheck, detectors: DetectorCheck): void {
  if (!report.isSound("rules") || !report.isSound("tests")) return;
  detectors.leftovers();
  if ((policy.tests ?? []).length === 0) report.warn("no_tests", [], "the policy has no tests");
}
