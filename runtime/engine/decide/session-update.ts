// The changes that an evaluation makes to its session.

import { Outcome, Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { nameOf, stages, trustName } from "../policy/enum-names.ts";
import type { TextSegment } from "../segment/segment.ts";
import { names, type SessionUpdate } from "../segment/session.ts";
import { isEnforced, type Match } from "./match.ts";

/**
 * The update of the session after an evaluation. Blocked items do not count as seen, since neither the model nor a tool
 * received them; their findings count all the same.
 */
export function sessionUpdateOf(
  stage: Stage,
  segments: readonly TextSegment[],
  matches: readonly Match[],
  outcome: Outcome,
): SessionUpdate {
  const isBlocked = outcome === Outcome.BLOCK;
  const passed = isBlocked ? passedItems(stage, segments, matches) : segments;
  const counts = new Map<string, number>();
  for (const { category } of matches) counts.set(category, (counts.get(category) ?? 0) + 1);
  const kept = names(counts.keys());
  return {
    turns: 1,
    blocks: isBlocked ? 1 : 0,
    seen: names(passed.map((segment) => `${nameOf(stages, segment.stage ?? stage)}/${trustName(segment.trust)}`)),
    origins: names(passed.map(({ origin }) => origin)),
    tools: names(passed.map(({ call }) => call?.name ?? "")),
    categories: Object.fromEntries(kept.map((name) => [name, counts.get(name) ?? 0])),
  };
}

/** The unit that is passed on or held back as a whole: a call with its arguments, or a segment. */
export function itemOf(segments: readonly TextSegment[], index: number): TextSegment["call"] | number {
  return segments[index]?.call ?? index;
}

/** The items that are blocked. */
export function blockedItems(
  segments: readonly TextSegment[],
  matches: readonly Match[],
): ReadonlySet<ReturnType<typeof itemOf>> {
  const blocking = matches.filter((match) => isEnforced(match) && match.rule.action === Outcome.BLOCK);
  return new Set(blocking.map(({ segment }) => itemOf(segments, segment)));
}

/** Some of several calls or retrieved chunks may be blocked while others pass. */
function passedItems(stage: Stage, segments: readonly TextSegment[], matches: readonly Match[]): TextSegment[] {
  const blocked = blockedItems(segments, matches);
  return segments.filter(
    ({ call }, index) => (call !== undefined || stage === Stage.RETRIEVAL) && !blocked.has(itemOf(segments, index)),
  );
}
