// What a schema cannot say of the detectors of a policy and of the rules that name them.

import type { DetectorDefinition } from "../detector.ts";
import { matchesGlob } from "../glob.ts";
import type { DetectTerm, PolicyRule } from "./document.ts";
import { checkSchema } from "./json-schema.ts";
import type { Meaning } from "./meaning.ts";
import { didYouMean } from "./problem.ts";
import { asReference, detectorKeys, detectTerms, parameterSchema, parametersOf, resolveDetector } from "./reference.ts";
import type { SourceMap } from "./source-tree.ts";
import { nodeAt, parsePath, pathText, type TreePath } from "./tree-path.ts";

/** Checks detectors and the terms that refer to them. */
export class DetectorCheck {
  readonly #about: Meaning;
  readonly #used = new Set<string>();

  constructor(about: Meaning) {
    this.#about = about;
  }

  /** The named detectors. */
  detectors(): void {
    for (const [name, use] of Object.entries(this.#about.policy.detectors ?? {})) {
      const path = ["detectors", name];
      if (!this.#about.report.isSound(pathText(path))) continue;
      const definition = this.#about.definitions.get(use.use);
      if (definition === undefined) {
        const suggestion = didYouMean(use.use, this.#about.definitions.keys());
        this.#about.report.error([...path, "use"], `the catalog has no detector "${use.use}"`, suggestion);
        continue;
      }
      if (definition.id === "backend" && use.backend === undefined) {
        this.#about.report.error(
          [...path, "use"],
          'the detector "backend" needs the key of a detector backend in "backend"',
        );
        continue;
      }
      const before = this.#about.problems.count;
      this.#checkParameters(path, definition);
      if (this.#about.problems.count > before) continue;
      for (const { path: at, message, suggestion } of definition.check(parametersOf(use, definition))) {
        this.#about.report.error([...path, ...parsePath(at)], message, suggestion);
      }
    }
  }

  #checkParameters(path: TreePath, definition: DetectorDefinition): void {
    const node = nodeAt(this.#about.tree, path);
    if (node?.kind !== "map") return;
    const entries = [...node.entries].filter(([key]) => !detectorKeys.includes(key));
    const parameters: SourceMap = { ...node, entries: new Map(entries) };
    checkSchema(parameters, parameterSchema(definition), pathText(path), this.#about.problems);
  }

  /** What a rule detects. */
  detect(detect: NonNullable<PolicyRule["detect"]>, path: TreePath): void {
    const { terms, atLeast, path: inner } = detectTerms(detect);
    const isList = inner.length > 0;
    for (const [index, term] of terms.entries()) this.#term(term, isList ? [...path, ...inner, index] : path);
    if (atLeast > terms.length) {
      this.#about.report.error(
        [...path, "quorum", "at_least"],
        `expected at most ${terms.length}, the number of detectors`,
      );
    }
  }

  #term(term: DetectTerm, path: TreePath): void {
    const { ref, entities, categories } = asReference(term);
    const namePath = typeof term === "string" ? path : [...path, "ref"];
    this.#used.add(ref);
    const names = Object.keys(this.#about.policy.detectors ?? {});
    const detector = resolveDetector(this.#about.policy, ref, this.#about.definitions);
    if (detector === undefined) {
      if (!names.includes(ref)) {
        const suggestion = didYouMean(ref, [...names, ...this.#about.definitions.keys()]);
        this.#about.report.error(namePath, `neither the policy nor the catalog has a detector "${ref}"`, suggestion);
      }
      return;
    }
    const { definition, parameters } = detector;
    this.#known(entities, definition.entities, "entity", ref, [...path, "entities"]);
    const configured = parameters.entities;
    for (const entity of entities ?? []) {
      if (!Array.isArray(configured) || configured.includes(entity) || !definition.entities.includes(entity)) continue;
      this.#about.report.error(
        [...path, "entities"],
        `the detector "${ref}" is set to other entities than "${entity}"`,
      );
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
    this.#about.report.error(path, message);
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
      this.#about.report.error([...path, index], message, didYouMean(value, known));
    }
  }

  /** Warns of named detectors that no rule uses. */
  leftovers(): void {
    for (const name of Object.keys(this.#about.policy.detectors ?? {})) {
      if (!this.#used.has(name)) this.#about.report.warn(["detectors", name], `no rule uses the detector "${name}"`);
    }
  }
}
