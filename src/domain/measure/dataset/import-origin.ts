// Samples of an imported file that were copied from traces, by an export of this organization. An erasure that came
// meanwhile holds for them, and a later one reaches them.

import { fromBinary } from "@bufbuild/protobuf";
import { EvaluationRecordSchema } from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import type { Sealer } from "../../../platform/seal.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import { subjectsBeside } from "../../../store/measure/dataset/dataset-subject.ts";
import { shareAllEnvironments } from "../../../store/project/environment.ts";
import { recordsOfTraces } from "../../../store/telemetry/trace-erasure.ts";
import { erasedSubjectsAmong, subjectDigester, subjectsOf } from "../../telemetry/erased-subject.ts";
import { clockSkewMs } from "../../telemetry/trace-record.ts";
import type { SampleContent } from "./sample-content.ts";

/** What is known about the traces of samples. */
export interface Origins {
  /** Whether an erasure is about the trace. */
  readonly isErased: (content: SampleContent) => boolean;
  /** Keyed hashes of whom the sample is about. */
  readonly subjectsOf: (content: SampleContent) => readonly Buffer[];
}

/** The origins of samples that say one; undefined when none does. No erasure begins before the commit. */
export async function originsOf(
  tx: Transaction,
  sealer: Sealer,
  contents: readonly SampleContent[],
): Promise<Origins | undefined> {
  const ids = [...new Set(contents.flatMap(({ source }) => source?.traceId.toLowerCase() ?? []))];
  if (ids.length === 0) return undefined;
  await shareAllEnvironments(tx);
  const digest = await subjectDigester(tx, sealer);
  const records = new Map((await recordsOfTraces(tx, ids)).map((trace) => [trace.id, trace]));
  const about = ids.map((id) => {
    const trace = records.get(id);
    const subjects = trace === undefined ? [] : subjectsOf(fromBinary(EvaluationRecordSchema, trace.record));
    const digests = [digest("traces", id), ...subjects.map(([kind, value]) => digest(kind, value))];
    // A trace that is gone was made before whatever was erased by its id.
    return { id, digests, createdAt: trace?.createdAt ?? new Date(0), erasedAt: trace?.erasedAt ?? null };
  });
  const erased = new Set([
    ...(await erasedSubjectsAmong(tx, about, { skewMs: clockSkewMs })),
    ...about.filter(({ erasedAt }) => erasedAt !== null),
  ]);
  const erasedIds = new Set([...erased].map(({ id }) => id));
  // Of a trace that is gone, other samples of it know whom it was about.
  const beside = await subjectsBeside(
    tx,
    about.flatMap(({ digests: [own] }) => own ?? []),
  );
  const known = new Map(
    about.map(({ id, digests }) => [id, [...digests, ...(beside.get(digests[0]?.toString("hex") ?? "") ?? [])]]),
  );
  return {
    isErased: ({ source }) => source !== null && erasedIds.has(source.traceId.toLowerCase()),
    subjectsOf: ({ source }) => known.get(source?.traceId.toLowerCase() ?? "") ?? [],
  };
}
