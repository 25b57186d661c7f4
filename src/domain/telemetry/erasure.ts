// Erasures: what the organization's records say about somebody is hidden at once and removed by a run.

import type { EvaluationRecord } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { notFound, validationFailed } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import type { Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { lockAllEnvironments } from "../../store/project/environment.ts";
import { listRuns, listUndoneRuns, type RunRow } from "../../store/run/run.ts";
import { noteErasedSubjects } from "../../store/telemetry/erased-subject.ts";
import { addressesOfMember } from "../../store/telemetry/trace-erasure.ts";
import { addressKey } from "../mail/email.ts";
import { addRun, reportOf, requireRun } from "../run/run.ts";
import { digestKeyId, type SubjectKind, subjectDigester, subjectsOf } from "./erased-subject.ts";
import { type ErasedCounts, type ErasureSpec, erasedCountsOf, erasureReach, erasureSpecOf } from "./erasure-run.ts";

/** Whose data to erase: exactly one field is set. */
export interface SubjectInput {
  readonly userId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly traceIds: readonly string[];
  readonly memberId?: string | undefined;
  readonly fingerprint?: string | undefined;
}

/** An erasure: its run, and what it is about. */
export interface Erasure {
  readonly run: RunRow;
  readonly spec: Omit<ErasureSpec, "values">;
  readonly erased: ErasedCounts;
}

/** Erases, and reads the ledger. */
export class Erasures {
  readonly #database: Database;
  readonly #sealer: Sealer;

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  /** Begins to erase a subject. */
  create(caller: Caller, input: SubjectInput, reason: string): Promise<Erasure> {
    return this.#database.transaction(caller, async (tx) => {
      const { kind, values } = await subjectOf(tx, input);
      // Evaluations that are being stored are committed first, and the run finds them; later ones find the note below.
      await lockAllEnvironments(tx);
      const digest = await subjectDigester(tx, this.#sealer);
      const digests = values.map((value) => digest(kind, value));
      await noteErasedSubjects(tx, digests);
      const spec = {
        ...{ kind, reason, values: [...values], digests: digests.map((each) => each.toString("hex")) },
        keyId: await digestKeyId(tx, this.#sealer),
        until: erasureReach(tx.now).toISOString(),
      };
      const run = await addRun(tx, { kind: "erasure", spec, createdBy: caller.credential.label });
      // Without the subject: the log would remember whom it is to forget.
      const after = { subject: { kind, digests: spec.digests }, reason };
      tx.changed({ resource: `erasure/${run.id}`, before: null, after });
      return erasureOf(run);
    });
  }

  /** A page of the ledger, newest first. */
  list(caller: Caller, page: Page): Promise<[Erasure[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      const [runs, total] = await listRuns(tx, "erasure", page);
      return [runs.map(erasureOf), total];
    });
  }

  /** The erasure. */
  get(caller: Caller, id: string): Promise<Erasure> {
    return this.#database.read(caller.orgId, async (tx) => erasureOf(await requireRun(tx, "erasure", id, "erasure")));
  }
}

/** Whether a trace is to be hidden, since an erasure that is under way, or failed, is about it. */
export type Hidden = (trace: { readonly record: EvaluationRecord; readonly createdAt: Date }) => boolean;

/** What to hide now; undefined when there is nothing. */
export async function hiddenNow(tx: Transaction, sealer: Sealer): Promise<Hidden | undefined> {
  const specs = (await listUndoneRuns(tx, "erasure")).map(({ spec }) => erasureSpecOf(JSON.parse(spec)));
  if (specs.length === 0) return undefined;
  const digest = await subjectDigester(tx, sealer);
  const untilOf = new Map(specs.flatMap(({ digests, until }) => digests.map((each) => [each, Date.parse(until)])));
  return ({ record, createdAt }) =>
    subjectsOf(record).some(([kind, value]) => {
      const until = untilOf.get(digest(kind, value).toString("hex"));
      return until !== undefined && createdAt.getTime() <= until;
    });
}

async function subjectOf(
  tx: Transaction,
  { userId, sessionId, traceIds, memberId, fingerprint }: SubjectInput,
): Promise<{ readonly kind: SubjectKind; readonly values: readonly string[] }> {
  const given = (
    [
      ["user", userId],
      ["session", sessionId],
      ["member", memberId],
      ["fingerprint", fingerprint],
    ] as const
  ).flatMap(([kind, value]) => (value === undefined ? [] : [{ kind, values: [value] }]));
  const traces = [...new Set(traceIds.map((id) => id.toLowerCase()))];
  const all: { kind: SubjectKind; values: string[] }[] = [...given];
  if (traces.length > 0) all.push({ kind: "traces", values: traces });
  const [subject, another] = all;
  if (subject === undefined || another !== undefined) {
    const message = "expected exactly one of user_id, session_id, trace_ids, member_id and fingerprint";
    throw validationFailed([{ field: "subject", message }]);
  }
  // PostgreSQL has no text with NUL in it, so nothing that is stored has either.
  if (subject.values.some((value) => value.includes("\0"))) {
    throw validationFailed([{ field: "subject", message: "must not contain NUL" }]);
  }
  if (subject.kind !== "member") return subject;
  const addresses = await addressesOfMember(tx, subject.values.join(""));
  if (addresses.length === 0) throw notFound("member");
  // The log may have an address in a spelling that no row has any more: the key finds each.
  return { kind: "member", values: [...new Set([...addresses, ...addresses.map(addressKey)])] };
}

function erasureOf(run: RunRow): Erasure {
  const { values: _, ...spec } = erasureSpecOf(JSON.parse(run.spec));
  return { run, spec, erased: erasedCountsOf(reportOf(run)) };
}
