// What a schema cannot say of a policy: that names refer to something, that conditions have the right types, that a rule
// can ever matter. All problems at once.

import type { DetectorDefinition } from "../detector.ts";
import type { PolicyDocument } from "./document.ts";
import type { Extension } from "./extend.ts";
import { warnOfFutileRules } from "./futile.ts";
import { ConditionCheck } from "./meaning-condition.ts";
import { DetectorCheck } from "./meaning-detector.ts";
import { ExemptionCheck } from "./meaning-exemption.ts";
import { RuleCheck } from "./meaning-rule.ts";
import { checkShadow } from "./meaning-shadow.ts";
import { checkTest } from "./meaning-test.ts";
import type { Problems } from "./problem.ts";
import { Reporter } from "./reporter.ts";
import type { SourceNode } from "./source-tree.ts";

/** What a document is checked against. */
export interface MeaningContext {
  readonly definitions: ReadonlyMap<string, DetectorDefinition>;
  readonly extension: Extension;
  /** The document is that of a guard pack. */
  readonly isPack: boolean;
  /** When it is; without it nothing is told of what is over. */
  readonly now?: Date | undefined;
}

/** A document that is being checked. */
export interface Meaning extends MeaningContext {
  readonly policy: PolicyDocument;
  readonly tree: SourceNode;
  readonly problems: Problems;
  readonly report: Reporter;
}

/** Reports what is wrong or doubtful in a document, leaving out the parts that do not have the shape of the schema. */
export function checkMeaning(
  policy: PolicyDocument,
  tree: SourceNode,
  context: MeaningContext,
  problems: Problems,
): void {
  const about: Meaning = { ...context, policy, tree, problems, report: new Reporter(tree, problems, context.now) };
  const ruleIds = ruleIdsOf(about);
  const conditions = new ConditionCheck(about);
  const detectors = new DetectorCheck(about);
  checkExtension(about);
  detectors.detectors();
  new RuleCheck(about, detectors, conditions).rules();
  checkNames(about);
  new ExemptionCheck(about, conditions, ruleIds).exemptions();
  checkTests(about, ruleIds);
  checkLeftovers(about, detectors);
  // Only in a document without errors: what is wrong in one place may seem needless in another.
  if (!problems.hasErrors) warnOfFutileRules(policy, context.definitions, about.report);
}

/** Ids of all rules, those of packs included; undefined when some are not known. */
function ruleIdsOf({ policy, extension, report }: Meaning): string[] | undefined {
  if (!report.isSound("rules") || extension.problems.length > 0) return undefined;
  return [
    ...policy.rules.map(({ id }) => id),
    ...extension.layers.flatMap(({ prefix, document }) => document.rules.map(({ id }) => prefix + id)),
  ];
}

function checkExtension({ policy, extension, report }: Meaning): void {
  for (const { index, message, suggestion, path } of extension.problems) {
    report.error(["extends", index, ...(path === undefined ? [] : ["parameters", ...path])], message, suggestion);
  }
  for (const [index, use] of report.sound("extends", policy.extends ?? [])) {
    if (typeof use === "object") checkShadow(use, use.mode ?? policy.defaults?.mode, ["extends", index], report);
  }
  const { defaults = {} } = policy;
  if (report.isSound("defaults")) checkShadow(defaults, defaults.mode, ["defaults"], report);
}

function checkNames({ policy, report }: Meaning): void {
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
    if (seen.has(name)) report.error([list, index, key], `the ${key} "${name}" is used twice`);
    seen.add(name);
  }
}

function checkTests({ policy, extension, report }: Meaning, ruleIds: readonly string[] | undefined): void {
  const targets = { policy, packs: extension.layers, ruleIds };
  for (const [index, test] of report.sound("tests", policy.tests ?? [])) {
    checkTest(test, ["tests", index], targets, report);
  }
}

function checkLeftovers({ policy, report }: Meaning, detectors: DetectorCheck): void {
  if (!report.isSound("rules") || !report.isSound("tests")) return;
  detectors.leftovers();
  if ((policy.tests ?? []).length === 0) report.warn([], "the policy has no tests");
}
