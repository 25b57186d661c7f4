// Checks the exemptions of a policy beyond what a schema can express.

import { matchesGlob } from "../text/glob.ts";
import type { ConditionCheck } from "./check-condition.ts";
import type { SemanticCheck } from "./check-context.ts";
import type { PolicyExemption } from "./document.ts";
import { didYouMean } from "./problem.ts";
import { isTimestamp } from "./reporter.ts";
import type { TreePath } from "./tree-path.ts";

/** Checks exemptions. */
export class ExemptionCheck {
  readonly #about: SemanticCheck;
  readonly #conditions: ConditionCheck;
  /** Ids of all rules, including those of packs; undefined when some are unknown. */
  readonly #ruleIds: readonly string[] | undefined;

  constructor(about: SemanticCheck, conditions: ConditionCheck, ruleIds: readonly string[] | undefined) {
    this.#about = about;
    this.#conditions = conditions;
    this.#ruleIds = ruleIds;
  }

  /** Checks all exemptions. */
  exemptions(): void {
    for (const [index, exemption] of this.#about.report.sound("exemptions", this.#about.policy.exemptions ?? [])) {
      this.#exemption(exemption, ["exemptions", index]);
    }
  }

  #exemption({ id, when, rules, expires }: PolicyExemption, path: TreePath): void {
    if (this.#conditions.reads(when, [...path, "when"]).has("tool")) {
      this.#about.report.error(
        "misplaced_variable",
        [...path, "when"],
        'an exemption cannot read "tool": it applies at every stage',
      );
    }
    if (expires !== undefined) this.#expiry(id, expires, path);
    const ids = this.#ruleIds;
    if (ids === undefined) return;
    const locked = this.#about.extension.layers.flatMap(({ prefix, document }) =>
      document.rules.filter((rule) => rule.locked === true).map((rule) => prefix + rule.id),
    );
    for (const [at, glob] of rules.entries()) {
      const fitting = ids.filter((rule) => matchesGlob(glob, rule));
      if (fitting.length === 0) {
        this.#about.report.warn(
          "unmatched_exemption",
          [...path, "rules", at],
          `exemption "${id}": no rule matches "${glob}"`,
          didYouMean(glob, ids),
        );
      } else if (fitting.every((rule) => locked.includes(rule))) {
        this.#about.report.warn(
          "locked_rules",
          [...path, "rules", at],
          `exemption "${id}": every rule that matches "${glob}" is locked by its pack`,
        );
      }
    }
  }

  #expiry(id: string, expires: string, path: TreePath): void {
    const { report } = this.#about;
    if (!isTimestamp(expires)) report.error("invalid_date", [...path, "expires"], `"${expires}" is not a date`);
    else if (report.isPast(expires)) {
      report.warn(
        "expired",
        [...path, "expires"],
        `exemption "${id}" has no effect any more: it expired at ${expires}`,
      );
    }
  }
}
