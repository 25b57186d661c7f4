// What goes into the queue of traces to annotate: with which rates the random lane samples, and what makes a trace
// informative. Pure functions.

import type { EvaluationRecord } from "../../../../gen/policyguard/policy/v1/record_pb.ts";

/** Strata of the random lane: how much of a day's target each gets. Most of what matters is enforced. */
const shares = new Map([
  [1, 0.5],
  [2, 0.25],
  [3, 0.25],
]);

/** Evaluations a day that are assumed of a project without a history. */
const assumedPerDay = 1_000;

/** The rate of each stratum with which a day gives about `target` traces, by what came on the days before. */
export function ratesFor(
  target: number,
  { days, strata }: { readonly days: number; readonly strata: readonly { stratum: number; evaluations: number }[] },
): { readonly stratum: number; readonly probability: number }[] {
  return [...shares].map(([stratum, share]) => {
    const counted = strata.find((each) => each.stratum === stratum)?.evaluations ?? 0;
    const expected = days === 0 ? assumedPerDay : counted / days;
    // A stratum without a history is taken whole: the limit of the queue bounds it.
    return { stratum, probability: Math.min(1, (target * share) / Math.max(expected, Number.MIN_VALUE)) };
  });
}

/** Why a trace is informative, and how much: 0 to 1. */
export interface Interest {
  readonly reason: "annotators_disagree" | "candidate_disagrees" | "unjudged" | "near_threshold" | "rare";
  readonly weight: number;
  /** The finding that is the reason; null for other reasons. */
  readonly fingerprint: string | null;
}

/** Distance from the threshold from which a score says nothing about it. */
const nearThreshold = 0.1;

/** What is most interesting about a trace. `seen` counts the fingerprints of the traces that are compared. */
export function interestOf(
  record: EvaluationRecord,
  {
    isContested,
    isDisputed,
    seen,
  }: { readonly isContested: boolean; readonly isDisputed: boolean; readonly seen: ReadonlyMap<string, number> },
): Interest | undefined {
  if (isDisputed) return { reason: "annotators_disagree", weight: 1, fingerprint: null };
  if (isContested) return { reason: "candidate_disagrees", weight: 0.9, fingerprint: null };
  if (record.unjudged.length > 0) return { reason: "unjudged", weight: 0.5, fingerprint: null };
  const [nearest] = record.findings
    .map(({ score, threshold, fingerprint }) => ({ distance: Math.abs(score - threshold), fingerprint }))
    .filter(({ distance }) => distance < nearThreshold)
    .toSorted((a, b) => a.distance - b.distance);
  if (nearest !== undefined) {
    const { distance, fingerprint } = nearest;
    return {
      reason: "near_threshold",
      weight: 0.8 - (0.3 * distance) / nearThreshold,
      fingerprint: fingerprint || null,
    };
  }
  const rare = record.findings.find(({ fingerprint }) => fingerprint !== "" && seen.get(fingerprint) === 1);
  return rare && { reason: "rare", weight: 0.3, fingerprint: rare.fingerprint };
}

/** The most interesting of these, at most `limit`, and at most three of a fingerprint, those of today included. */
export function mostInteresting<T extends { readonly interest: Interest }>(
  candidates: readonly T[],
  { limit, today }: { readonly limit: number; readonly today: readonly (string | null)[] },
): T[] {
  const counts = new Map<string, number>();
  const add = (fingerprint: string) => counts.set(fingerprint, (counts.get(fingerprint) ?? 0) + 1);
  for (const fingerprint of today) if (fingerprint !== null) add(fingerprint);
  const chosen: T[] = [];
  for (const candidate of candidates.toSorted((a, b) => b.interest.weight - a.interest.weight)) {
    if (chosen.length >= limit) break;
    const { fingerprint } = candidate.interest;
    if (fingerprint !== null && (counts.get(fingerprint) ?? 0) >= maxOfFingerprint) continue;
    if (fingerprint !== null) add(fingerprint);
    chosen.push(candidate);
  }
  return chosen;
}

/** Items of one fingerprint that a day brings. */
const maxOfFingerprint = 3;
