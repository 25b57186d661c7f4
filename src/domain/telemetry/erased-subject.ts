// Keyed hashes that identify whom an erasure is about. They recognize a subject without telling who it was.

import { createHmac } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { type Finding, FindingSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { type EvaluationRecord, EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import type { Sealer } from "../../platform/seal.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { findErasedSubjects, hasErasedSubjects } from "../../store/telemetry/erased-subject.ts";
import { hasOrganizationKey, organizationKey } from "../organization-key.ts";

/** What a subject is: a person or a conversation as traces name it, a trace, a member, or a matched text. */
export type SubjectKind = (typeof subjectKinds)[number];

const subjectKinds = ["user", "session", "traces", "member", "fingerprint"] as const;

/** Whether the text is a kind of subject. */
export function isSubjectKind(text: string): text is SubjectKind {
  return subjectKinds.some((kind) => kind === text);
}

const keyName = "erasure_key";
const keyIdBytes = 8;

/** Makes digests of one organization. */
export type SubjectDigester = (kind: SubjectKind, value: string) => Buffer;

/** The organization's digester. Its key is made when it is first needed. */
export async function subjectDigester(tx: Transaction, sealer: Sealer): Promise<SubjectDigester> {
  const key = await organizationKey(tx, sealer, keyName);
  return (kind, value) => createHmac("sha256", key).update(`${kind}\0${value}`).digest();
}

/** Names the key of the organization's digester, in hexadecimal digits. No subject has a text of this kind. */
export async function digestKeyId(tx: Transaction, sealer: Sealer): Promise<string> {
  const key = await organizationKey(tx, sealer, keyName);
  return createHmac("sha256", key).update("key id").digest().subarray(0, keyIdBytes).toString("hex");
}

/** Whether the organization has a key of digests. One that it has not can recognize nobody of a ledger. */
export function hasDigestKey(tx: Transaction): Promise<boolean> {
  return hasOrganizationKey(tx, keyName);
}

/** The subjects that a trace has: what an erasure of any of them would reach. */
export function subjectsOf(record: EvaluationRecord): readonly (readonly [SubjectKind, string])[] {
  const subjects: [SubjectKind, string][] = [["traces", record.evaluationId.toLowerCase()]];
  if (record.userId !== "") subjects.push(["user", record.userId]);
  if (record.sessionId !== "") subjects.push(["session", record.sessionId]);
  for (const { fingerprint } of record.findings) if (fingerprint !== "") subjects.push(["fingerprint", fingerprint]);
  return subjects;
}

/**
 * The record without person and text: what decided, and when, stays. Named fields are kept and all others go, so that
 * what a later version adds is erased until somebody decides otherwise.
 */
export function erasedRecord(record: EvaluationRecord): EvaluationRecord {
  const { evaluationId, createdAt, stage, agentId, outcome, wouldBeOutcome, unjudged, bundle } = record;
  const { language, latencyUs, model, capture, decidedByRule, decidedByPolicy, leaseId, samplingPercent } = record;
  return create(EvaluationRecordSchema, {
    ...{ evaluationId, createdAt, stage, agentId, outcome, wouldBeOutcome, unjudged, bundle },
    ...{ language, latencyUs, model, capture, decidedByRule, decidedByPolicy, leaseId, samplingPercent },
    findings: record.findings.map(erasedFinding),
  });
}

function erasedFinding({ ruleId, policy, detector, category, severity, action, mode, exemptedBy }: Finding): Finding {
  return create(FindingSchema, { ruleId, policy, detector, category, severity, action, mode, exemptedBy });
}

/**
 * The records among these that were made before their subject was erased. `skewMs` is how far the clocks of runtimes
 * may be ahead.
 */
export async function erasedAmong(
  tx: Transaction,
  sealer: Sealer,
  records: readonly { readonly reported: EvaluationRecord; readonly createdAt: Date }[],
  { skewMs }: { readonly skewMs: number },
): Promise<ReadonlySet<EvaluationRecord>> {
  if (records.length === 0 || !(await hasErasedSubjects(tx))) return new Set();
  const digest = await subjectDigester(tx, sealer);
  const known = records.map(({ reported, createdAt }) => ({
    ...{ reported, createdAt },
    digests: subjectsOf(reported).map(([kind, value]) => digest(kind, value)),
  }));
  return new Set((await erasedSubjectsAmong(tx, known, { skewMs })).map(({ reported }) => reported));
}

/** Of what is about these subjects, that which was made before one of them was erased. */
export async function erasedSubjectsAmong<T extends { readonly digests: readonly Buffer[]; readonly createdAt: Date }>(
  tx: Transaction,
  about: readonly T[],
  { skewMs }: { readonly skewMs: number },
): Promise<T[]> {
  const found = await findErasedSubjects(
    tx,
    about.flatMap(({ digests }) => digests),
  );
  return about.filter(({ digests, createdAt }) =>
    digests.some((each) => {
      const erasedAt = found.get(each.toString("hex"));
      return erasedAt !== undefined && createdAt.getTime() <= erasedAt.getTime() + skewMs;
    }),
  );
}
