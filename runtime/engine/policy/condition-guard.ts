// Enforces the limits of a condition while it is evaluated: sums that grow too large are refused, and iterations over a
// list stop when the time of the evaluation is over. The library has no hooks for this and no way to override its
// overloads, so the nodes of its syntax tree are wrapped; condition.ts proves on loading that this works.

import type { ASTNode } from "@marcbachmann/cel-js";
import { builtLimits, isTooLarge } from "./condition-size.ts";

/** Why a condition has no value. */
export type ConditionFailure = "condition_error" | "condition_too_expensive" | "timeout";

/** A condition has no value for these facts, for example because it reads an argument that was not sent. */
export class ConditionFailed extends Error {
  override readonly name = "ConditionFailed";
  readonly reason: ConditionFailure;

  constructor(message: string, reason: ConditionFailure = "condition_error") {
    super(message);
    this.reason = reason;
  }
}

/** Steps between two reads of the clock: about a millisecond. */
const stepsPerLook = 100_000;

// One shared object: a list may end with an error for each of its elements, and capturing stacks is what makes errors
// expensive.
const outOfTime = new ConditionFailed("the time of the evaluation is over", "timeout");

/** The time limit of a condition. */
export class ConditionTime {
  #isOver: () => boolean = () => false;
  #wasOver = false;
  #left = stepsPerLook;

  /**
   * Evaluates within the time limit. A condition that ran out of time has no value, even if `||` or exists() continued
   * without the failed part.
   */
  within<T>(isOver: (() => boolean) | undefined, evaluate: () => T): T {
    this.#isOver = isOver ?? (() => false);
    this.#wasOver = false;
    this.#left = stepsPerLook;
    const value = evaluate();
    if (this.#wasOver) throw outOfTime;
    return value;
  }

  /** Spends steps. Throws when the time is over. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left > 0) return;
    this.#left = stepsPerLook;
    this.#wasOver ||= this.#isOver();
    if (this.#wasOver) {
      this.#left = 0;
      throw outOfTime;
    }
  }
}

/** Refuses values of a sum that are too large. */
export function guardSum(node: ASTNode): void {
  wrap(node, (evaluate) => {
    const value = evaluate();
    if (isTooLarge(value)) {
      const [units, elements] = [builtLimits.units, builtLimits.elements].map((limit) => limit.toLocaleString("en"));
      const message = `"+" may build ${units} characters or ${elements} elements at most`;
      throw new ConditionFailed(message, "condition_too_expensive");
    }
    return value;
  });
}

/** Spends the steps of an expression that is evaluated for each element of a list. */
export function guardRepeated(node: ASTNode, steps: number, time: ConditionTime): void {
  wrap(node, (evaluate) => {
    time.spend(steps);
    return evaluate();
  });
}

/** Reports each value of a node. */
export function observeValues(node: ASTNode, observer: (value: unknown) => void): void {
  wrap(node, (evaluate) => {
    const value = evaluate();
    observer(value);
    return value;
  });
}

/**
 * The function that the library calls for the value of a node. On the first call the library replaces it through the
 * setter.
 */
interface Evaluated {
  evaluate: (evaluator: unknown, node: unknown, context: unknown) => unknown;
}

function wrap(node: ASTNode, around: (evaluate: () => unknown) => unknown): void {
  // The library's types omit this member.
  let { evaluate: inner } = node as unknown as Evaluated;
  const wrapped: Evaluated["evaluate"] = (evaluator, own, context) =>
    around(() => inner.call(node, evaluator, own, context));
  // A node may be wrapped twice: the library's replacement belongs into the innermost wrapper.
  const replace = Object.getOwnPropertyDescriptor(node, "evaluate")?.set;
  Object.defineProperty(node, "evaluate", {
    configurable: true,
    get: () => wrapped,
    set:
      replace ??
      ((found: Evaluated["evaluate"]) => {
        inner = found;
      }),
  });
}
