// Annotations: what people and programs say of decisions. Text is not needed; records without any are annotated alike.

import { fromBinary, type JsonObject } from "@bufbuild/protobuf";
import {
  AnnotationMark,
  AnnotationMarkSchema,
  AnnotationSource,
  AnnotatorKind,
} from "../../../../gen/policyguard/control/v1/annotation_pb.ts";
import { CredentialKind } from "../../../../gen/policyguard/options/v1/options_pb.ts";
import { type Outcome, OutcomeSchema } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { type EvaluationRecord, EvaluationRecordSchema } from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import { type FieldViolation, insufficientScope, notFound, validationFailed } from "../../../kit/fault/fault.ts";
import { newId } from "../../../kit/process/id.ts";
import { wireName } from "../../../kit/protobuf/wire-name.ts";
import type { Caller } from "../../../kit/rpc/context.ts";
import type { Page } from "../../../kit/rpc/page.ts";
import type { Sealer } from "../../../platform/seal.ts";
import type { Database } from "../../../store/connection/database.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import {
  type AnnotationColumns,
  type AnnotationFilter,
  AnnotationRow,
  findAnnotation,
  findOwnAnnotation,
  listAnnotations,
  listAnnotationsOfTrace,
  lockAnnotatedTrace,
} from "../../../store/measure/annotation/annotation.ts";
import { finishPlace, Lane, samplingOf } from "../../../store/measure/annotation/annotation-queue.ts";
import { type FoundTrace, findTrace, readTraces } from "../../../store/telemetry/trace-query.ts";
import { isAdmin } from "../../caller-role.ts";
import { hiddenNow } from "../../telemetry/erasure.ts";
import { annotationSettingOf } from "./annotation-setting.ts";
import { renewVerdict } from "./annotation-verdict.ts";
import { type AnnotatorIdentity, annotatorKey, annotatorOf } from "./annotator.ts";

/** A place in a text of a trace. */
export interface AnnotatedSpan {
  readonly segment: string;
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

/** What an annotator says. */
export interface Statement {
  readonly mark: AnnotationMark;
  readonly expectedOutcome: Outcome | null;
  readonly expectedLabels: readonly string[];
  readonly spans: readonly AnnotatedSpan[];
  readonly note: string | null;
  readonly isFinal: boolean;
}

/** A rule of a policy, by its name. */
export interface AnnotatedRule {
  readonly policy: string;
  readonly ruleId: string;
}

/** The input for an annotation. */
export interface AnnotationInput extends Statement {
  /** Undefined for the trace as a whole. */
  readonly rule: AnnotatedRule | undefined;
  /** The name that a program gives itself. */
  readonly annotator: string | undefined;
}

/** An annotation as it is shown. */
export type AnnotationView = { readonly [Name in Exclude<keyof AnnotationRow, symbol>]: AnnotationRow[Name] };

/** A trace with its record, locked until the commit. */
interface LockedTrace extends Omit<FoundTrace, "record"> {
  readonly record: EvaluationRecord;
}

/** Makes, lists, changes and withdraws annotations. A ci token sees those of its project. */
export class Annotations {
  readonly #database: Database;
  readonly #sealer: Sealer;

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  /** Annotates a target: the first annotation of this annotator, or the next revision of theirs. */
  create(caller: Caller, traceId: string, input: AnnotationInput): Promise<AnnotationRow> {
    const identity = annotatorOf(caller, input.annotator);
    assertMayFinish(caller, input.isFinal);
    return this.#database.transaction(caller, async (tx) => {
      const trace = await lockTrace(tx, traceId);
      const { policy, ruleId } = input.rule ?? { policy: "", ruleId: "" };
      assertSound(trace.record, input, input.rule);
      const { annotatorKind, annotatorId } = identity;
      const known = await findOwnAnnotation(tx, { traceId: trace.id, policy, ruleId, annotatorKind, annotatorId });
      const lane = await finishPlace(tx, annotatorKey(identity), trace.id);
      // Whoever is asked by the random lane about what they have annotated already says it for the sample, too.
      const isKept = known?.withdrawnAt === null && lane !== Lane.RANDOM;
      const source = isKept ? known.source : sourceOf(identity, lane);
      const origin = { orgId: tx.orgId, traceId: trace.id, traceCreatedAt: trace.createdAt };
      const { projectId, environment } = trace;
      return write(tx, trace, known, {
        ...{ ...origin, projectId, environment, policy, ruleId, ...identity, source },
        ...{ id: known?.id ?? newId(), ...statementColumns(input) },
      });
    });
  }

  /** A page of the annotations of a trace. */
  listOfTrace(
    caller: Caller,
    traceId: string,
    page: Page & { readonly withHistory: boolean },
  ): Promise<[AnnotationView[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      const trace = await findTrace(tx, traceId, caller.credential.projectId);
      if (trace === undefined) throw notFound("trace");
      const [rows, total] = await listAnnotationsOfTrace(tx, trace.id, page);
      return [await this.#shown(tx, rows), total];
    });
  }

  /** Changes an annotation of the caller's own. */
  update(caller: Caller, traceId: string, id: string, change: Partial<Statement>): Promise<AnnotationRow> {
    assertMayFinish(caller, change.isFinal);
    return this.#database.transaction(caller, async (tx) => {
      const trace = await lockTrace(tx, traceId);
      const known = await requireAnnotation(tx, trace.id, id);
      if (!isOwn(caller, known))
        throw insufficientScope("only who made an annotation changes it; make one of your own");
      const statement = { ...statementOf(known), ...change };
      assertSound(trace.record, statement, ruleOf(known));
      const { orgId, traceCreatedAt, projectId, environment, policy, ruleId, source } = known;
      const { annotatorKind, annotatorId, annotatorLabel } = known;
      return write(tx, trace, known, {
        ...{ orgId, traceId: trace.id, traceCreatedAt, projectId, environment, policy, ruleId, source, id },
        ...{ annotatorKind, annotatorId, annotatorLabel, ...statementColumns(statement) },
      });
    });
  }

  /** Withdraws an annotation: the caller's own, or for an admin any. */
  withdraw(caller: Caller, traceId: string, id: string): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const trace = await lockTrace(tx, traceId);
      const known = await requireAnnotation(tx, trace.id, id);
      if (!isOwn(caller, known) && !isAdmin(caller)) {
        throw insufficientScope("only who made an annotation, or an admin, withdraws it", { role: "admin" });
      }
      known.withdrawnAt = tx.now;
      await tx.em.flush();
      await renew(tx, trace, known);
      tx.changed({ resource: `annotation/${id}`, before: auditView(known), after: null });
    });
  }

  /** A page of the annotations that stand. */
  list(caller: Caller, filter: AnnotationFilter, page: Page): Promise<[AnnotationView[], number]> {
    const { since, until } = filter;
    if (since !== undefined && until !== undefined && since > until) {
      throw validationFailed([{ field: "since", message: "must not be after until" }]);
    }
    // PostgreSQL has no text with NUL in it, so no annotation has either.
    const isImpossible = Object.values(filter).some((value) => typeof value === "string" && value.includes("\0"));
    const { projectId } = caller.credential;
    const isForeign = projectId !== undefined && filter.projectId !== undefined && filter.projectId !== projectId;
    if (isImpossible || isForeign) return Promise.resolve([[], 0]);
    const narrowed = projectId === undefined ? filter : { ...filter, projectId };
    return this.#database.read(caller.orgId, async (tx) => {
      const [rows, total] = await listAnnotations(tx, narrowed, page);
      return [await this.#shown(tx, rows), total];
    });
  }

  /** The annotations as they may be seen: without what annotators wrote about a trace that is being erased. */
  async #shown(tx: Transaction, rows: readonly AnnotationRow[]): Promise<AnnotationView[]> {
    const isHidden = rows.length === 0 ? undefined : await hiddenNow(tx, this.#sealer);
    if (isHidden === undefined) return [...rows];
    const traces = await readTraces(
      tx,
      rows.map(({ traceId: id, traceCreatedAt: createdAt }) => ({ id, createdAt })),
    );
    const hidden = new Set(
      traces
        .filter(({ record, createdAt }) => isHidden({ createdAt, record: fromBinary(EvaluationRecordSchema, record) }))
        .map(({ id }) => id),
    );
    return rows.map((row) => (hidden.has(row.traceId) ? { ...row, note: null, spans: "[]" } : row));
  }
}

type NewRevision = Omit<AnnotationColumns, "revision" | "isCurrent" | "createdAt" | "withdrawnAt">;

/** Writes the next revision of an annotation, and what follows from it. */
async function write(
  tx: Transaction,
  trace: LockedTrace,
  known: AnnotationRow | null,
  columns: NewRevision,
): Promise<AnnotationRow> {
  const before = known === null || known.withdrawnAt != null ? null : auditView(known);
  if (known !== null) known.isCurrent = false;
  // The former revision goes first: only one may be the current one.
  await tx.em.flush();
  const revision = (known?.revision ?? 0) + 1;
  const row = tx.em.create(AnnotationRow, {
    ...columns,
    ...{ revision, isCurrent: true, createdAt: tx.now, withdrawnAt: null },
  });
  await tx.em.flush();
  await renew(tx, trace, row);
  tx.changed({ resource: `annotation/${row.id}`, before, after: auditView(row) });
  return row;
}

async function renew(tx: Transaction, trace: LockedTrace, row: AnnotationRow): Promise<void> {
  const { quorum } = await annotationSettingOf(tx, trace.projectId);
  const hasFinding = findsSomething(trace.record, ruleOf(row));
  const drawn = await samplingOf(tx, trace.id);
  // Of evaluations like this one the runtime may have sent a record of some percent only.
  const probability = drawn === null ? null : (drawn * (trace.record.samplingPercent || 100)) / 100;
  await renewVerdict(tx, trace, row, { quorum, hasFinding, probability });
}

async function lockTrace(tx: Transaction, id: string): Promise<LockedTrace> {
  const at = await findTrace(tx, id);
  if (at === undefined) throw notFound("trace");
  await lockAnnotatedTrace(tx, at.id, at.createdAt);
  // Read again: an erasure may have held the lock.
  const { record, ...trace } = (await findTrace(tx, id)) ?? at;
  return { ...trace, record: fromBinary(EvaluationRecordSchema, record) };
}

async function requireAnnotation(tx: Transaction, traceId: string, id: string): Promise<AnnotationRow> {
  const found = await findAnnotation(tx, traceId, id);
  if (found === null) throw notFound("annotation");
  return found;
}

function sourceOf({ annotatorKind }: AnnotatorIdentity, lane: number | undefined): AnnotationSource {
  if (lane !== undefined) return lane === Lane.RANDOM ? AnnotationSource.RANDOM : AnnotationSource.INFORMATIVE;
  return annotatorKind === AnnotatorKind.HUMAN ? AnnotationSource.MANUAL : AnnotationSource.API;
}

// The token of a program may be another one tomorrow: an admin token stands for all programs.
function isOwn({ credential }: Caller, { annotatorKind, annotatorId }: AnnotationRow): boolean {
  if (credential.kind !== CredentialKind.MEMBER) return annotatorKind === AnnotatorKind.CODE;
  return annotatorKind === AnnotatorKind.HUMAN && annotatorId === credential.id;
}

function assertMayFinish(caller: Caller, isFinal: boolean | undefined): void {
  if (isFinal === true && !isAdmin(caller)) {
    throw insufficientScope("only admins settle the mark of a target; leave is_final out", { role: "admin" });
  }
}

function ruleOf({ policy, ruleId }: AnnotatedRule): AnnotatedRule | undefined {
  return policy === "" ? undefined : { policy, ruleId };
}

function findsSomething({ findings }: EvaluationRecord, rule: AnnotatedRule | undefined): boolean {
  if (rule === undefined) return findings.length > 0;
  return findings.some(({ policy, ruleId }) => policy === rule.policy && ruleId === rule.ruleId);
}

/** Refuses what cannot be said of the trace. */
function assertSound(record: EvaluationRecord, statement: Statement, rule: AnnotatedRule | undefined): void {
  const { mark, expectedOutcome } = statement;
  const violations: FieldViolation[] = spanViolations(record, statement.spans);
  if (mark === AnnotationMark.FALSE_POSITIVE && !findsSomething(record, rule)) {
    const what = rule === undefined ? "nothing was found in the trace" : "this rule found nothing in the trace";
    violations.push({ field: "mark", message: `${what}, so it cannot be a false-positive` });
  }
  if (mark === AnnotationMark.FALSE_NEGATIVE && (expectedOutcome ?? 0) <= record.outcome) {
    const outcome = wireName(OutcomeSchema, record.outcome);
    const message = `a false-negative needs an outcome above that of the trace, which is ${outcome}`;
    violations.push({ field: "expected_outcome", message });
  }
  if (violations.length > 0) throw validationFailed(violations);
}

function spanViolations({ pieces }: EvaluationRecord, spans: readonly AnnotatedSpan[]): FieldViolation[] {
  const lengths = new Map(pieces.map(({ id, length }) => [id, length]));
  return spans.flatMap(({ segment, start, end }, index) => {
    const length = lengths.get(segment);
    if (end <= start) return [{ field: `spans[${index}].end`, message: "must be after start" }];
    // A record without facts for replay does not tell its pieces.
    if (pieces.length === 0) return [];
    if (length === undefined) return [{ field: `spans[${index}].segment`, message: "the trace has no such segment" }];
    return end > length ? [{ field: `spans[${index}].end`, message: `the segment ends at ${length}` }] : [];
  });
}

function statementColumns({ expectedLabels, spans, note, ...statement }: Statement) {
  const { mark, expectedOutcome, isFinal } = statement;
  const shown = spans.map(({ segment, start, end, label }) => ({ segment, start, end, label }));
  const kept = note === "" ? null : note;
  return {
    mark,
    expectedOutcome,
    isFinal,
    expectedLabels: [...expectedLabels],
    spans: JSON.stringify(shown),
    note: kept,
  };
}

function statementOf(row: AnnotationRow): Statement {
  const { mark, expectedOutcome = null, expectedLabels, note = null, isFinal } = row;
  return { mark, expectedOutcome, expectedLabels, spans: spansOf(row), note, isFinal };
}

/** The spans of an annotation. */
export function spansOf({ spans }: Pick<AnnotationRow, "spans">): AnnotatedSpan[] {
  return JSON.parse(spans); // written by statementColumns()
}

// Notes, and what annotators call a place in a text, stay out of the log of evidence: they are erased with their trace.
function auditView(row: AnnotationRow): JsonObject {
  const { traceId, policy, ruleId, mark, expectedOutcome, expectedLabels, annotatorId, isFinal, revision } = row;
  const target: JsonObject = policy === "" ? { kind: "trace" } : { kind: "rule", policy, rule_id: ruleId };
  const spans: readonly AnnotatedSpan[] = JSON.parse(row.spans);
  return {
    ...{ trace_id: traceId, target, mark: wireName(AnnotationMarkSchema, mark) },
    expected_outcome: expectedOutcome == null ? null : wireName(OutcomeSchema, expectedOutcome),
    ...{
      expected_labels: [...expectedLabels],
      spans: spans.map(({ segment, start, end }) => ({ segment, start, end })),
    },
    ...{ annotator: annotatorId, is_final: isFinal, revision },
  };
}
