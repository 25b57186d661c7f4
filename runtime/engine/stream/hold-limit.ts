// Tracks rules that are no longer judged because their matches would need more text than a stream may hold back. Their
// `on_error` decides.

import { create } from "@bufbuild/protobuf";
import { type Unjudged, UnjudgedSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { FailMode, Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { Evaluation } from "../evaluate/evaluation.ts";
import type { CompiledRule } from "../policy-plan/compiled-policy.ts";

/** The detectors that a stream left unjudged. */
export class HoldLimit {
  readonly #unjudged = new Map<string, Unjudged>();
  #strictest: Outcome = Outcome.ALLOW;

  /** The strictest action of the rules that fail closed; ALLOW when there are none. */
  get strictest(): Outcome {
    return this.#strictest;
  }

  /** Stops judging a rule by a detector. */
  leave(rule: CompiledRule, key: string): void {
    for (const { specKey, detector, onError } of rule.terms) {
      if (specKey !== key) continue;
      const gap = create(UnjudgedSchema, { detector, reason: "hold_limit", onError });
      this.#unjudged.set(`${detector}/${onError}`, gap);
      if (onError === FailMode.FAIL_CLOSED && rule.action > this.#strictest) this.#strictest = rule.action;
    }
  }

  /** The verdict with the unjudged detectors added, and at least as strict as their rules demand. */
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
