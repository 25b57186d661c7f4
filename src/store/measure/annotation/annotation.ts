// What annotators say of traces. A row is a revision of an annotation; the current one is what counts, unless it was
// withdrawn.

import { defineEntity, p, type RequiredEntityData } from "@mikro-orm/core";
import type {
  AnnotationMark,
  AnnotationSource,
  AnnotatorKind,
} from "../../../../gen/policyguard/control/v1/annotation_pb.ts";
import type { Outcome } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { Page } from "../../../kit/rpc/page.ts";
import { runBound } from "../../core/bulk.ts";
import { tenantTable } from "../../core/tenant.ts";
import type { Transaction } from "../../core/transaction.ts";

const schema = defineEntity({
  name: "Annotation",
  tableName: "annotation",
  ...tenantTable,
  uniques: [
    {
      name: "annotation_annotator",
      properties: ["orgId", "traceId", "policy", "ruleId", "annotatorKind", "annotatorId"],
      where: "is_current",
    },
  ],
  indexes: [
    { name: "annotation_trace", properties: ["orgId", "traceId"] },
    {
      name: "annotation_newest",
      columns: [{ name: "org_id" }, { name: "created_at", sort: "DESC" as const }, { name: "id" }],
      where: "is_current and withdrawn_at is null",
    },
    {
      name: "annotation_of_traces",
      properties: ["orgId", "projectId", "traceCreatedAt"],
      where: "is_current and withdrawn_at is null",
    },
  ],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** From 1. */
    revision: p.integer().primary(),
    isCurrent: p.boolean(),
    traceId: p.uuid(),
    traceCreatedAt: p.datetime(3),
    projectId: p.uuid(),
    environment: p.text(),
    /** Policy and rule that it is about; both are empty when it is about the trace as a whole. */
    policy: p.text(),
    ruleId: p.text(),
    mark: p.smallint().$type<AnnotationMark>(),
    expectedOutcome: p.smallint().$type<Outcome>().nullable(),
    expectedLabels: p.array(),
    /** As JSON. */
    spans: p.text(),
    note: p.text().nullable(),
    annotatorKind: p.smallint().$type<AnnotatorKind>(),
    annotatorId: p.text(),
    annotatorLabel: p.text(),
    source: p.smallint().$type<AnnotationSource>(),
    isFinal: p.boolean(),
    createdAt: p.datetime(3),
    withdrawnAt: p.datetime(3).nullable(),
  },
});

/** One revision of an annotation. */
export class AnnotationRow extends schema.class {}
schema.setClass(AnnotationRow);

/** The columns of a revision. */
export type AnnotationColumns = RequiredEntityData<AnnotationRow>;

/** Who annotates what. */
export interface AnnotationKey {
  readonly traceId: string;
  readonly policy: string;
  readonly ruleId: string;
  readonly annotatorKind: AnnotatorKind;
  readonly annotatorId: string;
}

/** Locks a trace until the commit, so that annotations of it are made one after another. */
export async function lockAnnotatedTrace(tx: Transaction, traceId: string, createdAt: Date): Promise<void> {
  await runBound(tx, "select from trace where org_id = $1 and id = $2 and created_at = $3 for no key update", [
    tx.orgId,
    traceId,
    createdAt,
  ]);
}

/** The annotator's present annotation of a target, withdrawn or not, or null. */
export function findOwnAnnotation(tx: Transaction, key: AnnotationKey): Promise<AnnotationRow | null> {
  return tx.em.findOne(AnnotationRow, { orgId: tx.orgId, isCurrent: true, ...key });
}

/** The annotation of a trace that stands, or null. */
export function findAnnotation(tx: Transaction, traceId: string, id: string): Promise<AnnotationRow | null> {
  return tx.em.findOne(AnnotationRow, { orgId: tx.orgId, id, traceId, isCurrent: true, withdrawnAt: null });
}

/** Annotations of a trace that stand. */
export function standingAnnotations(tx: Transaction, traceId: string): Promise<AnnotationRow[]> {
  const where = { orgId: tx.orgId, traceId, isCurrent: true, withdrawnAt: null };
  return tx.em.find(AnnotationRow, where, { orderBy: { createdAt: "asc", id: "asc" } });
}

/** Annotations of these traces that stand, in the order in which they were made. */
export function annotationsOfTraces(tx: Transaction, traceIds: readonly string[]): Promise<AnnotationRow[]> {
  const where = { orgId: tx.orgId, traceId: { $in: [...traceIds] }, isCurrent: true, withdrawnAt: null };
  return tx.em.find(AnnotationRow, where, { orderBy: { createdAt: "asc", id: "asc" } });
}

/** A page of a trace's annotations, newest first, and their count. `withHistory` adds those that no longer stand. */
export function listAnnotationsOfTrace(
  tx: Transaction,
  traceId: string,
  { withHistory, ...page }: Page & { readonly withHistory: boolean },
): Promise<[AnnotationRow[], number]> {
  const standing = withHistory ? {} : { isCurrent: true, withdrawnAt: null };
  return tx.em.findAndCount(
    AnnotationRow,
    { orgId: tx.orgId, traceId, ...standing },
    { ...page, orderBy: { createdAt: "desc", id: "asc", revision: "desc" } },
  );
}

/** The filter of a list. Every given field has to match. */
export interface AnnotationFilter {
  readonly projectId?: string | undefined;
  readonly environment?: string | undefined;
  readonly mark?: AnnotationMark | undefined;
  readonly policy?: string | undefined;
  readonly ruleId?: string | undefined;
  readonly annotatorId?: string | undefined;
  readonly isResolved?: boolean | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** A page of the annotations that stand, newest first, and their count. */
export async function listAnnotations(
  tx: Transaction,
  filter: AnnotationFilter,
  { limit, offset }: Page,
): Promise<[AnnotationRow[], number]> {
  const parameters: unknown[] = [tx.orgId];
  const conditions = ["a.org_id = $1", "a.is_current", "a.withdrawn_at is null"];
  const add = (condition: string, value: unknown) => {
    if (value !== undefined) conditions.push(`${condition} $${parameters.push(value)}`);
  };
  add("a.project_id =", filter.projectId);
  add("a.environment =", filter.environment);
  add("a.mark =", filter.mark);
  add("a.policy =", filter.policy);
  add("a.rule_id =", filter.ruleId);
  add("a.annotator_id =", filter.annotatorId);
  add("a.created_at >=", filter.since);
  add("a.created_at <", filter.until);
  add(
    `exists (select from annotation_verdict v where v.org_id = a.org_id and v.trace_id = a.trace_id
       and v.policy = a.policy and v.rule_id = a.rule_id and v.resolved_mark is not null) =`,
    filter.isResolved,
  );
  const matching = `from annotation a where ${conditions.join(" and ")}`;
  const counted = await runBound<{ count: number }>(tx, `select count(*)::int as count ${matching}`, parameters);
  const rows = await runBound<{ id: string; revision: number }>(
    tx,
    `select a.id, a.revision ${matching} order by a.created_at desc, a.id
     limit $${parameters.length + 1} offset $${parameters.length + 2}`,
    [...parameters, limit, offset],
  );
  const found = await tx.em.find(AnnotationRow, {
    orgId: tx.orgId,
    isCurrent: true,
    id: { $in: rows.map((row) => row.id) },
  });
  const byId = new Map(found.map((row) => [row.id, row]));
  return [rows.flatMap(({ id }) => byId.get(id) ?? []), counted[0]?.count ?? 0];
}

/** The e-mail addresses by which annotations know people. */
export async function annotatorLabels(tx: Transaction): Promise<string[]> {
  const rows = await runBound<{ label: string }>(
    tx,
    `select distinct annotator_label as label from annotation
     where org_id = $1 and annotator_kind = 1 and annotator_label <> ''`,
    [tx.orgId],
  );
  return rows.map(({ label }) => label);
}

/** Removes the e-mail addresses of annotators. */
export async function eraseAnnotatorLabels(tx: Transaction, labels: readonly string[]): Promise<void> {
  if (labels.length === 0) return;
  const text = "update annotation set annotator_label = '' where org_id = $1 and annotator_label = any($2::text[])";
  await runBound(tx, text, [tx.orgId, [...labels]]);
}

/** Removes annotations of traces that were made before this time, and what they come to. */
export async function deleteAnnotationsBefore(tx: Transaction, before: Date): Promise<number> {
  const of = [tx.orgId, before];
  await runBound(tx, "delete from annotation_verdict where org_id = $1 and trace_created_at < $2", of);
  const [gone] = await runBound<{ n: number }>(
    tx,
    `with gone as (delete from annotation where org_id = $1 and trace_created_at < $2 returning 1)
     select count(*)::int as n from gone`,
    of,
  );
  return gone?.n ?? 0;
}

/** An annotation as verdicts see it. */
export interface StandingMark {
  readonly traceId: string;
  readonly policy: string;
  readonly ruleId: string;
  readonly mark: AnnotationMark;
  readonly isFinal: boolean;
}

/** The marks of a project's traces that stand, of up to `limit` traces after this one, oldest annotation first. */
export async function standingMarks(
  tx: Transaction,
  projectId: string,
  { afterTrace, limit }: { readonly afterTrace: string; readonly limit: number },
): Promise<StandingMark[]> {
  const rows = await runBound<{
    trace_id: string;
    policy: string;
    rule_id: string;
    mark: AnnotationMark;
    is_final: boolean;
  }>(
    tx,
    `with page as (
       select distinct trace_id from annotation
       where org_id = $1 and project_id = $2 and is_current and withdrawn_at is null and trace_id > $3
       order by trace_id limit $4)
     select a.trace_id, a.policy, a.rule_id, a.mark, a.is_final from page join annotation a
       on a.org_id = $1 and a.trace_id = page.trace_id
     where a.is_current and a.withdrawn_at is null order by a.trace_id, a.created_at, a.id`,
    [tx.orgId, projectId, afterTrace, limit],
  );
  return rows.map((row) => ({
    ...{ traceId: row.trace_id, policy: row.policy, ruleId: row.rule_id },
    ...{ mark: row.mark, isFinal: row.is_final },
  }));
}
