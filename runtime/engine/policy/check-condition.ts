// Compiles the conditions of a policy to find their problems.

import type { SemanticCheck } from "./check-context.ts";
import { ConditionCompiler, isConditionProblem } from "./condition.ts";
import type { TreePath } from "./tree-path.ts";

/** Checks conditions. */
export class ConditionCheck {
  readonly #about: SemanticCheck;
  readonly #compiler: ConditionCompiler;

  constructor(about: SemanticCheck) {
    this.#about = about;
    this.#compiler = new ConditionCompiler(about.policy.lists ?? {});
  }

  /** The names that a condition reads; none for an invalid condition, which is reported. */
  reads(source: string, path: TreePath): ReadonlySet<string> {
    const result = this.#compiler.compile(source);
    if (!isConditionProblem(result)) return result.reads;
    const { report, isInForce } = this.#about;
    if (isInForce && result.standIn !== undefined) {
      report.warn("condition_too_expensive", path, `${result.message}; until then the rule is unjudged`);
      return result.standIn.reads;
    }
    const code = result.standIn === undefined ? "invalid_condition" : "condition_too_expensive";
    report.error(code, path, result.message, result.suggestion, result.part);
    return new Set();
  }
}
