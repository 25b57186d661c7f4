// What a schema cannot say of a policy: that names refer to something, that conditions have the right types, that a rule
// can ever matter. All problems at once.

import type { DetectorDefinition } from "../detector.ts";
import { matchesGlob } from "../glob.ts";
import { ConditionCompiler, isConditionProblem } from "./condition.ts";
import { type DetectTerm, outcomeNames, type PolicyDocument, type PolicyRule } from "./document.ts";
import { checkSchema } from "./json-schema.ts";
import { didYouMean, type Problems } from "./problem.ts";
import { asReference, detectorKeys, detectTerms, parametersOf, resolveDetector } from "./reference.ts";
import type { SourceMap, SourceNode } from "./source-tree.ts";
import { keyPlaceAt, nodeAt, parsePath, pathText, placeAt, type TreePath } from "./tree-path.ts";

/** Reports what is wrong or doubtful in a document, leaving out the parts that do not have the shape of the schema. */
export function checkMeaning(
  policy: PolicyDocument,
  tree: SourceNode,
  definitions: ReadonlyMap<string, DetectorDefinition>,
  problems: Problems,
): void {
  const check = new MeaningCheck(policy, tree, definitions, problems);
  check.detectors();
  check.rules();
  check.duplicates();
  check.exemptions();
  check.tests();
  check.leftovers();
}

class MeaningCheck {
  readonly #policy: PolicyDocument;
  readonly #tree: SourceNode;
  readonly #definitions: ReadonlyMap<string, DetectorDefinition>;
  readonly #problems: Problems;
  readonly #conditions: ConditionCompiler;
  readonly #usedDetectors = new Set<string>();

  constructor(
    policy: PolicyDocument,
    tree: SourceNode,
    definitions: ReadonlyMap<string, DetectorDefinition>,
    problems: Problems,
  ) {
    this.#policy = policy;
    this.#tree = tree;
    this.#definitions = definitions;
    this.#problems = problems;
    this.#conditions = new ConditionCompiler(policy.lists ?? {});
  }

  /** The entries of a list that have their shape, with their places in the document. */
  *#sound<T>(key: string, items: readonly T[]): Generator<[number, T]> {
    for (const [index, item] of items.entries()) {
      if (!this.#problems.isMisshapen(`${key}[${index}]`)) yield [index, item];
    }
  }

  #allSound(key: string): boolean {
    return !this.#problems.isMisshapen(key);
  }

  detectors(): void {
    for (const [name, use] of Object.entries(this.#policy.detectors ?? {})) {
      const path = ["detectors", name];
      if (!this.#allSound(pathText(path))) continue;
      const definition = this.#definitions.get(use.use);
      if (definition === undefined) {
        const suggestion = didYouMean(use.use, this.#definitions.keys());
        this.#error([...path, "use"], `the catalog has no detector "${use.use}"`, suggestion);
        continue;
      }
      const before = this.#problems.count;
      this.#checkParameters(path, definition);
      if (this.#problems.count > before) continue;
      for (const { path: at, message, suggestion } of definition.check(parametersOf(use))) {
        this.#error([...path, ...parsePath(at)], message, suggestion);
      }
    }
  }

  #checkParameters(path: TreePath, definition: DetectorDefinition): void {
    const node = nodeAt(this.#tree, path);
    if (node?.kind !== "map") return;
    const entries = [...node.entries].filter(([key]) => !detectorKeys.includes(key));
    const parameters: SourceMap = { ...node, entries: new Map(entries) };
    checkSchema(parameters, definition.parameters, pathText(path), this.#problems);
  }

  rules(): void {
    for (const [index, rule] of this.#sound("rules", this.#policy.rules)) this.#rule(rule, ["rules", index]);
  }

  #rule(rule: PolicyRule, path: TreePath): void {
    if (rule.detect === undefined && rule.when === undefined) {
      this.#error(path, `rule "${rule.id}" needs "detect", "when" or both`);
    }
    if (rule.detect !== undefined) this.#detect(rule.detect, [...path, "detect"]);
    for (const key of ["when", "unless"] as const) {
      const source = rule[key];
      if (source === undefined) continue;
      const reads = this.#condition(source, [...path, key]);
      if (reads.has("finding") && rule.detect === undefined) {
        this.#error([...path, key], 'only a rule with "detect" has a "finding"');
      }
      if (reads.has("tool") && rule.stages.some((stage) => stage !== "tool_call")) {
        this.#error([...path, key], '"tool" exists at the stage tool_call only; the rule has to name no other stage');
      }
    }
    this.#effect(rule, path);
  }

  #effect(rule: PolicyRule, path: TreePath): void {
    if (rule.action === "REDACT" && rule.detect === undefined && rule.stages.includes("tool_call")) {
      this.#error([...path, "action"], 'a rule without "detect" has nothing to rewrite at the stage tool_call');
    }
    if (rule.redact !== undefined && rule.action !== "REDACT") {
      this.#warn([...path, "redact"], `"redact" has no effect on a rule whose action is ${rule.action}`);
    }
    const mode = rule.mode ?? this.#policy.defaults?.mode;
    if (mode === "off") this.#warn(path, `rule "${rule.id}" never matches: its mode is off`);
    if (rule.rollout?.percent === 0)
      this.#warn([...path, "rollout"], `rule "${rule.id}" never takes effect: 0 percent`);
  }

  #detect(detect: NonNullable<PolicyRule["detect"]>, path: TreePath): void {
    const { terms, atLeast, path: inner } = detectTerms(detect);
    const isList = inner.length > 0;
    for (const [index, term] of terms.entries()) this.#term(term, isList ? [...path, ...inner, index] : path);
    if (atLeast > terms.length) {
      this.#error([...path, "quorum", "at_least"], `expected at most ${terms.length}, the number of detectors`);
    }
  }

  #term(term: DetectTerm, path: TreePath): void {
    const { ref, entities, categories } = asReference(term);
    const namePath = typeof term === "string" ? path : [...path, "ref"];
    this.#usedDetectors.add(ref);
    const names = Object.keys(this.#policy.detectors ?? {});
    const detector = resolveDetector(this.#policy, ref, this.#definitions);
    if (detector === undefined) {
      if (!names.includes(ref)) {
        const suggestion = didYouMean(ref, [...names, ...this.#definitions.keys()]);
        this.#error(namePath, `neither the policy nor the catalog has a detector "${ref}"`, suggestion);
      }
      return;
    }
    const { definition, parameters } = detector;
    this.#known(entities, definition.entities, "entity", ref, [...path, "entities"]);
    const configured = parameters.entities;
    for (const entity of entities ?? []) {
      if (!Array.isArray(configured) || configured.includes(entity) || !definition.entities.includes(entity)) continue;
      this.#error([...path, "entities"], `the detector "${ref}" is set to other entities than "${entity}"`);
    }
    const { category } = parameters;
    const known = typeof category === "string" ? [...definition.categories, category] : definition.categories;
    if (known.length > 0) this.#known(categories, known, "category", ref, [...path, "categories"]);
    if (!names.includes(ref)) this.#defaultParameters(definition, entities, namePath);
  }

  /** A detector straight from the catalog has no parameters; some cannot do without. */
  #defaultParameters(definition: DetectorDefinition, entities: readonly string[] | undefined, path: TreePath): void {
    const required = definition.parameters.required;
    const missing = Array.isArray(required)
      ? required.filter((key) => key !== "entities" || entities === undefined)
      : [];
    if (missing.length === 0) return;
    const message = `the detector "${definition.id}" needs ${missing.join(", ")}; name it under "detectors"`;
    this.#error(path, message);
  }

  #known(
    given: readonly string[] | undefined,
    known: readonly string[],
    what: string,
    ref: string,
    path: TreePath,
  ): void {
    for (const [index, value] of (given ?? []).entries()) {
      if (known.some((candidate) => matchesGlob(value, candidate))) continue;
      const message = `the detector "${ref}" has no ${what} "${value}"`;
      this.#error([...path, index], message, didYouMean(value, known));
    }
  }

  #condition(source: string, path: TreePath): ReadonlySet<string> {
    const result = this.#conditions.compile(source);
    if (!isConditionProblem(result)) return result.reads;
    const node = nodeAt(this.#tree, path);
    const at = node?.kind === "scalar" ? node.placeAt?.(result.offset) : undefined;
    this.#problems.error(at ?? placeAt(this.#tree, path), pathText(path), result.message, result.suggestion);
    return new Set();
  }

  duplicates(): void {
    this.#unique("rules", "id", this.#policy.rules, ({ id }) => id);
    this.#unique("exemptions", "id", this.#policy.exemptions ?? [], ({ id }) => id);
    this.#unique("tests", "name", this.#policy.tests ?? [], ({ name }) => name);
    const strictest = new Map<string, PolicyRule>();
    for (const [index, rule] of this.#sound("rules", this.#policy.rules)) {
      const shape = shapeOf(rule);
      const earlier = strictest.get(shape);
      if (earlier === undefined) strictest.set(shape, rule);
      else if (outcomeNames.indexOf(rule.action) <= outcomeNames.indexOf(earlier.action)) {
        this.#warn(
          ["rules", index],
          `rule "${rule.id}" never decides: "${earlier.id}" matches the same and is as strict`,
        );
      }
    }
  }

  #unique<T>(list: string, key: string, items: readonly T[], nameOf: (item: T) => string): void {
    const seen = new Set<string>();
    for (const [index, item] of this.#sound(list, items)) {
      const name = nameOf(item);
      if (seen.has(name)) this.#error([list, index, key], `the ${key} "${name}" is used twice`);
      seen.add(name);
    }
  }

  exemptions(): void {
    const ids = [...this.#sound("rules", this.#policy.rules)].map(([, { id }]) => id);
    for (const [index, exemption] of this.#sound("exemptions", this.#policy.exemptions ?? [])) {
      const { id, when, rules, expires } = exemption;
      const path = ["exemptions", index];
      if (this.#condition(when, [...path, "when"]).has("tool")) {
        this.#error([...path, "when"], 'an exemption cannot read "tool": it holds at every stage');
      }
      if (expires !== undefined && Number.isNaN(Date.parse(expires))) {
        this.#error([...path, "expires"], `"${expires}" is not a date`);
      }
      for (const [at, glob] of rules.entries()) {
        if (!this.#allSound("rules") || ids.some((rule) => matchesGlob(glob, rule))) continue;
        this.#warn([...path, "rules", at], `exemption "${id}": no rule fits "${glob}"`, didYouMean(glob, ids));
      }
    }
  }

  tests(): void {
    const ids = [...this.#sound("rules", this.#policy.rules)].map(([, { id }]) => id);
    for (const [index, test] of this.#sound("tests", this.#policy.tests ?? [])) {
      const path = ["tests", index];
      const given = (["text", "messages", "segments", "tool_calls"] as const).filter((key) => test[key] !== undefined);
      const texts = given.filter((key) => key !== "tool_calls");
      if (given.length === 0) this.#error(path, 'a test needs one of "text", "messages", "segments" or "tool_calls"');
      if (texts.length > 1) this.#error(path, `a test has one form of text, found ${texts.join(" and ")}`);
      for (const key of ["rules", "not_rules"] as const) {
        for (const [at, id] of (test.expect[key] ?? []).entries()) {
          if (this.#allSound("rules") && !ids.includes(id))
            this.#error([...path, "expect", key, at], `the policy has no rule "${id}"`, didYouMean(id, ids));
        }
      }
      if (test.expect.redacted !== undefined && test.expect.outcome !== "REDACT") {
        this.#error([...path, "expect", "redacted"], "only the outcome REDACT has a rewritten text");
      }
    }
  }

  leftovers(): void {
    if (!this.#allSound("rules") || !this.#allSound("tests")) return;
    for (const name of Object.keys(this.#policy.detectors ?? {})) {
      if (!this.#usedDetectors.has(name)) this.#warn(["detectors", name], `no rule uses the detector "${name}"`);
    }
    if ((this.#policy.tests ?? []).length === 0) this.#warn([], "the policy has no tests");
  }

  #error(path: TreePath, message: string, suggestion?: string): void {
    this.#problems.error(placeAt(this.#tree, path), pathText(path), message, suggestion);
  }

  #warn(path: TreePath, message: string, suggestion?: string): void {
    this.#problems.warn(keyPlaceAt(this.#tree, path), pathText(path), message, suggestion);
  }
}

function shapeOf(rule: PolicyRule): string {
  const { stages, detect = null, when = null, unless = null, mode = null, rollout = null } = rule;
  return JSON.stringify([[...stages].sort(), detect, when, unless, mode, rollout]);
}
