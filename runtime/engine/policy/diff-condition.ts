// The effect of a changed condition. Two conditions are compared by the parts that && or || joins, in canonical
// spelling.

import { type Effect, growth, inverse, jointEffect } from "./change.ts";
import { namesIn, partsJoinedBy } from "./condition-part.ts";
import type { FailModeName } from "./document.ts";

/** How a condition without a value counts; "both" when that depends on the detector. */
export type Failing = FailModeName | "both";

/** The effect of a change of `when`; an undefined condition always holds. "neutral" means that both say the same. */
export function whenEffect(before: string | undefined, after: string | undefined, failing: Failing): Effect {
  const failed = failing === "both" ? undefined : failing === "fail_closed";
  return withTool(truthEffect(before, after, { byDefault: true, failed }), before, after);
}

/** The effect of a change of `unless`; an undefined condition never holds. "neutral" means that both say the same. */
export function unlessEffect(before: string | undefined, after: string | undefined, failing: Failing): Effect {
  const failed = failing === "both" ? undefined : failing === "fail_open";
  return withTool(inverse(truthEffect(before, after, { byDefault: false, failed })), before, after);
}

/** How an absent condition counts, and one without a value; undefined when that depends. */
interface Otherwise {
  readonly byDefault: boolean;
  readonly failed: boolean | undefined;
}

/** "stricter" when the condition can only have become true more often. */
export function truthEffect(before: string | undefined, after: string | undefined, otherwise: Otherwise): Effect {
  if (before === undefined || after === undefined) {
    if (before === after) return "neutral";
    return (before === undefined) === otherwise.byDefault ? "weaker" : "stricter";
  }
  const conjuncts = inverse(growth(partsJoinedBy("&&", before), partsJoinedBy("&&", after)));
  const effect = conjuncts === "unknown" ? growth(partsJoinedBy("||", before), partsJoinedBy("||", after)) : conjuncts;
  return jointEffect([effect, sessionEffect(before, after, otherwise)]);
}

// A condition that reads an unknown session has no value, whatever its other parts are.
function sessionEffect(before: string, after: string, { failed }: Otherwise): Effect {
  const [was, is] = [before, after].map((source) => namesIn(source).has("session"));
  if (was === is) return "neutral";
  if (failed === undefined) return "unknown";
  return is === failed ? "stricter" : "weaker";
}

// A condition that reads `tool` limits its rule to tool calls, whatever its value.
function withTool(effect: Effect, before: string | undefined, after: string | undefined): Effect {
  const [was, is] = [readsTool(before), readsTool(after)];
  if (effect === "stricter" && is && !was) return "unknown";
  return effect === "weaker" && was && !is ? "unknown" : effect;
}

function readsTool(source: string | undefined): boolean {
  return source !== undefined && /\btool\b/.test(source);
}
