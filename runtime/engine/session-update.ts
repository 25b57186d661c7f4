// What an evaluation adds to its session.

import { Outcome, Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { isEnforced, type Match } from "./match.ts";
import type { Piece } from "./piece.ts";
import { names, type SessionUpdate } from "./session.ts";
import { nameOf, stages, trustName } from "./wire.ts";

/**
 * What the session has seen by an evaluation. What was blocked has not been seen: neither the model nor a tool got it. What
 * was found counts all the same.
 */
export function sessionUpdateOf(
  stage: Stage,
  pieces: readonly Piece[],
  matches: readonly Match[],
  outcome: Outcome,
): SessionUpdate {
  const isBlocked = outcome === Outcome.BLOCK;
  const passed = isBlocked ? passedItems(stage, pieces, matches) : pieces;
  const counts = new Map<string, number>();
  for (const { category } of matches) counts.set(category, (counts.get(category) ?? 0) + 1);
  const kept = names(counts.keys());
  return {
    turns: 1,
    blocks: isBlocked ? 1 : 0,
    seen: names(passed.map((piece) => `${nameOf(stages, piece.stage ?? stage)}/${trustName(piece.trust)}`)),
    origins: names(passed.map(({ origin }) => origin)),
    tools: names(passed.map(({ call }) => call?.name ?? "")),
    categories: Object.fromEntries(kept.map((name) => [name, counts.get(name) ?? 0])),
  };
}

/** What is passed on or held back by itself: a call with its arguments, or a segment. */
export function itemOf(pieces: readonly Piece[], index: number): Piece["call"] | number {
  return pieces[index]?.call ?? index;
}

/** The items that are blocked. */
export function blockedItems(
  pieces: readonly Piece[],
  matches: readonly Match[],
): ReadonlySet<ReturnType<typeof itemOf>> {
  const blocking = matches.filter((match) => isEnforced(match) && match.rule.action === Outcome.BLOCK);
  return new Set(blocking.map(({ piece }) => itemOf(pieces, piece)));
}

/** Of several calls or retrieved chunks some may be blocked and others not. */
function passedItems(stage: Stage, pieces: readonly Piece[], matches: readonly Match[]): Piece[] {
  const blocked = blockedItems(pieces, matches);
  return pieces.filter(
    ({ call }, index) => (call !== undefined || stage === Stage.RETRIEVAL) && !blocked.has(itemOf(pieces, index)),
  );
}
