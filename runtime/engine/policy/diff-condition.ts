// What another condition does. Two conditions are compared by the parts that && or || joins, in one spelling.

import { type Effect, growth, inverse } from "./change.ts";
import { partsJoinedBy } from "./condition-part.ts";

/** What a change of `when` does; undefined conditions hold always. "neutral": it says the same. */
export function whenEffect(before: string | undefined, after: string | undefined): Effect {
  return withTool(truthEffect(before, after, true), before, after);
}

/** What a change of `unless` does; undefined conditions hold never. "neutral": it says the same. */
export function unlessEffect(before: string | undefined, after: string | undefined): Effect {
  return withTool(inverse(truthEffect(before, after, false)), before, after);
}

/** "stricter" when the condition can only have become true more often. */
export function truthEffect(before: string | undefined, after: string | undefined, byDefault: boolean): Effect {
  if (before === undefined || after === undefined) {
    if (before === after) return "neutral";
    return (before === undefined) === byDefault ? "weaker" : "stricter";
  }
  const conjuncts = inverse(growth(partsJoinedBy("&&", before), partsJoinedBy("&&", after)));
  if (conjuncts !== "unknown") return conjuncts;
  return growth(partsJoinedBy("||", before), partsJoinedBy("||", after));
}

// A condition that reads `tool` keeps its rule to tool calls, whatever its value.
function withTool(effect: Effect, before: string | undefined, after: string | undefined): Effect {
  const [was, is] = [readsTool(before), readsTool(after)];
  if (effect === "stricter" && is && !was) return "unknown";
  return effect === "weaker" && was && !is ? "unknown" : effect;
}

function readsTool(source: string | undefined): boolean {
  return source !== undefined && /\btool\b/.test(source);
}
