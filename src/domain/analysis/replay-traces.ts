// Replays many records at once, and counts what comes of them.

import { fromBinary } from "@bufbuild/protobuf";
import type { Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { type EvaluationRecord, EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { segmentsOf, unpackText } from "./packed-text.ts";
import { type LiftedRule, withoutOverrides } from "./replay-lifted.ts";
import type { TraceMark } from "./replay-marks.ts";
import { differenceOf, ReplayTally, type TallyData } from "./replay-tally.ts";
import { judgeOf, type PolicyTarget, type ReplayBy, type ReplayTarget, replayBy } from "./replay-trace.ts";
import type { Tools } from "./tools.ts";

/** One of the traces to replay. */
export interface TraceToReplay {
  readonly id: string;
  readonly createdMs: number;
  /** The part of the sample that it belongs to. */
  readonly stratum: number;
  /** The EvaluationRecord's bytes. */
  readonly record: Uint8Array;
  /** The captured text, packed; undefined where the record has it, or none was kept. */
  readonly text: Uint8Array | undefined;
  /** What annotators have settled of it. */
  readonly marks: readonly TraceMark[];
}

/** Traces of one environment to replay. */
export interface TracesReplay {
  readonly target: ReplayTarget;
  readonly by: ReplayBy;
  /** Whether any text may be read. */
  readonly mayReadText: boolean;
  /** The time at which the policies are judged; undefined: that of each trace. */
  readonly nowMs: number | undefined;
  /** Rules whose overrides do not count in what traces came to. */
  readonly lifted: readonly LiftedRule[];
  readonly traces: readonly TraceToReplay[];
}

/** A trace whose outcome is another one, or is not known. */
export interface FoundChange {
  readonly traceId: string;
  readonly createdMs: number;
  readonly was: Outcome;
  readonly least: Outcome;
  readonly most: Outcome;
  readonly wasRule: string | null;
  readonly wasPolicy: string | null;
  readonly rule: string | null;
  readonly policy: string | null;
  readonly hasReadText: boolean;
  readonly reasons: readonly string[];
}

/** What came of many replays. */
export interface TracesReplayed {
  readonly tally: TallyData;
  readonly changes: readonly FoundChange[];
}

/** Replays traces. */
export function replayTraces(question: TracesReplay, tools: Tools): TracesReplayed {
  const { target, by, mayReadText, nowMs, lifted, traces } = question;
  const judge = judgeOf(target, tools);
  tools.enter("judging the traces");
  const tally = new ReplayTally();
  const changes: FoundChange[] = [];
  for (const trace of traces) {
    const record = recordOf(trace, mayReadText);
    const replayed = replayBy(judge, record, { by: mayReadText ? by : "signals", nowMs: nowMs ?? trace.createdMs });
    const was = withoutOverrides(record, lifted);
    tally.add({ record: was, stratum: trace.stratum, replayed, marks: trace.marks });
    const { range, decidedBy, reasons, usedText } = replayed;
    const { isBounded, isChanged } = differenceOf(was.outcome, range);
    if (!isBounded && !isChanged) continue;
    changes.push({
      traceId: trace.id,
      createdMs: trace.createdMs,
      ...{ was: was.outcome, least: range.least, most: range.most },
      wasRule: was.decidedByRule || null,
      wasPolicy: was.decidedByPolicy || null,
      rule: decidedBy?.ruleId || null,
      policy: decidedBy?.policy || null,
      hasReadText: usedText,
      reasons,
    });
  }
  return { tally: tally.data, changes };
}

/** Throws as replays by the policy would throw; returns its name, since it takes the place of the one of that name. */
export function checkReplay(target: PolicyTarget, tools: Tools): { readonly policy: string } {
  return { policy: judgeOf(target, tools).replaces ?? "" };
}

function recordOf({ record: bytes, text }: TraceToReplay, mayReadText: boolean): EvaluationRecord {
  const record = fromBinary(EvaluationRecordSchema, bytes);
  if (!mayReadText) record.segments = [];
  else if (text !== undefined) record.segments = segmentsOf(unpackText(text));
  return record;
}
