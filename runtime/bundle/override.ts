// Overrides: the rules that a signed activation keeps in shadow for a while.

import type { ActivationPayload } from "../../src/kit/bundle/statement-payload.ts";
import type { Engine } from "../engine/engine.ts";

/** The engine with the rules in shadow that an activation names: the engine itself when it names none. */
export function withOverrides(engine: Engine, { overrides = [] }: Pick<ActivationPayload, "overrides">): Engine {
  if (overrides.length === 0) return engine;
  return engine.demoting(
    overrides.map(({ policy_id: policyId, rule_id: ruleId, until }) => ({
      ...{ policyId, ruleId, untilMs: Date.parse(until) },
    })),
  );
}

/** Whether two activations name the same overrides. */
export function hasSameOverrides(
  { overrides: one = [] }: Pick<ActivationPayload, "overrides">,
  { overrides: other = [] }: Pick<ActivationPayload, "overrides">,
): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
