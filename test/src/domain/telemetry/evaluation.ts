// Evaluations as runtimes report them.

import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { FindingSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Mode, Outcome, Severity, Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import {
  CaptureMode,
  type EvaluationRecord,
  EvaluationRecordSchema,
} from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import type { IngestBatch } from "../../../../src/domain/fleet/ingest.ts";

/** Fields to set. */
export type Change = Partial<Omit<EvaluationRecord, "$typeName" | "$unknown">>;

/** A record of an allowed input, changed as given. */
export function evaluation(change: Change = {}, createdAt = new Date()): EvaluationRecord {
  return create(EvaluationRecordSchema, {
    evaluationId: randomUUID(),
    createdAt: timestampFromDate(createdAt),
    stage: Stage.INPUT,
    outcome: Outcome.ALLOW,
    wouldBeOutcome: Outcome.ALLOW,
    bundle: { version: 3, digest: `sha256:${"0".repeat(64)}`, activationSeq: 4 },
    language: "en",
    latencyUs: 180,
    capture: CaptureMode.NONE,
    ...change,
  });
}

/** A record of an input that a rule blocked. */
export function blockedEvaluation(ruleId: string, change: Change = {}): EvaluationRecord {
  return evaluation({
    outcome: Outcome.BLOCK,
    wouldBeOutcome: Outcome.BLOCK,
    decidedByRule: ruleId,
    decidedByPolicy: "support-bot",
    findings: [
      create(FindingSchema, {
        ruleId,
        policy: "support-bot",
        detector: "secrets",
        category: "secrets.token",
        severity: Severity.CRITICAL,
        action: Outcome.BLOCK,
        mode: Mode.ENFORCE,
        segment: "s1",
        start: 4,
        end: 24,
        score: 1,
        threshold: 0.5,
        layer: "plain",
      }),
    ],
    ...change,
  });
}

/** A batch of these records, from this place of the spool on. */
export function batchOf(records: readonly EvaluationRecord[], firstSeq = 1): IngestBatch {
  return { firstSeq, lastSeq: firstSeq + records.length - 1, records };
}
