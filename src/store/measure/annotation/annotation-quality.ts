// What analytics read of annotations.

import type { AnnotationMark } from "../../../../gen/policyguard/control/v1/annotation_pb.ts";
import { runBound } from "../../core/bulk.ts";
import type { Transaction } from "../../core/transaction.ts";

/** Which traces' annotations to read. */
export interface QualityFilter {
  readonly projectId?: string | undefined;
  readonly environment?: string | undefined;
  readonly policy?: string | undefined;
  readonly ruleId?: string | undefined;
  readonly since: Date;
  readonly until: Date;
}

/** What is said of one target in one trace. */
export interface QualityVerdict {
  /** Both empty for a trace as a whole. */
  readonly policy: string;
  readonly ruleId: string;
  readonly marks: number;
  readonly resolvedMark: AnnotationMark | null;
  readonly isDisputed: boolean;
  readonly hasFinding: boolean;
  readonly probability: number | null;
}

const within = (table: string, time: string) =>
  `${table}.org_id = $1 and ($2::uuid is null or ${table}.project_id = $2)
   and ($3::text is null or ${table}.environment = $3)
   and ($4::text is null or (${table}.policy = $4 and ${table}.rule_id = $5))
   and ${table}.${time} >= $6 and ${table}.${time} < $7`;

function parametersOf(tx: Transaction, { projectId, environment, policy, ruleId, since, until }: QualityFilter) {
  return [tx.orgId, projectId ?? null, environment ?? null, policy ?? null, ruleId ?? null, since, until];
}

/** The newest verdicts about traces of a time. */
export async function readVerdicts(tx: Transaction, filter: QualityFilter, limit: number): Promise<QualityVerdict[]> {
  const rows = await runBound<{
    policy: string;
    rule_id: string;
    marks: number;
    resolved_mark: AnnotationMark | null;
    is_disputed: boolean;
    has_finding: boolean;
    probability: number | null;
  }>(
    tx,
    `select policy, rule_id, marks, resolved_mark, is_disputed, has_finding, probability from annotation_verdict v
     where ${within("v", "trace_created_at")} and v.marks > 0
     order by v.trace_created_at desc, v.trace_id, v.policy desc, v.rule_id limit $8`,
    [...parametersOf(tx, filter), limit],
  );
  return rows.map((row) => ({
    ...{ policy: row.policy, ruleId: row.rule_id, marks: row.marks, resolvedMark: row.resolved_mark },
    ...{ isDisputed: row.is_disputed, hasFinding: row.has_finding, probability: row.probability },
  }));
}

/** What several annotators said of one target in one trace. */
export interface JudgedUnit {
  readonly policy: string;
  readonly ruleId: string;
  readonly marks: readonly AnnotationMark[];
}

/** The newest targets that more than one annotator has judged. */
export async function readJudgedUnits(tx: Transaction, filter: QualityFilter, limit: number): Promise<JudgedUnit[]> {
  const rows = await runBound<{ policy: string; rule_id: string; marks: AnnotationMark[] }>(
    tx,
    `select a.policy, a.rule_id, array_agg(a.mark::int order by a.id) as marks from annotation a
     where ${within("a", "trace_created_at")} and a.is_current and a.withdrawn_at is null
     group by a.trace_created_at, a.trace_id, a.policy, a.rule_id having count(*) > 1
     order by a.trace_created_at desc, a.trace_id, a.policy, a.rule_id limit $8`,
    [...parametersOf(tx, filter), limit],
  );
  return rows.map((row) => ({ policy: row.policy, ruleId: row.rule_id, marks: row.marks }));
}
