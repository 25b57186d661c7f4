// What a schema cannot say of a policy: that names refer to something, that conditions have the right types, that a rule
// can ever matter. All problems at once.

import type { DetectorDefinition } from "../detector.ts";
import { matchesGlob } from "../glob.ts";
import { ConditionCompiler, isConditionProblem } from "./condition.ts";
import type { DetectTerm, PolicyDefaults, PolicyDocument, PolicyExemption, PolicyRule } from "./document.ts";
import type { Extension } from "./extend.ts";
import { warnOfFutileRules } from "./futile.ts";
import { checkSchema } from "./json-schema.ts";
import { checkTest } from "./meaning-test.ts";
import { didYouMean, type Problems } from "./problem.ts";
import { asReference, detectorKeys, detectTerms, parametersOf, resolveDetector } from "./reference.ts";
import { isMoment, Reporter } from "./reporter.ts";
import type { SourceMap, SourceNode } from "./source-tree.ts";
import { nodeAt, parsePath, pathText, type TreePath } from "./tree-path.ts";

/** What a document is checked against. */
export interface MeaningContext {
  readonly definitions: ReadonlyMap<string, DetectorDefinition>;
  readonly extension: Extension;
  /** The document is that of a guard pack. */
  readonly isPack: boolean;
}

/** Reports what is wrong or doubtful in a document, leaving out the parts that do not have the shape of the schema. */
export function checkMeaning(
  policy: PolicyDocument,
  tree: SourceNode,
  context: MeaningContext,
  problems: Problems,
): void {
  const check = new MeaningCheck(policy, tree, context, problems);
  check.extension();
  check.detectors();
  check.rules();
  check.duplicates();
  check.exemptions();
  check.tests();
  check.leftovers();
  check.futility();
}

class MeaningCheck {
  readonly #policy: PolicyDocument;
  readonly #tree: SourceNode;
  readonly #definitions: ReadonlyMap<string, DetectorDefinition>;
  readonly #extension: Extension;
  readonly #isPack: boolean;
  readonly #problems: Problems;
  readonly #report: Reporter;
  readonly #conditions: ConditionCompiler;
  readonly #usedDetectors = new Set<string>();

  constructor(policy: PolicyDocument, tree: SourceNode, context: MeaningContext, problems: Problems) {
    this.#policy = policy;
    this.#tree = tree;
    this.#definitions = context.definitions;
    this.#extension = context.extension;
    this.#isPack = context.isPack;
    this.#problems = problems;
    this.#report = new Reporter(tree, problems);
    this.#conditions = new ConditionCompiler(policy.lists ?? {});
  }

  extension(): void {
    for (const { index, message, suggestion, path } of this.#extension.problems) {
      this.#error(["extends", index, ...(path === undefined ? [] : ["parameters", ...path])], message, suggestion);
    }
    for (const [index, use] of this.#report.sound("extends", this.#policy.extends ?? [])) {
      if (typeof use === "object") this.#shadow(use, use.mode ?? this.#policy.defaults?.mode, ["extends", index]);
    }
    const { defaults = {} } = this.#policy;
    if (this.#allSound("defaults")) this.#shadow(defaults, defaults.mode, ["defaults"]);
  }

  #shadow({ shadow }: Pick<PolicyDefaults, "shadow">, mode: string | undefined, path: TreePath): void {
    if (shadow === undefined) return;
    if (!isMoment(shadow.until)) this.#error([...path, "shadow", "until"], `"${shadow.until}" is not a date`);
    if (mode !== "shadow") {
      this.#warn([...path, "shadow"], `"shadow" has no effect: the mode is ${mode ?? "enforce"}, not shadow`);
    }
  }

  /** Ids of all rules, those of packs included; undefined when some are not known. */
  #ruleIds(): string[] | undefined {
    if (!this.#allSound("rules") || this.#extension.problems.length > 0) return undefined;
    return [
      ...this.#policy.rules.map(({ id }) => id),
      ...this.#extension.layers.flatMap(({ prefix, document }) => document.rules.map(({ id }) => prefix + id)),
    ];
  }

  #allSound(key: string): boolean {
    return this.#report.isSound(key);
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
    for (const [index, rule] of this.#report.sound("rules", this.#policy.rules)) this.#rule(rule, ["rules", index]);
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
    this.#shadow(rule, rule.mode ?? this.#policy.defaults?.mode, path);
    this.#redaction(rule, path);
    if (rule.locked === true && !this.#isPack) {
      this.#warn([...path, "locked"], `"locked" has no effect on rule "${rule.id}": it is about rules of guard packs`);
    }
    if (mode === "off") this.#warn(path, `rule "${rule.id}" never matches: its mode is off`);
    if (rule.rollout?.percent === 0)
      this.#warn([...path, "rollout"], `rule "${rule.id}" never takes effect: 0 percent`);
  }

  #redaction({ redact }: PolicyRule, path: TreePath): void {
    const { style = "placeholder", reversible, ttl } = redact ?? {};
    if (reversible === true && style !== "placeholder") {
      this.#error([...path, "redact", "reversible"], `only a placeholder can be put back, not the style ${style}`);
    }
    if (ttl !== undefined && reversible !== true) {
      this.#error(
        [...path, "redact", "ttl"],
        '"ttl" says how long an original is kept, so it needs "reversible: true"',
      );
    }
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
    this.#report.error(path, result.message, result.suggestion, result.offset);
    return new Set();
  }

  duplicates(): void {
    this.#unique("rules", "id", this.#policy.rules, ({ id }) => id);
    this.#unique("exemptions", "id", this.#policy.exemptions ?? [], ({ id }) => id);
    this.#unique("tests", "name", this.#policy.tests ?? [], ({ name }) => name);
  }

  #unique<T>(list: string, key: string, items: readonly T[], nameOf: (item: T) => string): void {
    const seen = new Set<string>();
    for (const [index, item] of this.#report.sound(list, items)) {
      const name = nameOf(item);
      if (seen.has(name)) this.#error([list, index, key], `the ${key} "${name}" is used twice`);
      seen.add(name);
    }
  }

  exemptions(): void {
    for (const [index, exemption] of this.#report.sound("exemptions", this.#policy.exemptions ?? [])) {
      this.#exemption(exemption, ["exemptions", index]);
    }
  }

  #exemption({ id, when, rules, expires }: PolicyExemption, path: TreePath): void {
    if (this.#condition(when, [...path, "when"]).has("tool")) {
      this.#error([...path, "when"], 'an exemption cannot read "tool": it holds at every stage');
    }
    if (expires !== undefined && !isMoment(expires)) this.#error([...path, "expires"], `"${expires}" is not a date`);
    const ids = this.#ruleIds();
    if (ids === undefined) return;
    const locked = this.#extension.layers.flatMap(({ prefix, document }) =>
      document.rules.filter((rule) => rule.locked === true).map((rule) => prefix + rule.id),
    );
    for (const [at, glob] of rules.entries()) {
      const fitting = ids.filter((rule) => matchesGlob(glob, rule));
      if (fitting.length === 0) {
        this.#warn([...path, "rules", at], `exemption "${id}": no rule fits "${glob}"`, didYouMean(glob, ids));
      } else if (fitting.every((rule) => locked.includes(rule))) {
        this.#warn([...path, "rules", at], `exemption "${id}": all that "${glob}" fits is locked by its pack`);
      }
    }
  }

  tests(): void {
    const targets = { policy: this.#policy, packs: this.#extension.layers, ruleIds: this.#ruleIds() };
    for (const [index, test] of this.#report.sound("tests", this.#policy.tests ?? [])) {
      checkTest(test, ["tests", index], targets, this.#report);
    }
  }

  /** Only in a document without errors: what is wrong in one place may seem needless in another. */
  futility(): void {
    if (!this.#problems.hasErrors) warnOfFutileRules(this.#policy, this.#definitions, this.#report);
  }

  leftovers(): void {
    if (!this.#allSound("rules") || !this.#allSound("tests")) return;
    for (const name of Object.keys(this.#policy.detectors ?? {})) {
      if (!this.#usedDetectors.has(name)) this.#warn(["detectors", name], `no rule uses the detector "${name}"`);
    }
    if ((this.#policy.tests ?? []).length === 0) this.#warn([], "the policy has no tests");
  }

  #error(path: TreePath, message: string, suggestion?: string): void {
    this.#report.error(path, message, suggestion);
  }

  #warn(path: TreePath, message: string, suggestion?: string): void {
    this.#report.warn(path, message, suggestion);
  }
}
