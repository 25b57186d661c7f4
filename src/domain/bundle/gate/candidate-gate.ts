// The gate "candidate": whether a version, evaluated beside the active one, blocks next to nothing that was not
// blocked.

import { Outcome } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { evidenceAbove, evidenceBelow, neededObservations } from "../../../kit/statistics/mixture-test.ts";
import { findBundle } from "../../../store/bundle/bundle.ts";
import { type CandidateRow, findCandidate, readComparison } from "../../../store/bundle/candidate.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import type { EnvironmentRow } from "../../../store/project/environment.ts";
import type { CandidateRequirement } from "./definition.ts";
import type { GateFinding, GateSubject } from "./verdict.ts";

/** Above this share of evaluations that the candidate did not make, those that it made say too little. */
const maxUnmade = 0.05;

const hourMs = 3_600_000;

/** The counts of a candidate, as far as its gate reads them. */
export interface CandidateCounts {
  readonly evaluations: number;
  readonly newlyBlocked: number;
  readonly skipped: number;
  readonly failed: number;
  readonly hours: number;
}

/** How the gate stands for the content: by the environment's candidate, if that has this content. */
export async function findByCandidate(
  tx: Transaction,
  { id }: EnvironmentRow,
  { contentDigest }: GateSubject,
  requirement: CandidateRequirement,
): Promise<GateFinding> {
  const candidate = await findCandidate(tx, id);
  const compared = candidate && (await findBundle(tx, id, candidate.version));
  if (candidate === null || compared?.contentDigest !== contentDigest) {
    const reason = "it is not the candidate: publish it without activating it, and start it as the candidate";
    return { state: "missing", reason };
  }
  return judgeCandidate(await countsOf(tx, candidate), requirement, { isExpired: candidate.expiresAt <= tx.now });
}

/** How the gate stands at these counts. */
export function judgeCandidate(
  counts: CandidateCounts,
  { maxNewlyBlocked: bound, alpha, minHours }: CandidateRequirement,
  { isExpired }: { readonly isExpired: boolean },
): GateFinding {
  const { evaluations, newlyBlocked, skipped, failed, hours } = counts;
  const count = { observations: evaluations, events: newlyBlocked };
  const needed = Math.log(1 / alpha);
  const evidence = evidenceBelow(count, bound);
  const details = {
    ...{ evaluations, newly_blocked: newlyBlocked, skipped, failed, hours: Math.floor(hours * 10) / 10 },
    ...{ evidence: Math.min(Math.exp(evidence), 1e12), needed_n: neededObservations(count, bound, alpha) },
  };
  const seen = `${newlyBlocked} of ${evaluations} evaluations are newly blocked`;
  const pending = (why: string): GateFinding => ({ state: "pending", reason: `${seen}; ${why}`, details });
  if (evidenceAbove(count, bound) >= needed) {
    return { state: "failed", reason: `${seen}, which is more than ${percent(bound)}`, details };
  }
  const unmade = skipped + failed;
  if (unmade > maxUnmade * (evaluations + unmade)) {
    return pending(`${unmade} more were skipped or failed, which is above ${percent(maxUnmade)}`);
  }
  const ended = isExpired ? "; its time as candidate is up, so start it again" : "";
  if (evidence < needed)
    return pending(`the gate opens at ${details.needed_n} if nothing more is newly blocked${ended}`);
  if (hours < minHours) return pending(`it is the candidate for ${details.hours} of ${minHours} hours`);
  return { state: "passed", reason: `${seen}, which is below ${percent(bound)}`, details };
}

async function countsOf(tx: Transaction, candidate: CandidateRow): Promise<CandidateCounts> {
  const { counts } = await readComparison(tx, candidate.environmentId);
  const sum = (rows: typeof counts) => rows.reduce((total, { evaluations }) => total + evaluations, 0);
  const isNew = ({ activeOutcome, candidateOutcome }: (typeof counts)[number]) =>
    candidateOutcome === Outcome.BLOCK && activeOutcome !== Outcome.BLOCK;
  return {
    ...{ evaluations: sum(counts), newlyBlocked: sum(counts.filter(isNew)) },
    ...{ skipped: candidate.skipped, failed: candidate.failed },
    hours: (Math.min(tx.now.getTime(), candidate.expiresAt.getTime()) - candidate.startedAt.getTime()) / hourMs,
  };
}

function percent(share: number): string {
  return `${Number((share * 100).toPrecision(3))} %`;
}
