// Checks reported evaluations. A refused one is counted and dropped, and never returned as an error: the runtime would
// send it again forever, and everything after it in the spool would wait.

import { create, toJson } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Finding } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import {
  FailModeSchema,
  ModeSchema,
  Outcome,
  OutcomeSchema,
  Stage,
  StageSchema,
} from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import {
  CaptureModeSchema,
  type EvaluationRecord,
  EvaluationRecordSchema,
} from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { isUuid } from "../../kit/process/id.ts";
import type { NewTrace } from "../../store/telemetry/trace.ts";
import { type Facet, FacetKind } from "../../store/telemetry/trace-facet.ts";
import { erasedRecord } from "./erased-subject.ts";
import { type SplitRecord, splitRecord } from "./trace-text.ts";

/** Evaluations of this age are refused. Keys are kept for as long, so that no evaluation is stored twice. */
export const ageLimitMs = 35 * 86_400_000;
/** How far a runtime's clock may be ahead. */
export const clockSkewMs = 5 * 60_000;
/** Bytes of a record in its Protobuf form. */
const recordLimitBytes = 4 << 20;
const findingLimit = 10_000;
const maxInt32 = 2_147_483_647;

/** An agent's key or id; empty for none. */
export const agentForm = /^[A-Za-z0-9._-]{0,128}$/;

/** Why an evaluation was refused. */
export type Refusal = "invalid" | "too_old" | "in_future";

/** An evaluation that was accepted. */
export interface AcceptedRecord extends NewTrace, SplitRecord {
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
  const parts = splitRecord(record);
  if (parts.record.length + (parts.text?.length ?? 0) > recordLimitBytes) return "invalid";
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
    erasedAt: null,
    ...parts,
    facets: facetsOf(record),
    reported: record,
  };
}

/** What was found, each once: the values by which lists are filtered. */
export function facetsOf({ findings, unjudged }: EvaluationRecord): Facet[] {
  if (findings.length + unjudged.length === 0) return [];
  const kinds: [FacetKind, Iterable<string>][] = [
    [FacetKind.RULE, findings.map(({ ruleId }) => ruleId)],
    [FacetKind.POLICY, findings.map(({ policy }) => policy)],
    [FacetKind.DETECTOR, findings.map(({ detector }) => detector)],
    [FacetKind.CATEGORY, findings.map(({ category }) => category)],
    [FacetKind.UNJUDGED, unjudged.map(({ reason }) => reason)],
  ];
  return kinds.flatMap(([kind, values]) =>
    [...new Set(values)].flatMap((value) => (value === "" ? [] : [{ kind, value }])),
  );
}

/** The same evaluation without person and text, as of now. */
export function withoutSubject(record: AcceptedRecord, now: Date): AcceptedRecord {
  const reported = erasedRecord(record.reported);
  return { ...record, sessionId: null, userId: null, erasedAt: now, ...splitRecord(reported), reported };
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
    record.findings.every(isKnownFinding) &&
    record.unjudged.every(({ onError }) => FailModeSchema.value[onError] !== undefined) &&
    record.findings.length <= findingLimit &&
    record.latencyUs >= 0 &&
    record.latencyUs <= maxInt32
  );
}

function hasStorableTexts(record: EvaluationRecord): boolean {
  return (
    agentForm.test(record.agentId) &&
    isStorable(record.sessionId, 256) &&
    isStorable(record.userId, 256) &&
    isStorable(record.decidedByRule, 256) &&
    isStorable(record.decidedByPolicy, 256) &&
    isStorable(record.language, 64) &&
    record.findings.every(hasStorableNames) &&
    record.unjudged.every(({ detector, reason }) => isStorable(detector, 256) && isStorable(reason, 256))
  );
}

function isKnownFinding({ mode, action }: Finding): boolean {
  return ModeSchema.value[mode] !== undefined && OutcomeSchema.value[action] !== undefined;
}

function hasStorableNames({ ruleId, policy, detector, category }: Finding): boolean {
  return [ruleId, policy, detector, category].every((name) => isStorable(name, 256));
}

/** Whether a text can be stored: PostgreSQL has no text with NUL in it. */
export function isStorable(text: string, maxLength: number): boolean {
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
