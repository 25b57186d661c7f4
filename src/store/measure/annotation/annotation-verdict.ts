// What the annotations of a target come to, kept beside them: lists, analytics and summaries read it.

import { defineEntity, p } from "@mikro-orm/core";
import { AnnotationMark } from "../../../../gen/policyguard/control/v1/annotation_pb.ts";
import type { Outcome } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { runBound } from "../../core/bulk.ts";
import { tenantTable } from "../../core/tenant.ts";
import type { Transaction } from "../../core/transaction.ts";

const schema = defineEntity({
  name: "AnnotationVerdict",
  tableName: "annotation_verdict",
  ...tenantTable,
  indexes: [{ name: "annotation_verdict_traces", properties: ["orgId", "projectId", "traceCreatedAt"] }],
  properties: {
    orgId: p.uuid().primary(),
    traceId: p.uuid().primary(),
    /** Policy and rule; both are empty for the trace as a whole. */
    policy: p.text().primary(),
    ruleId: p.text().primary(),
    projectId: p.uuid(),
    environment: p.text(),
    traceCreatedAt: p.datetime(3),
    /** Whether the target found something in the trace. */
    hasFinding: p.boolean(),
    /** Annotations that stand. */
    marks: p.integer(),
    /** Null while too few annotators have said something, and where they disagree. */
    resolvedMark: p.smallint().$type<AnnotationMark>().nullable(),
    isDisputed: p.boolean(),
    /** With which probability the random lane chose the trace; null when it gave it to none of the annotators. */
    probability: p.double().$type<number>().nullable(),
  },
});

/** What the annotations of a target come to. */
export class AnnotationVerdictRow extends schema.class {}
schema.setClass(AnnotationVerdictRow);

/** A target. */
export interface VerdictTarget {
  readonly traceId: string;
  readonly policy: string;
  readonly ruleId: string;
}

/** What one target's annotations come to. */
export interface Verdict extends VerdictTarget {
  readonly marks: number;
  readonly resolvedMark: AnnotationMark | null;
  readonly isDisputed: boolean;
}

/** The verdict about a target, or null. */
export function findVerdict(tx: Transaction, target: VerdictTarget): Promise<AnnotationVerdictRow | null> {
  return tx.em.findOne(AnnotationVerdictRow, { orgId: tx.orgId, ...target });
}

/** All verdicts about these traces. */
export function verdictsOf(tx: Transaction, traceIds: readonly string[]): Promise<AnnotationVerdictRow[]> {
  if (traceIds.length === 0) return Promise.resolve([]);
  return tx.em.find(AnnotationVerdictRow, { orgId: tx.orgId, traceId: { $in: [...traceIds] } });
}

/** What annotators have settled of one target. */
export interface SettledMark extends VerdictTarget {
  readonly mark: AnnotationMark;
  /** The mildest outcome that those expect who gave a standing "false-negative"; null for other marks. */
  readonly expected: Outcome | null;
}

/** The marks of these traces on which annotators agree. */
export async function settledMarks(tx: Transaction, traceIds: readonly string[]): Promise<SettledMark[]> {
  if (traceIds.length === 0) return [];
  const rows = await runBound<{
    trace_id: string;
    policy: string;
    rule_id: string;
    mark: AnnotationMark;
    expected: Outcome | null;
  }>(
    tx,
    `select v.trace_id, v.policy, v.rule_id, v.resolved_mark as mark, (
       select min(a.expected_outcome) from annotation a
       where a.org_id = $1 and a.trace_id = v.trace_id and a.policy = v.policy and a.rule_id = v.rule_id
         and a.is_current and a.withdrawn_at is null and a.mark = $3 and v.resolved_mark = $3)::int as expected
     from annotation_verdict v
     where v.org_id = $1 and v.trace_id = any($2::uuid[]) and v.resolved_mark is not null and v.marks > 0`,
    [tx.orgId, [...traceIds], AnnotationMark.FALSE_NEGATIVE],
  );
  return rows.map(({ trace_id: traceId, rule_id: ruleId, ...row }) => ({ traceId, ruleId, ...row }));
}

/** Replaces what is said of targets that have a verdict. */
export async function updateVerdicts(tx: Transaction, verdicts: readonly Verdict[]): Promise<void> {
  if (verdicts.length === 0) return;
  await runBound(
    tx,
    `update annotation_verdict v set resolved_mark = new.resolved_mark, is_disputed = new.is_disputed
     from unnest($2::uuid[], $3::text[], $4::text[], $5::smallint[], $6::bool[])
       as new (trace_id, policy, rule_id, resolved_mark, is_disputed)
     where v.org_id = $1 and v.trace_id = new.trace_id and v.policy = new.policy and v.rule_id = new.rule_id`,
    [
      tx.orgId,
      verdicts.map(({ traceId }) => traceId),
      verdicts.map(({ policy }) => policy),
      verdicts.map(({ ruleId }) => ruleId),
      verdicts.map(({ resolvedMark }) => resolvedMark),
      verdicts.map(({ isDisputed }) => isDisputed),
    ],
  );
}

/** Which annotated traces are wanted. Every given field has to match. */
export interface ResolvedFilter {
  readonly projectId?: string | undefined;
  readonly environment?: string | undefined;
  readonly policy?: string | undefined;
  readonly ruleId?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly marks: readonly AnnotationMark[];
}

/** Traces of which a target has come to one of the marks, oldest first. */
export async function tracesWithMarks(
  tx: Transaction,
  { projectId, environment, policy, ruleId, since, until, marks }: ResolvedFilter,
  limit: number,
): Promise<{ readonly id: string; readonly createdAt: Date }[]> {
  const parameters: unknown[] = [tx.orgId, [...marks]];
  const conditions = ["org_id = $1", "resolved_mark = any($2::smallint[])"];
  const add = (condition: string, value: unknown) => {
    if (value !== undefined) conditions.push(`${condition} $${parameters.push(value)}`);
  };
  add("project_id =", projectId);
  add("environment =", environment);
  add("policy =", policy);
  add("rule_id =", ruleId);
  add("trace_created_at >=", since);
  add("trace_created_at <", until);
  const rows = await runBound<{ trace_id: string; created_ms: number }>(
    tx,
    `select trace_id, (extract(epoch from trace_created_at) * 1000)::float8 as created_ms from annotation_verdict
     where ${conditions.join(" and ")} group by trace_id, trace_created_at order by trace_created_at, trace_id
     limit $${parameters.push(limit)}`,
    parameters,
  );
  return rows.map(({ trace_id: id, created_ms }) => ({ id, createdAt: new Date(Math.round(created_ms)) }));
}

/** What the random lane's annotations say of a rule in one trace, and of the trace as a whole. */
export interface SampledVerdict {
  readonly traceId: string;
  readonly createdAt: Date;
  readonly probability: number;
  readonly ruleMark: AnnotationMark | null;
  readonly isRuleDisputed: boolean;
  readonly traceMark: AnnotationMark | null;
  readonly isTraceDisputed: boolean;
  /** Whether anything was found in the trace, as far as the annotation of the whole says. */
  readonly hasFinding: boolean;
}

/** Which annotated traces to read. */
export interface SampledFilter {
  readonly projectId: string;
  readonly environment: string | undefined;
  readonly policy: string;
  readonly ruleId: string;
  readonly since: Date;
  readonly until: Date;
}

const sampled = `v.org_id = $1 and v.project_id = $2 and ($3::text is null or v.environment = $3)
  and ((v.policy = $4 and v.rule_id = $5) or (v.policy = '' and v.rule_id = ''))
  and v.trace_created_at >= $6 and v.trace_created_at < $7 and v.probability is not null and v.marks > 0`;

function sampledValues(tx: Transaction, { projectId, environment, policy, ruleId, since, until }: SampledFilter) {
  return [tx.orgId, projectId, environment ?? null, policy, ruleId, since, until];
}

/** Annotated traces of the random lane, in the order of their ids, after one of them. */
export async function readSampledVerdicts(
  tx: Transaction,
  filter: SampledFilter,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<SampledVerdict[]> {
  const rows = await runBound<Omit<SampledVerdict, "createdAt"> & { createdMs: number }>(
    tx,
    `select trace_id as "traceId", extract(epoch from max(trace_created_at))::float8 * 1000 as "createdMs",
       max(probability) as probability,
       max(resolved_mark) filter (where rule_id <> '') as "ruleMark",
       coalesce(bool_or(is_disputed) filter (where rule_id <> ''), false) as "isRuleDisputed",
       max(resolved_mark) filter (where rule_id = '') as "traceMark",
       coalesce(bool_or(is_disputed) filter (where rule_id = ''), false) as "isTraceDisputed",
       coalesce(bool_or(has_finding) filter (where rule_id = ''), false) as "hasFinding"
     from annotation_verdict v where ${sampled} and ($8::uuid is null or v.trace_id > $8)
     group by trace_id order by trace_id limit $9`,
    [...sampledValues(tx, filter), after ?? null, limit],
  );
  return rows.map(({ createdMs, ...row }) => ({ ...row, createdAt: new Date(Math.round(createdMs)) }));
}

/** How many annotated traces of the random lane match. */
export async function countSampledVerdicts(tx: Transaction, filter: SampledFilter): Promise<number> {
  const rows = await runBound<{ count: number }>(
    tx,
    `select count(distinct trace_id)::int as count from annotation_verdict v where ${sampled}`,
    sampledValues(tx, filter),
  );
  return rows[0]?.count ?? 0;
}
