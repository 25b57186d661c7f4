// Checks the detectors of a policy, and the rules that name them, beyond what a schema can express.

import type { DetectorDefinition } from "../detectors/detector.ts";
import { bundleLimits, patternsOverEveryText } from "../scan/bundle-limit.ts";
import { planOf } from "../scan/spec-plan.ts";
import { matchesGlob } from "../text/glob.ts";
import { fingerprint } from "./change.ts";
import type { SemanticCheck } from "./check-context.ts";
import type { DetectTerm, PolicyRule } from "./document.ts";
import { checkSchema } from "./json-schema.ts";
import { didYouMean } from "./problem.ts";
import {
  asReference,
  backendOf,
  detectorKeys,
  detectTerms,
  parameterSchema,
  parametersOf,
  resolveDetector,
} from "./reference.ts";
import type { SourceMap } from "./source-tree.ts";
import { nodeAt, parsePath, pathText, type TreePath } from "./tree-path.ts";

/** Checks detectors and the terms that refer to them. */
export class DetectorCheck {
  readonly #about: SemanticCheck;
  readonly #used = new Set<string>();

  constructor(about: SemanticCheck) {
    this.#about = about;
  }

  /** Checks the named detectors. */
  detectors(): void {
    for (const [name, use] of Object.entries(this.#about.policy.detectors ?? {})) {
      const path = ["detectors", name];
      if (!this.#about.report.isSound(pathText(path))) continue;
      const definition = this.#about.definitions.get(use.use);
      if (definition === undefined) {
        const suggestion = didYouMean(use.use, this.#about.definitions.keys());
        this.#about.report.error(
          "unknown_detector",
          [...path, "use"],
          `the catalog has no detector "${use.use}"`,
          suggestion,
        );
        continue;
      }
      if (definition.id === "backend" && use.backend === undefined) {
        this.#about.report.error(
          "invalid_detector",
          [...path, "use"],
          'the detector "backend" needs the key of a detector backend in "backend"',
        );
        continue;
      }
      this.#checkAsk(backendOf(use)?.ask?.between, [...path, "backend", "ask", "between"], definition);
      const before = this.#about.problems.count;
      this.#checkParameters(path, definition);
      if (this.#about.problems.count > before) continue;
      for (const { path: at, message, suggestion } of definition.check(parametersOf(use, definition))) {
        this.#about.report.error("invalid_detector", [...path, ...parsePath(at)], message, suggestion);
      }
    }
  }

  /** Checks the thresholds between which a backend is asked. */
  #checkAsk(between: readonly [number, number] | undefined, path: TreePath, { id, floor }: DetectorDefinition): void {
    if (between === undefined) return;
    const [low, high] = between;
    if (id === "backend")
      this.#about.report.error(
        "invalid_detector",
        path,
        'the detector "backend" has no score of its own that could be between thresholds',
      );
    else if (low > high) this.#about.report.error("invalid_detector", path, "expected the lower threshold first");
    else if (low > 0 && low < floor)
      this.#about.report.error(
        "invalid_detector",
        path,
        `"${id}" reports no scores below ${floor}: begin with 0, or with ${floor} or more`,
      );
  }

  #checkParameters(path: TreePath, definition: DetectorDefinition): void {
    const node = nodeAt(this.#about.tree, path);
    if (node?.kind !== "map") return;
    const entries = [...node.entries].filter(([key]) => !detectorKeys.includes(key));
    const parameters: SourceMap = { ...node, entries: new Map(entries) };
    checkSchema(parameters, parameterSchema(definition), pathText(path), this.#about.problems);
  }

  /** Checks the `detect` of a rule. */
  detect(detect: NonNullable<PolicyRule["detect"]>, path: TreePath): void {
    const { terms, atLeast, path: inner } = detectTerms(detect);
    const isList = inner.length > 0;
    if (atLeast > 1) this.#repeated(terms, [...path, ...inner]);
    for (const [index, term] of terms.entries()) this.#term(term, isList ? [...path, ...inner, index] : path);
    if (atLeast > terms.length) {
      this.#about.report.error(
        "out_of_range",
        [...path, "quorum", "at_least"],
        `expected at most ${terms.length}, the number of detectors`,
      );
    }
  }

  #repeated(terms: readonly DetectTerm[], path: TreePath): void {
    const seen = new Set<string>();
    for (const [index, term] of terms.entries()) {
      const same = fingerprint(asReference(term));
      if (seen.has(same)) {
        const message = `the detector "${asReference(term).ref}" is listed twice, so that one finding counts for both`;
        this.#about.report.warn("repeated_detector", [...path, index], message);
      }
      seen.add(same);
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
        this.#about.report.error(
          "unknown_detector",
          namePath,
          `neither the policy nor the catalog has a detector "${ref}"`,
          suggestion,
        );
      }
      return;
    }
    const { definition, parameters } = detector;
    this.#known(entities, definition.entities, "entity", ref, [...path, "entities"]);
    const configured = parameters.entities;
    for (const entity of entities ?? []) {
      if (!Array.isArray(configured) || configured.includes(entity) || !definition.entities.includes(entity)) continue;
      this.#about.report.error(
        "unknown_entity",
        [...path, "entities"],
        `the detector "${ref}" is set to other entities than "${entity}"`,
      );
    }
    const { category } = parameters;
    const known = typeof category === "string" ? [...definition.categories, category] : definition.categories;
    if (known.length > 0) this.#known(categories, known, "category", ref, [...path, "categories"]);
    if (!names.includes(ref)) this.#defaultParameters(definition, entities, namePath);
  }

  /** A rule that uses a catalog detector directly gives it no parameters; some detectors require them. */
  #defaultParameters(definition: DetectorDefinition, entities: readonly string[] | undefined, path: TreePath): void {
    const required = definition.parameters.required;
    const missing = Array.isArray(required)
      ? required.filter((key) => key !== "entities" || entities === undefined)
      : [];
    if (missing.length === 0) return;
    const message = `the detector "${definition.id}" needs ${missing.join(", ")}; name it under "detectors"`;
    this.#about.report.error("invalid_detector", path, message);
  }

  #known(
    given: readonly string[] | undefined,
    known: readonly string[],
    what: "entity" | "category",
    ref: string,
    path: TreePath,
  ): void {
    for (const [index, value] of (given ?? []).entries()) {
      if (known.some((each) => matchesGlob(value, each))) continue;
      const message = `the detector "${ref}" has no ${what} "${value}"`;
      this.#about.report.error(`unknown_${what}`, [...path, index], message, didYouMean(value, known));
    }
  }

  /**
   * Refuses more patterns that run over every text than a bundle allows for all its policies together, so that the
   * author learns of it before publishing.
   */
  patterns(): void {
    const { policy, report, definitions } = this.#about;
    const uses = [...this.#used].flatMap((name) => {
      const detector = resolveDetector(policy, name, definitions);
      return detector?.definition.id === "regex" ? [detector.parameters] : [];
    });
    const limit = bundleLimits.patternsWithoutLiteral;
    const max = uses.reduce((sum, { patterns }) => sum + (Array.isArray(patterns) ? patterns.length : 0), 0);
    if (max <= limit) return;
    const count = patternsOverEveryText(
      uses.map((parameters) => ({ use: "regex", plan: planOf({ key: "", use: "regex", parameters }, new Map()) })),
    );
    if (count <= limit) return;
    const message = `the policy has ${count} patterns without a required literal, and a bundle takes ${limit} of all its policies: give them one`;
    report.error("too_many_patterns", ["detectors"], message);
  }

  /** Warns about named detectors that no rule uses. */
  leftovers(): void {
    for (const name of Object.keys(this.#about.policy.detectors ?? {})) {
      if (!this.#used.has(name))
        this.#about.report.warn("unused_detector", ["detectors", name], `no rule uses the detector "${name}"`);
    }
  }
}
