import { defineEntity, p } from "@mikro-orm/core";
import type { Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { runBound } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "Candidate",
  tableName: "candidate",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    environmentId: p.uuid().primary(),
    version: p.integer(),
    digest: p.text(),
    activeVersion: p.integer(),
    percent: p.integer(),
    startedBy: p.text(),
    startedAt: p.datetime(3),
    expiresAt: p.datetime(3),
    skipped: p.bigint("number").default(0),
    failed: p.bigint("number").default(0),
    /** The last failure of a runtime to load it; null when there was none. */
    loadFailure: p.text().nullable(),
  },
});

/** The version that runtimes of an environment evaluate beside the active one. */
export class CandidateRow extends schema.class {}
schema.setClass(CandidateRow);

const countSchema = defineEntity({
  name: "CandidateCount",
  tableName: "candidate_count",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    environmentId: p.uuid().primary(),
    activeOutcome: p.integer().$type<Outcome>().primary(),
    candidateOutcome: p.integer().$type<Outcome>().primary(),
    evaluations: p.bigint("number"),
  },
});

/** How often a pair of outcomes occurred. */
export class CandidateCountRow extends countSchema.class {}
countSchema.setClass(CandidateCountRow);

const sampleSchema = defineEntity({
  name: "CandidateSample",
  tableName: "candidate_sample",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    environmentId: p.uuid().primary(),
    evaluationId: p.uuid().primary(),
    activeOutcome: p.integer().$type<Outcome>(),
    candidateOutcome: p.integer().$type<Outcome>(),
    candidateRule: p.text(),
    createdAt: p.datetime(3),
  },
});

/** An evaluation in which the outcomes differ. */
export class CandidateSampleRow extends sampleSchema.class {}
sampleSchema.setClass(CandidateSampleRow);

/** Samples that are kept of a candidate. */
export const sampleLimit = 100;

/** The environment's candidate, or null. */
export function findCandidate(tx: Transaction, environmentId: string): Promise<CandidateRow | null> {
  // Not by the identity map: the row may have been deleted and replaced in the same transaction.
  return tx.em.findOne(CandidateRow, { orgId: tx.orgId, environmentId }, { disableIdentityMap: true });
}

/** Removes the environment's candidate with its counts. Returns whether there was one. */
export async function deleteCandidate(tx: Transaction, environmentId: string): Promise<boolean> {
  const key = { orgId: tx.orgId, environmentId };
  await tx.em.nativeDelete(CandidateCountRow, key);
  await tx.em.nativeDelete(CandidateSampleRow, key);
  return (await tx.em.nativeDelete(CandidateRow, key)) > 0;
}

/** The counts of a candidate: pairs of outcomes, and the newest samples. */
export async function readComparison(
  tx: Transaction,
  environmentId: string,
): Promise<{ counts: CandidateCountRow[]; samples: CandidateSampleRow[] }> {
  const key = { orgId: tx.orgId, environmentId };
  const orderBy = { activeOutcome: "asc", candidateOutcome: "asc" } as const;
  const counts = await tx.em.find(CandidateCountRow, key, { orderBy });
  const newest = { orderBy: { createdAt: "desc", evaluationId: "asc" }, limit: sampleLimit } as const;
  return { counts, samples: await tx.em.find(CandidateSampleRow, key, newest) };
}

/** The counts of a runtime. */
export interface Comparison {
  readonly version: number;
  readonly digest: string;
  readonly skipped: number;
  readonly failed: number;
  /** Why it could not load the candidate; "" when it could. */
  readonly loadFailure: string;
  readonly pairs: readonly { readonly active: number; readonly candidate: number; readonly count: number }[];
  readonly samples: readonly {
    readonly evaluationId: string;
    readonly active: number;
    readonly candidate: number;
    readonly rule: string;
    readonly createdAt: Date;
  }[];
}

/** Adds the counts of a runtime, if they are about the present candidate. Returns whether they were. */
export async function addComparison(tx: Transaction, environmentId: string, tally: Comparison): Promise<boolean> {
  const rows = await tx.sql(
    `update candidate set skipped = skipped + ?, failed = failed + ?,
       load_failure = coalesce(nullif(?, ''), load_failure)
     where org_id = ? and environment_id = ? and version = ? and digest = ? returning version`,
    [tally.skipped, tally.failed, tally.loadFailure, tx.orgId, environmentId, tally.version, tally.digest],
  );
  if (rows.length === 0) return false;
  await runBound(
    tx,
    `insert into candidate_count (org_id, environment_id, active_outcome, candidate_outcome, evaluations)
     select $1, $2, active, candidate, sum(count)
     from unnest($3::int[], $4::int[], $5::bigint[]) as pair (active, candidate, count) group by active, candidate
     on conflict (org_id, environment_id, active_outcome, candidate_outcome) do update
       set evaluations = candidate_count.evaluations + excluded.evaluations`,
    [
      ...[tx.orgId, environmentId, tally.pairs.map(({ active }) => active)],
      ...[tally.pairs.map(({ candidate }) => candidate), tally.pairs.map(({ count }) => count)],
    ],
  );
  await addSamples(tx, environmentId, tally.samples);
  return true;
}

async function addSamples(tx: Transaction, environmentId: string, samples: Comparison["samples"]): Promise<void> {
  if (samples.length === 0) return;
  await runBound(
    tx,
    `insert into candidate_sample
       (org_id, environment_id, evaluation_id, active_outcome, candidate_outcome, candidate_rule, created_at)
     select $1, $2, id, active, candidate, rule, created_at
     from unnest($3::uuid[], $4::int[], $5::int[], $6::text[], $7::timestamptz[])
       as sample (id, active, candidate, rule, created_at)
     on conflict do nothing`,
    [
      ...[tx.orgId, environmentId, samples.map(({ evaluationId }) => evaluationId)],
      ...[samples.map(({ active }) => active), samples.map(({ candidate }) => candidate)],
      ...[samples.map(({ rule }) => rule), samples.map(({ createdAt }) => createdAt)],
    ],
  );
  await tx.sql(
    `delete from candidate_sample where org_id = ? and environment_id = ? and evaluation_id in (
       select evaluation_id from candidate_sample where org_id = ? and environment_id = ?
       order by created_at desc, evaluation_id offset ?)`,
    [tx.orgId, environmentId, tx.orgId, environmentId, sampleLimit],
  );
}
