// What a schema cannot say of the exemptions of a policy.

import { matchesGlob } from "../glob.ts";
import type { PolicyExemption } from "./document.ts";
import type { Meaning } from "./meaning.ts";
import type { ConditionCheck } from "./meaning-condition.ts";
import { didYouMean } from "./problem.ts";
import { isMoment } from "./reporter.ts";
import type { TreePath } from "./tree-path.ts";

/** Checks exemptions. */
export class ExemptionCheck {
  readonly #about: Meaning;
  readonly #conditions: ConditionCheck;
  /** Ids of all rules, those of packs included; undefined when some are not known. */
  readonly #ruleIds: readonly string[] | undefined;

  constructor(about: Meaning, conditions: ConditionCheck, ruleIds: readonly string[] | undefined) {
    this.#about = about;
    this.#conditions = conditions;
    this.#ruleIds = ruleIds;
  }

  /** All exemptions. */
  exemptions(): void {
    for (const [index, exemption] of this.#about.report.sound("exemptions", this.#about.policy.exemptions ?? [])) {
      this.#exemption(exemption, ["exemptions", index]);
    }
  }

  #exemption({ id, when, rules, expires }: PolicyExemption, path: TreePath): void {
    if (this.#conditions.reads(when, [...path, "when"]).has("tool")) {
      this.#about.report.error([...path, "when"], 'an exemption cannot read "tool": it holds at every stage');
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
          [...path, "rules", at],
          `exemption "${id}": no rule fits "${glob}"`,
          didYouMean(glob, ids),
        );
      } else if (fitting.every((rule) => locked.includes(rule))) {
        this.#about.report.warn(
          [...path, "rules", at],
          `exemption "${id}": all that "${glob}" fits is locked by its pack`,
        );
      }
    }
  }

  #expiry(id: string, expires: string, path: TreePath): void {
    const { report } = this.#about;
    if (!isMoment(expires)) report.error([...path, "expires"], `"${expires}" is not a date`);
    else if (report.isPast(expires)) {
      report.warn([...path, "expires"], `exemption "${id}" has no effect any more: it expired at ${expires}`);
    }
  }
}
