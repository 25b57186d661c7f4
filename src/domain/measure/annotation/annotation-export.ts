// Exports of annotations: what people said of traces becomes samples of a dataset. Texts are read in short
// transactions; the samples are written in one, during which no erasure begins.

import { fromBinary, type JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { type AnnotationMark, AnnotationMarkSchema } from "../../../../gen/policyguard/control/v1/annotation_pb.ts";
import { type EvaluationRecord, EvaluationRecordSchema } from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import type { TextSet } from "../../../kit/crypto/text-hash.ts";
import { Fault, validationFailed } from "../../../kit/fault/fault.ts";
import { wireName } from "../../../kit/protobuf/wire-name.ts";
import type { Caller } from "../../../kit/rpc/context.ts";
import type { Sealer } from "../../../platform/seal.ts";
import { Turns } from "../../../platform/turns.ts";
import type { Database } from "../../../store/connection/database.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import { type AnnotationRow, annotationsOfTraces } from "../../../store/measure/annotation/annotation.ts";
import {
  type ResolvedFilter,
  tracesWithMarks,
  verdictsOf,
} from "../../../store/measure/annotation/annotation-verdict.ts";
import type { DatasetRow } from "../../../store/measure/dataset/dataset.ts";
import { shareAllEnvironments } from "../../../store/project/environment.ts";
import { type FoundTrace, readTraces } from "../../../store/telemetry/trace-query.ts";
import { readTexts } from "../../../store/telemetry/trace-text.ts";
import type { TextSeals } from "../../sealed-text.ts";
import {
  erasedSubjectsAmong,
  type SubjectDigester,
  subjectDigester,
  subjectsOf,
} from "../../telemetry/erased-subject.ts";
import { hiddenNow } from "../../telemetry/erasure.ts";
import { clockSkewMs } from "../../telemetry/trace-record.ts";
import { TraceSeals } from "../../telemetry/trace-text.ts";
import { addDataset, namesAreUnique, requireChangeable, requireDataset } from "../dataset/dataset.ts";
import { addTracedSamples, type TracedSample } from "../dataset/dataset-sample.ts";
import { checkSample } from "../dataset/sample-check.ts";
import { spansOf } from "./annotation.ts";
import { type ResolvedAnnotation, type ResolvedTarget, sampleOfTrace } from "./annotation-sample.ts";

/** Traces of one export. */
const maxTraces = 10_000;
/** Texts and facts of one export, as they are held until they are written. */
const maxHeldBytes = 64 * 2 ** 20;
const tracesAtOnce = 200;
const maxErrors = 1_000;

/** What to export. */
export interface AnnotationExportInput {
  /** One of the two. */
  readonly datasetId: string | undefined;
  readonly dataset: { readonly name: string; readonly projectId: string | undefined } | undefined;
  readonly filter: ResolvedFilter;
  readonly missingText: "skip" | "signals_only" | "fail";
  readonly redacted: "include" | "skip";
}

/** Why a trace became no sample. */
export interface ExportError {
  readonly traceId: string;
  readonly code: string;
  readonly message: string;
}

/** What came of an export. */
export interface AnnotationExport {
  readonly datasetId: string;
  readonly version: number;
  readonly exported: number;
  readonly withoutText: number;
  readonly redacted: number;
  readonly duplicates: number;
  readonly rejected: number;
  readonly errors: readonly ExportError[];
}

/** What exports are built from. */
export interface AnnotationExportParts {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly seals: TextSeals;
  readonly trainingTexts: TextSet;
}

/** A sample that waits to be written. */
interface Candidate {
  readonly traceId: string;
  readonly createdAt: Date;
  readonly sample: TracedSample;
  /** Keyed hashes of whom it is about. */
  readonly digests: readonly Buffer[];
}

/** What was gathered so far. */
interface Gathered {
  readonly candidates: Candidate[];
  readonly errors: ExportError[];
  withoutText: number;
  redacted: number;
  heldBytes: number;
}

/** Makes samples of annotated traces. */
export class AnnotationExports {
  readonly #parts: AnnotationExportParts;
  readonly #traceSeals: TraceSeals;

  constructor(parts: AnnotationExportParts) {
    this.#parts = parts;
    this.#traceSeals = new TraceSeals(parts.sealer);
  }

  /** Exports to a dataset, as one version. */
  async export(caller: Caller, input: AnnotationExportInput): Promise<AnnotationExport> {
    const { datasetId, dataset } = input;
    checkInput(input);
    if (datasetId !== undefined)
      await this.#parts.database.read(caller.orgId, (tx) => requireDataset(tx, caller, datasetId));
    const gathered = await this.#gather(caller.orgId, input);
    return namesAreUnique(
      this.#parts.database.transaction(caller, async (tx) => {
        const row =
          datasetId === undefined && dataset !== undefined
            ? await addDataset(tx, caller, {
                ...dataset,
                state: "ready",
                catalogId: null,
                origin: saidFilter(input.filter),
              })
            : await requireChangeable(tx, caller, datasetId ?? "");
        const done = await this.#write(tx, caller, { row, gathered });
        // A new dataset has said what it is made of.
        if (datasetId === undefined) return done;
        const { version, exported } = done;
        const before = { version: version - (exported > 0 ? 1 : 0) };
        tx.changed({
          ...{ resource: `dataset/${row.id}`, before },
          after: { version, exported, ...saidFilter(input.filter) },
        });
        return done;
      }),
    );
  }

  async #gather(orgId: string, input: AnnotationExportInput): Promise<Gathered> {
    const { database, sealer } = this.#parts;
    const gathered: Gathered = { candidates: [], errors: [], withoutText: 0, redacted: 0, heldBytes: 0 };
    const traces = await database.read(orgId, (tx) => tracesWithMarks(tx, input.filter, maxTraces + 1));
    if (traces.length > maxTraces)
      throw limitReached(
        `more than ${maxTraces} annotated traces match; narrow the filter by since and until`,
        maxTraces,
      );
    const digest = await database.systemTransaction(orgId, (tx) => subjectDigester(tx, sealer));
    const turns = new Turns();
    for (let at = 0; at < traces.length; at += tracesAtOnce) {
      const page = traces.slice(at, at + tracesAtOnce);
      const read = await database.read(orgId, (tx) => this.#read(tx, page, input.filter.marks));
      const found = new Set(read.map(({ trace }) => trace.id));
      for (const { id } of page) {
        if (!found.has(id)) gathered.errors.push({ traceId: id, ...gone });
      }
      for (const each of read) {
        gather(gathered, each, { digest, input });
        await turns.step();
      }
    }
    if (input.missingText === "fail" && gathered.withoutText > 0) {
      const message = `${gathered.withoutText} of the traces have no whole text; missing_text=skip leaves them out`;
      throw new Fault(Reason.CONFLICT, message, { extra: { without_text: gathered.withoutText } });
    }
    return gathered;
  }

  /** Traces with their texts and what annotators have come to about them; without those that are gone. */
  async #read(
    tx: Transaction,
    page: readonly { readonly id: string; readonly createdAt: Date }[],
    marks: readonly AnnotationMark[],
  ): Promise<AnnotatedTrace[]> {
    const traces = await readTraces(tx, page);
    const ids = traces.map(({ id }) => id);
    const verdicts = Map.groupBy(await verdictsOf(tx, ids), ({ traceId }) => traceId);
    const annotations = Map.groupBy(await annotationsOfTraces(tx, ids), ({ traceId }) => traceId);
    const isHidden = traces.length === 0 ? undefined : await hiddenNow(tx, this.#parts.sealer);
    const texts = await readTexts(tx, traces);
    const seal = texts.size === 0 ? undefined : await this.#traceSeals.forReading(tx);
    return traces.map((trace) => {
      const record = fromBinary(EvaluationRecordSchema, trace.record);
      const sealed = texts.get(trace.id);
      if (sealed !== undefined && seal !== undefined) record.segments = seal.openText(trace.id, sealed);
      const own = annotations.get(trace.id) ?? [];
      const targets = (verdicts.get(trace.id) ?? []).flatMap(({ policy, ruleId, resolvedMark }): ResolvedTarget[] => {
        if (resolvedMark == null || !marks.includes(resolvedMark)) return [];
        const saying = own.filter((row) => row.policy === policy && row.ruleId === ruleId && row.mark === resolvedMark);
        return [{ policy, ruleId, mark: resolvedMark, annotations: saying.map(resolvedAnnotation) }];
      });
      return { trace, record, targets, isErased: trace.erasedAt !== null || isHidden?.({ ...trace, record }) === true };
    });
  }

  async #write(tx: Transaction, caller: Caller, { row, gathered }: Target): Promise<AnnotationExport> {
    const { seals, trainingTexts } = this.#parts;
    await shareAllEnvironments(tx);
    const erased = new Set(await erasedSubjectsAmong(tx, gathered.candidates, { skewMs: clockSkewMs }));
    const left = gathered.candidates.filter((candidate) => !erased.has(candidate));
    const errors = [...gathered.errors, ...[...erased].map(({ traceId }) => ({ traceId, ...erasedTrace }))];
    const parts = { seal: await seals.forWriting(tx), trainingTexts, turns: new Turns() };
    const samples = left.map(({ sample }) => sample);
    const results = await addTracedSamples(tx, parts, row, { samples, createdBy: caller.credential.label });
    for (const [at, result] of results.entries()) {
      if (result.what !== "rejected") continue;
      errors.push({ traceId: left[at]?.traceId ?? "", code: result.code, message: result.message });
    }
    const count = (what: string) => results.filter((result) => result.what === what).length;
    const { withoutText, redacted } = gathered;
    return {
      ...{ datasetId: row.id, version: row.version, exported: count("added"), duplicates: count("duplicate") },
      ...{ withoutText, redacted, rejected: errors.length, errors: errors.slice(0, maxErrors) },
    };
  }
}

interface Target {
  readonly row: DatasetRow;
  readonly gathered: Gathered;
}

interface AnnotatedTrace {
  readonly trace: FoundTrace;
  readonly record: EvaluationRecord;
  readonly targets: readonly ResolvedTarget[];
  readonly isErased: boolean;
}

const gone = { code: "gone", message: "the trace is gone: its retention is over" };
const erasedTrace = { code: "erased", message: "an erasure is about this trace" };

function checkInput({ datasetId, dataset, filter }: AnnotationExportInput): void {
  if ((datasetId === undefined) === (dataset === undefined))
    throw validationFailed([{ field: "dataset_id", message: "expected either dataset_id or dataset" }]);
  const { since, until } = filter;
  if (since !== undefined && until !== undefined && since > until)
    throw validationFailed([{ field: "filter.since", message: "must not be after until" }]);
  // PostgreSQL has no text with NUL in it, so nothing that is stored has either.
  const names = [filter.environment, filter.policy, filter.ruleId];
  if (names.some((name) => name?.includes("\0")))
    throw validationFailed([{ field: "filter", message: "contains NUL" }]);
}

/** Adds the sample of a trace, or why there is none. */
function gather(
  gathered: Gathered,
  { trace, record, targets, isErased }: AnnotatedTrace,
  {
    digest,
    input: { missingText, redacted },
  }: { readonly digest: SubjectDigester; readonly input: AnnotationExportInput },
): void {
  const { id: traceId, createdAt } = trace;
  if (isErased) {
    gathered.errors.push({ traceId, ...erasedTrace });
    return;
  }
  const { sessionId } = record;
  // Samples of one conversation stand and fall together; whose it was need not be told for that.
  const group = sessionId === "" ? null : `session:${digest("session", sessionId).toString("hex").slice(0, 16)}`;
  const { content, text } = sampleOfTrace(record, targets, group);
  if (text === "none") gathered.withoutText += 1;
  if (text === "redacted") gathered.redacted += 1;
  if ((text === "none" && missingText !== "signals_only") || (text === "redacted" && redacted === "skip")) return;
  const [problem] = checkSample(content);
  if (problem !== undefined) {
    const { code, field, message } = problem;
    gathered.errors.push({ traceId, code, message: field === null ? message : `${field} ${message}` });
    return;
  }
  const factBytes = content.facts === null ? 0 : Buffer.byteLength(JSON.stringify(content.facts));
  const textBytes = [content.text ?? "", ...content.segments.map((segment) => segment.text)].join("").length * 2;
  gathered.heldBytes += factBytes + textBytes;
  if (gathered.heldBytes > maxHeldBytes)
    throw limitReached(
      "the texts of these traces have more than 64 MiB; narrow the filter by since and until",
      maxHeldBytes,
    );
  const digests = subjectsOf(record).map(([kind, value]) => digest(kind, value));
  gathered.candidates.push({ traceId, createdAt, digests, sample: { content, subjects: digests } });
}

function resolvedAnnotation(row: AnnotationRow): ResolvedAnnotation {
  const { id, expectedOutcome = null, expectedLabels } = row;
  return { id, expectedOutcome, expectedLabels, spans: spansOf(row) };
}

function limitReached(message: string, limit: number): Fault {
  return new Fault(Reason.LIMIT_REACHED, message, { extra: { limit } });
}

/** The filter as the log of evidence has it. */
function saidFilter({ projectId, environment, policy, ruleId, since, until, marks }: ResolvedFilter): JsonObject {
  const said = { project_id: projectId, environment, policy, rule_id: ruleId, since, until };
  const names = marks.map((mark) => wireName(AnnotationMarkSchema, mark));
  return { filter: { ...JSON.parse(JSON.stringify(said)), marks: names } };
}
