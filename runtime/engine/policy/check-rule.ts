// Checks the rules of a policy beyond what a schema can express.

import type { ConditionCheck } from "./check-condition.ts";
import type { SemanticCheck } from "./check-context.ts";
import type { DetectorCheck } from "./check-detector.ts";
import { checkShadow } from "./check-shadow.ts";
import type { PolicyRule } from "./document.ts";
import { detectTerms } from "./reference.ts";
import type { TreePath } from "./tree-path.ts";

/** Checks rules. */
export class RuleCheck {
  readonly #about: SemanticCheck;
  readonly #detectors: DetectorCheck;
  readonly #conditions: ConditionCheck;

  constructor(about: SemanticCheck, detectors: DetectorCheck, conditions: ConditionCheck) {
    this.#about = about;
    this.#detectors = detectors;
    this.#conditions = conditions;
  }

  /** Checks all rules. */
  rules(): void {
    for (const [index, rule] of this.#about.report.sound("rules", this.#about.policy.rules))
      this.#rule(rule, ["rules", index]);
  }

  #rule(rule: PolicyRule, path: TreePath): void {
    if (rule.detect === undefined && rule.when === undefined) {
      this.#about.report.error("empty_rule", path, `rule "${rule.id}" needs "detect", "when" or both`);
    }
    if (rule.detect !== undefined) this.#detectors.detect(rule.detect, [...path, "detect"]);
    for (const key of ["when", "unless"] as const) {
      const source = rule[key];
      if (source === undefined) continue;
      const reads = this.#conditions.reads(source, [...path, key]);
      if (reads.has("finding") && rule.detect === undefined) {
        this.#about.report.error("misplaced_variable", [...path, key], 'only a rule with "detect" has a "finding"');
      }
      if (reads.has("finding") && needsSeveral(rule.detect)) {
        this.#about.report.warn(
          "divided_condition",
          [...path, key],
          `the rule needs several detectors, and counts only findings for which "${key}" ${key === "when" ? "holds" : "does not hold"}: each detector needs one`,
        );
      }
      if (reads.has("tool") && rule.stages.some((stage) => stage !== "tool_call")) {
        this.#about.report.error(
          "misplaced_variable",
          [...path, key],
          '"tool" exists at the stage tool_call only; the rule has to name no other stage',
        );
      }
    }
    this.#effect(rule, path);
  }

  #effect(rule: PolicyRule, path: TreePath): void {
    if (rule.action === "REDACT" && rule.detect === undefined && rule.stages.includes("tool_call")) {
      this.#about.report.error(
        "invalid_redaction",
        [...path, "action"],
        'a rule without "detect" has nothing to rewrite at the stage tool_call',
      );
    }
    if (rule.redact !== undefined && rule.action !== "REDACT") {
      this.#about.report.warn(
        "no_effect",
        [...path, "redact"],
        `"redact" has no effect on a rule whose action is ${rule.action}`,
      );
    }
    const mode = rule.mode ?? this.#about.policy.defaults?.mode;
    checkShadow(rule, mode, path, this.#about.report);
    this.#redaction(rule, path);
    if (rule.locked === true && !this.#about.isPack) {
      this.#about.report.warn(
        "no_effect",
        [...path, "locked"],
        `"locked" has no effect on rule "${rule.id}": it is about rules of guard packs`,
      );
    }
    if (mode === "off") this.#about.report.warn("no_effect", path, `rule "${rule.id}" never matches: its mode is off`);
    if (rule.rollout?.percent === 0)
      this.#about.report.warn("no_effect", [...path, "rollout"], `rule "${rule.id}" never takes effect: 0 percent`);
  }

  #redaction({ redact }: PolicyRule, path: TreePath): void {
    const { style = "placeholder", reversible, ttl } = redact ?? {};
    if (reversible === true && style !== "placeholder") {
      this.#about.report.error(
        "invalid_redaction",
        [...path, "redact", "reversible"],
        `only a placeholder can be put back, not the style ${style}`,
      );
    }
    if (ttl !== undefined && reversible !== true) {
      this.#about.report.error(
        "invalid_redaction",
        [...path, "redact", "ttl"],
        '"ttl" says how long an original is kept, so it needs "reversible: true"',
      );
    }
  }
}

function needsSeveral(detect: PolicyRule["detect"]): boolean {
  return detect !== undefined && detectTerms(detect).atLeast > 1;
}
