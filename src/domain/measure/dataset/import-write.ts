// Writes the samples of a file into a version that does not exist yet. Batches are committed as they come, so that an
// import needs little memory and no long transaction; their rows belong to the next version, which nobody reads before
// the last step makes it.

import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import type { TextSet } from "../../../kit/crypto/text-hash.ts";
import { Fault, notFound } from "../../../kit/fault/fault.ts";
import type { Sealer } from "../../../platform/seal.ts";
import { Turns } from "../../../platform/turns.ts";
import type { Database } from "../../../store/connection/database.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import { type DatasetRow, findVersion, lockDataset } from "../../../store/measure/dataset/dataset.ts";
import { type DatasetImportRow, datasetOfImport, lockImport } from "../../../store/measure/dataset/dataset-import.ts";
import { discardVersion, recountSamples } from "../../../store/measure/dataset/dataset-sample.ts";
import { noteSubjects } from "../../../store/measure/dataset/dataset-subject.ts";
import type { TextSeals } from "../../sealed-text.ts";
import { catalogEntry } from "./dataset-catalog.ts";
import {
  type AddedResult,
  type AddedSample,
  addToVersion,
  type OnDuplicate,
  VersionNumbers,
} from "./dataset-change.ts";
import { commitVersion } from "./dataset-sample.ts";
import type { ImportMapping } from "./import-mapping.ts";
import { type Origins, originsOf } from "./import-origin.ts";
import { type FileRecord, type ImportFormat, readRecords } from "./import-record.ts";
import { RecordReader } from "./record-reader.ts";

/** Why records were refused: so many are kept. */
export const maxProblems = 1_000;
const samplesAtOnce = 500;
const bytesAtOnce = 2 << 20;
/** A batch is written at the latest after this time, so that others see that the import goes on. */
const batchMs = 10_000;

/** How a file is read. */
export interface ImportTerms {
  readonly format: ImportFormat;
  readonly mapping: ImportMapping;
  readonly onDuplicate: OnDuplicate;
}

/** Why a record was refused. */
export type ImportProblem = {
  readonly line: number;
  readonly column: number | null;
  readonly field: string | null;
  readonly code: string;
  readonly message: string;
};

type RecordProblem = Pick<ImportProblem, "field" | "code" | "message">;

/** What has come of an import so far. */
export interface ImportTally {
  readonly bytes: number;
  readonly lines: number;
  readonly added: number;
  readonly replaced: number;
  readonly duplicates: number;
  readonly rejected: number;
}

/** What an import is written with. */
export interface ImportParts {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly seals: TextSeals;
  readonly trainingTexts: TextSet;
}

/** An import that has begun: which one, into what, and the try that may write. */
export interface BegunImport {
  readonly orgId: string;
  readonly id: string;
  readonly datasetId: string;
  readonly attempt: number;
}

/** Writes one import. */
export class ImportWriter {
  readonly #parts: ImportParts;
  readonly #begun: BegunImport;
  readonly #terms: ImportTerms;
  readonly #reader: RecordReader;
  readonly #turns = new Turns();
  readonly #problems: ImportProblem[] = [];
  #tally = { bytes: 0, lines: 0, added: 0, replaced: 0, duplicates: 0, rejected: 0 };
  #batch: AddedSample[] = [];
  #batchBytes = 0;
  #batchSince = performance.now();
  /** Whether samples were copied from traces: an erasure may have taken some of them since they were written. */
  #isTraced = false;
  #numbers: VersionNumbers | undefined;
  #base: { readonly version: number; readonly revision: number } | undefined;

  constructor(parts: ImportParts, begun: BegunImport, terms: ImportTerms) {
    this.#parts = parts;
    this.#begun = begun;
    this.#terms = terms;
    this.#reader = new RecordReader(terms);
  }

  /** Reads the whole file, and writes all samples but the last few, which `finish` writes. */
  async read(file: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const records of readRecords(this.#counted(file), this.#terms.format)) {
      for (const record of records) {
        this.#take(record);
        await this.#turns.step();
        const isFull = this.#batch.length >= samplesAtOnce || this.#batchBytes >= bytesAtOnce;
        if (isFull || performance.now() - this.#batchSince > batchMs) await this.#flush();
      }
    }
    await this.#flush();
  }

  /** Makes the version, in this transaction. */
  async finish(tx: Transaction, createdBy: string): Promise<DatasetImportRow> {
    const { dataset, row } = await this.#lock(tx);
    const numbers = this.#numbers ?? new VersionNumbers(dataset);
    const former = dataset.version;
    const isErased = this.#base !== undefined && (await revisionOf(tx, dataset)) !== this.#base.revision;
    if (isErased || this.#isTraced) await recount(tx, dataset, numbers);
    commitVersion(tx, dataset, numbers, { createdBy, importId: row.id });
    Object.assign(row, this.#tally, {
      ...{ state: "succeeded", finishedAt: tx.now, touchedAt: tx.now },
      ...{ version: dataset.version > former ? dataset.version : null, problems: JSON.stringify(this.#problems) },
    });
    return row;
  }

  /** Ends the import without a version. Returns it, or null when it has ended already. */
  fail(error: { readonly code: string; readonly message: string }): Promise<DatasetImportRow | null> {
    const problems = JSON.stringify(this.#problems);
    return abandonImport(this.#parts.database, this.#begun, { state: "failed", error, problems, tally: this.#tally });
  }

  async *#counted(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of file) {
      this.#tally.bytes += piece.byteLength;
      yield piece;
      // A file that comes slowly has to show that it comes.
      if (performance.now() - this.#batchSince > batchMs) await this.#flush();
    }
  }

  #take(record: FileRecord): void {
    const read = this.#reader.read(record);
    if (read === undefined) return;
    this.#tally.lines += 1;
    if ("problems" in read) this.#refuse(read.line, read.problems, read.column);
    else {
      this.#batch.push({ line: record.line, content: read.content });
      this.#batchBytes += record.text.length;
    }
  }

  #refuse(line: number, problems: readonly RecordProblem[], column: number | null = null): void {
    this.#tally.rejected += 1;
    const room = maxProblems - this.#problems.length;
    for (const { field, code, message } of problems.slice(0, Math.max(room, 0))) {
      this.#problems.push({ line, column, field, code, message });
    }
  }

  async #flush(): Promise<void> {
    const samples = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    this.#batchSince = performance.now();
    const { database, sealer, seals, trainingTexts } = this.#parts;
    const { numbers, results } = await database.systemTransaction(this.#begun.orgId, async (tx) => {
      const { dataset, row } = await this.#lock(tx);
      // A copy, since the transaction may be tried again.
      const next = this.#numbers?.copy() ?? new VersionNumbers(dataset);
      this.#base ??= { version: dataset.version, revision: await revisionOf(tx, dataset) };
      const target = { datasetId: dataset.id, version: dataset.version + 1, numbers: next };
      const parts = { seal: await seals.forWriting(tx), trainingTexts, turns: this.#turns };
      const origins = await originsOf(
        tx,
        sealer,
        samples.map(({ content }) => content),
      );
      const left = samples.filter(({ content }) => origins?.isErased(content) !== true);
      const onDuplicate = this.#terms.onDuplicate;
      const placed = await addToVersion(tx, parts, target, { samples: left, onDuplicate });
      if (origins !== undefined) await noteOrigins(tx, dataset.id, origins, { samples: left, results: placed });
      Object.assign(row, this.#tally, { added: next.added, replaced: next.changed, touchedAt: tx.now });
      const found = new Map(left.map((sample, at) => [sample, placed[at]]));
      return { numbers: next, results: samples.map((sample) => found.get(sample) ?? erased) };
    });
    this.#isTraced ||= samples.some(({ content }) => content.source !== null);
    this.#numbers = numbers;
    this.#tally.added = numbers.added;
    this.#tally.replaced = numbers.changed;
    for (const [at, result] of results.entries()) {
      if (result.what === "duplicate") this.#tally.duplicates += 1;
      else if (result.what === "rejected") this.#refuse(samples[at]?.line ?? 0, [result]);
    }
  }

  async #lock(tx: Transaction): Promise<{ readonly dataset: DatasetRow; readonly row: DatasetImportRow }> {
    const dataset = await lockDataset(tx, this.#begun.datasetId);
    if (dataset === null) throw notFound("dataset");
    const row = await lockImport(tx, this.#begun.id);
    if (row === null || row.state !== "running" || row.attempt !== this.#begun.attempt)
      throw new Fault(Reason.CONFLICT, "the import was canceled, or begun anew");
    return { dataset, row };
  }
}

const erased: AddedResult = {
  ...{ what: "rejected", code: "erased", field: "source" },
  message: "an erasure is about the trace that it was copied from",
};

/** Has later erasures reach samples that were copied from traces. */
async function noteOrigins(
  tx: Transaction,
  datasetId: string,
  origins: Origins,
  { samples, results }: { readonly samples: readonly AddedSample[]; readonly results: readonly AddedResult[] },
): Promise<void> {
  const subjects = results.flatMap((result, at) => {
    const content = samples[at]?.content;
    if (content === undefined || (result.what !== "added" && result.what !== "replaced")) return [];
    return origins.subjectsOf(content).map((digest) => ({ digest, sampleId: result.sampleId }));
  });
  await noteSubjects(tx, datasetId, subjects);
}

async function revisionOf(tx: Transaction, { id, version }: DatasetRow): Promise<number> {
  return (await findVersion(tx, id, version))?.erasureRevision ?? 0;
}

// An erasure came in between: it has counted for the version before, and some of what it took this import had replaced.
async function recount(tx: Transaction, dataset: DatasetRow, numbers: VersionNumbers): Promise<void> {
  const found = await recountSamples(tx, dataset.id);
  numbers.sampleCount = found.sampleCount;
  numbers.trainingOverlap = found.trainingOverlap;
  numbers.sizeBytes = found.sizeBytes;
  Object.assign(numbers.counts, found.counts);
}

/** How an import ends that makes no version. */
export interface Abandonment {
  readonly state: "failed" | "canceled";
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly problems?: string;
  readonly tally?: ImportTally;
}

/** Ends an import without a version, and removes what it has written. Null when it has ended already. */
export function abandonImport(
  database: Database,
  { orgId, id, attempt }: Pick<BegunImport, "orgId" | "id"> & { readonly attempt?: number },
  end: Abandonment,
): Promise<DatasetImportRow | null> {
  return database.systemTransaction(orgId, (tx) => abandonWithin(tx, { id, attempt }, end));
}

/** The same in a transaction. */
export async function abandonWithin(
  tx: Transaction,
  { id, attempt }: { readonly id: string; readonly attempt?: number | undefined },
  { state, error, problems, tally }: Abandonment,
): Promise<DatasetImportRow | null> {
  // The dataset is locked first, as by whoever writes.
  const datasetId = await datasetOfImport(tx, id);
  const dataset = datasetId === undefined ? null : await lockDataset(tx, datasetId);
  const row = await lockImport(tx, id);
  if (row === null || row.finishedAt != null || (attempt !== undefined && row.attempt !== attempt)) return null;
  if (dataset !== null) {
    await discardVersion(tx, dataset.id, dataset.version + 1);
    const isWaiting = dataset.version === 0 && catalogEntry(dataset.catalogId ?? "")?.kind === "external";
    dataset.state = state === "failed" ? "failed" : isWaiting ? "awaiting_upload" : "ready";
  }
  const ended = { state, finishedAt: tx.now, touchedAt: tx.now, attempt: row.attempt + 1 };
  const failure = { errorCode: error?.code ?? null, errorMessage: error?.message ?? null };
  Object.assign(row, tally, ended, failure, { problems: problems ?? row.problems });
  return row;
}
