// Conditions of a policy, compiled to find what is wrong with them.

import { ConditionCompiler, isConditionProblem } from "./condition.ts";
import type { Meaning } from "./meaning.ts";
import type { TreePath } from "./tree-path.ts";

/** Checks conditions. */
export class ConditionCheck {
  readonly #about: Meaning;
  readonly #compiler: ConditionCompiler;

  constructor(about: Meaning) {
    this.#about = about;
    this.#compiler = new ConditionCompiler(about.policy.lists ?? {});
  }

  /** The names that a condition reads; none for one that is wrong, which is reported. */
  reads(source: string, path: TreePath): ReadonlySet<string> {
    const result = this.#compiler.compile(source);
    if (!isConditionProblem(result)) return result.reads;
    this.#about.report.error(path, result.message, result.suggestion, result.offset);
    return new Set();
  }
}
