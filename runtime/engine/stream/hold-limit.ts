// Rules that are not judged any more, since their matches would need more text than a stream may hold back. Their `on_error` decides.

import { create } from "@bufbuild/protobuf";
import { type Unjudged, UnjudgedSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { FailMode, Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { CompiledRule } from "../compiled-policy.ts";
import type { Evaluation } from "../evaluation.ts";

/** What a stream left unjudged. */
export class HoldLimit {
  readonly #unjudged = new Map<string, Unjudged>();
  #strictest: Outcome = Outcome.ALLOW;

  /** The strictest action of the rules that fail closed; ALLOW when there are none. */
  get strictest(): Outcome {
    return this.#strictest;
  }

  /** Takes a detector of a rule out of the judgement. */
  leave(rule: CompiledRule, key: string): void {
    for (const { specKey, detector, onError } of rule.terms) {
      if (specKey !== key) continue;
      const gap = create(UnjudgedSchema, { detector, reason: "hold_limit", onError });
      this.#unjudged.set(`${detector}/${onError}`, gap);
      if (onError === FailMode.FAIL_CLOSED && rule.action > this.#strictest) this.#strictest = rule.action;
    }
  }

  /** The verdict with what was left unjudged, and as strict as that says. */
  applied(evaluation: Evaluation): Evaluation {
    if (this.#unjudged.size === 0) return evaluation;
    const { response } = evaluation;
    const outcome = stricterOf(response.outcome, this.#strictest);
    const more = [...this.#unjudged.values()];
    return {
      ...evaluation,
      unjudged: [...evaluation.unjudged, ...more],
      response: {
        ...response,
        outcome,
        blocked: outcome === Outcome.BLOCK,
        wouldBeOutcome: stricterOf(response.wouldBeOutcome, outcome),
        unjudged: [...response.unjudged, ...more],
      },
    };
  }
}

function stricterOf(a: Outcome, b: Outcome): Outcome {
  return a > b ? a : b;
}
