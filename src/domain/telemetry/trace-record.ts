// Checks reported evaluations. A refused one is counted and dropped, and never returned as an error: the runtime would
// send it again forever, and everything after it in the spool would wait.

import { hash } from "node:crypto";
import { create, toBinary, toJson } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Outcome, OutcomeSchema, Stage, StageSchema } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import {
  CaptureModeSchema,
  type EvaluationRecord,
  EvaluationRecordSchema,
} from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { isUuid } from "../../kit/process/id.ts";
import type { NewTrace } from "../../store/telemetry/trace.ts";

/** Evaluations of this age are refused. Keys are kept for as long, so that no evaluation is stored twice. */
export const ageLimitMs = 35 * 86_400_000;
/** How far a runtime's clock may be ahead. */
export const clockSkewMs = 5 * 60_000;
/** Bytes of a record in its Protobuf form. */
const recordLimitBytes = 4 << 20;
const findingLimit = 10_000;
const maxInt32 = 2_147_483_647;

/** Why an evaluation was refused. */
export type Refusal = "invalid" | "too_old" | "in_future";

/** An evaluation that was accepted. */
export interface AcceptedRecord extends NewTrace {
  readonly payloadHash: Uint8Array;
  /** The record as it came. */
  readonly reported: EvaluationRecord;
}

/** Turns a record into an evaluation to store, or returns why it is refused. */
export function acceptRecord(record: EvaluationRecord, now: Date): AcceptedRecord | Refusal {
  if (record.createdAt === undefined || !isUuid(record.evaluationId)) return "invalid";
  const createdAt = timestampDate(record.createdAt);
  if (Number.isNaN(createdAt.getTime())) return "invalid";
  if (createdAt.getTime() < now.getTime() - ageLimitMs) return "too_old";
  if (createdAt.getTime() > now.getTime() + clockSkewMs) return "in_future";
  if (!hasKnownValues(record) || !hasStorableTexts(record) || !hasJsonMetadata(record)) return "invalid";
  const bytes = toBinary(EvaluationRecordSchema, record);
  if (bytes.length > recordLimitBytes) return "invalid";
  return {
    // PostgreSQL writes UUIDs in lower case, and they are compared as text.
    id: record.evaluationId.toLowerCase(),
    createdAt,
    agentKey: textOrNull(record.agentId),
    sessionId: textOrNull(record.sessionId),
    userId: textOrNull(record.userId),
    stage: record.stage,
    outcome: record.outcome,
    wouldBeOutcome: record.wouldBeOutcome,
    decidedByRule: textOrNull(record.decidedByRule),
    decidedByPolicy: textOrNull(record.decidedByPolicy),
    bundleVersion: record.bundle?.version ?? 0,
    latencyUs: record.latencyUs,
    language: textOrNull(record.language),
    capture: record.capture,
    record: bytes,
    ruleIds: [...new Set(record.findings.map((finding) => finding.ruleId))].filter((id) => id !== ""),
    payloadHash: hash("sha256", bytes, "buffer"),
    reported: record,
  };
}

function hasKnownValues(record: EvaluationRecord): boolean {
  return (
    record.stage !== Stage.UNSPECIFIED &&
    StageSchema.value[record.stage] !== undefined &&
    record.outcome !== Outcome.UNSPECIFIED &&
    OutcomeSchema.value[record.outcome] !== undefined &&
    record.wouldBeOutcome !== Outcome.UNSPECIFIED &&
    OutcomeSchema.value[record.wouldBeOutcome] !== undefined &&
    CaptureModeSchema.value[record.capture] !== undefined &&
    record.findings.length <= findingLimit &&
    record.latencyUs >= 0 &&
    record.latencyUs <= maxInt32
  );
}

function hasStorableTexts(record: EvaluationRecord): boolean {
  return (
    /^[A-Za-z0-9._-]{0,128}$/.test(record.agentId) &&
    isStorable(record.sessionId, 256) &&
    isStorable(record.userId, 256) &&
    isStorable(record.decidedByRule, 256) &&
    isStorable(record.decidedByPolicy, 256) &&
    isStorable(record.language, 64) &&
    record.findings.every((finding) => isStorable(finding.ruleId, 256))
  );
}

// PostgreSQL has no text with NUL in it.
function isStorable(text: string, maxLength: number): boolean {
  return text.length <= maxLength && !text.includes("\0");
}

// A Struct on the wire can contain values that JSON cannot, such as NaN. A stored one would break every page of a list
// that shows it.
function hasJsonMetadata({ metadata }: EvaluationRecord): boolean {
  if (metadata === undefined) return true;
  try {
    toJson(EvaluationRecordSchema, create(EvaluationRecordSchema, { metadata }));
    return true;
  } catch {
    return false;
  }
}

function textOrNull(text: string): string | null {
  return text === "" ? null : text;
}
