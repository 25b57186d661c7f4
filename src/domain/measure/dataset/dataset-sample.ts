// The samples of datasets, one by one and in lists.

import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import type { TextSet } from "../../../kit/crypto/text-hash.ts";
import { Fault, type FieldViolation, notFound, validationFailed } from "../../../kit/fault/fault.ts";
import type { Caller } from "../../../kit/rpc/context.ts";
import type { Page } from "../../../kit/rpc/page.ts";
import type { Sealer } from "../../../platform/seal.ts";
import type { Database } from "../../../store/connection/database.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import { type DatasetRow, DatasetVersionRow } from "../../../store/measure/dataset/dataset.ts";
import {
  countSamples,
  endSamples,
  findClashing,
  findCurrentSample,
  insertSamples,
  readSamples,
  type SampleFilter,
  type SamplePage,
  type StoredSample,
} from "../../../store/measure/dataset/dataset-sample.ts";
import { noteSubjects } from "../../../store/measure/dataset/dataset-subject.ts";
import { type TextSeal, TextSeals } from "../../sealed-text.ts";
import { maySeeText } from "../../telemetry/trace.ts";
import { requireChangeable, requireDataset } from "./dataset.ts";
import {
  type AddedResult,
  addToVersion,
  assertRoom,
  type ChangeParts,
  facetsOf,
  newRow,
  type OnDuplicate,
  VersionNumbers,
} from "./dataset-change.ts";
import { checkSample } from "./sample-check.ts";
import { emptySample, hashSample, readContent, type SampleContent } from "./sample-content.ts";

/** A sample, as the caller may see it. */
export interface Sample {
  readonly row: StoredSample;
  readonly content: SampleContent;
  readonly isTextWithheld: boolean;
}

/** What came of adding samples. */
export interface AddedSamples {
  readonly version: number;
  readonly results: readonly AddedResult[];
}

/** Which samples to list; without a version those of the newest. */
export type SampleQuery = Omit<SampleFilter, "version"> & { readonly version?: number | undefined };

/** A page of samples. */
export interface SampleList {
  readonly version: number;
  readonly total: number;
  readonly samples: readonly Sample[];
}

/** Fields of a sample to change, and fields to empty. */
export interface SampleChange {
  readonly given: Partial<SampleContent>;
  readonly cleared: readonly (keyof SampleContent)[];
}

/** To deflate a sample of a kilobyte takes as long as all else that an import does to it, to save half of it. */
const minDeflatedBytes = 4_096;

/** Texts of samples, sealed under a key of each organization. */
export function sampleSeals(sealer: Sealer): TextSeals {
  return new TextSeals(sealer, { secretName: "dataset_key", purpose: "dataset.sample", minDeflatedBytes });
}

/** Lists, adds, changes and removes samples. */
export class Samples {
  readonly #database: Database;
  readonly #seals: TextSeals;
  readonly #trainingTexts: TextSet;

  constructor(database: Database, parts: { readonly seals: TextSeals; readonly trainingTexts: TextSet }) {
    this.#database = database;
    this.#seals = parts.seals;
    this.#trainingTexts = parts.trainingTexts;
  }

  /** Samples of a version, in the order in which they were added. */
  list(caller: Caller, datasetId: string, query: SampleQuery, page: Page & { readonly after?: string | undefined }) {
    if (page.after !== undefined && page.offset > 0) {
      const message = "cannot be combined with offset; leave offset out, since after says where to begin";
      throw validationFailed([{ field: "after", message }]);
    }
    return this.#database.read(caller.orgId, async (tx): Promise<SampleList> => {
      const dataset = await requireDataset(tx, caller, datasetId);
      const filter = { ...query, version: versionOf(dataset, query.version) };
      const seal = await this.#seals.forReading(tx);
      const rows = await readSamples(tx, datasetId, filter, page);
      const total = await countSamples(tx, datasetId, filter);
      return { version: filter.version, total, samples: rows.map((row) => shownSample(row, seal, caller)) };
    });
  }

  /** Adds samples as one version. Throws when one breaks a rule. */
  add(
    caller: Caller,
    datasetId: string,
    contents: readonly SampleContent[],
    onDuplicate: OnDuplicate,
  ): Promise<AddedSamples> {
    assertRight(contents);
    return this.#database.transaction(caller, async (tx) => {
      const dataset = await requireChangeable(tx, caller, datasetId);
      const numbers = new VersionNumbers(dataset);
      const samples = contents.map((content, at) => ({ line: at + 1, content }));
      const parts = { seal: await this.#seals.forWriting(tx), trainingTexts: this.#trainingTexts };
      const target = { datasetId, version: dataset.version + 1, numbers };
      const results = await addToVersion(tx, parts, target, { samples, onDuplicate });
      const before = { version: dataset.version };
      commitVersion(tx, dataset, numbers, { createdBy: caller.credential.label, importId: null });
      const { added, changed } = numbers;
      const after = { version: dataset.version, on_duplicate: onDuplicate, samples: { added, changed } };
      tx.changed({ resource: `dataset/${dataset.id}`, before, after });
      return { version: dataset.version, results };
    });
  }

  /** Changes a sample, as a version. */
  update(caller: Caller, datasetId: string, sampleId: string, change: SampleChange): Promise<Sample> {
    return this.#database.transaction(caller, async (tx) => {
      const dataset = await requireChangeable(tx, caller, datasetId);
      const seal = await this.#seals.forWriting(tx);
      const row = await requireSample(tx, datasetId, sampleId);
      const content = changedContent(readContent(seal.open(row.sampleId, row.sealed)), change);
      assertRight([content], "sample");
      const hashed = hashSample(content);
      await assertUnlike(tx, datasetId, { sampleId: row.sampleId, ...hashed });
      const numbers = new VersionNumbers(dataset);
      const version = dataset.version + 1;
      const facets = facetsOf(hashed, this.#trainingTexts);
      numbers.count(row, -1);
      if (numbers.isBeyond(facets))
        throw validationFailed([
          { field: "sample.labels", message: "the dataset has too many different labels or languages" },
        ]);
      const next = newRow(hashed, facets, { sampleId: row.sampleId, sinceVersion: version, seal });
      numbers.count(next, 1);
      numbers.sizeBytes += next.sizeBytes;
      numbers.changed += 1;
      assertRoom(numbers);
      await endSamples(tx, datasetId, version, [row]);
      await insertSamples(tx, datasetId, [next]);
      commitVersion(tx, dataset, numbers, { createdBy: caller.credential.label, importId: null });
      tx.changed({
        resource: `dataset/${dataset.id}`,
        before: { version: version - 1, sample: { id: row.sampleId, labels: [...row.labels] } },
        after: { version, sample: { id: row.sampleId, labels: [...next.labels] }, clear: [...change.cleared] },
      });
      return shownSample(asStored(next), seal, caller);
    });
  }

  /** Leaves a sample out of the versions from the next one on. */
  remove(caller: Caller, datasetId: string, sampleId: string): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const dataset = await requireChangeable(tx, caller, datasetId);
      const row = await requireSample(tx, datasetId, sampleId);
      const numbers = new VersionNumbers(dataset);
      const version = dataset.version + 1;
      numbers.count(row, -1);
      numbers.removed += 1;
      await endSamples(tx, datasetId, version, [row]);
      commitVersion(tx, dataset, numbers, { createdBy: caller.credential.label, importId: null });
      const before = { version: version - 1, sample: { id: row.sampleId, labels: [...row.labels] } };
      tx.changed({ resource: `dataset/${dataset.id}`, before, after: { version } });
    });
  }
}

/** A sample that was copied from a trace, and whom it is about: keyed hashes of its subjects. */
export interface TracedSample {
  readonly content: SampleContent;
  readonly subjects: readonly Uint8Array[];
}

/**
 * Adds samples that were copied from traces to a dataset that is locked and that no import changes, as one version.
 * Duplicates are left out. Whoever asks for an erasure of one of the subjects reaches them.
 */
export async function addTracedSamples(
  tx: Transaction,
  parts: ChangeParts,
  dataset: DatasetRow,
  { samples, createdBy }: { readonly samples: readonly TracedSample[]; readonly createdBy: string },
): Promise<AddedResult[]> {
  const numbers = new VersionNumbers(dataset);
  const target = { datasetId: dataset.id, version: dataset.version + 1, numbers };
  const added = samples.map(({ content }, at) => ({ line: at + 1, content }));
  const results = await addToVersion(tx, parts, target, { samples: added, onDuplicate: "skip" });
  const subjects = results.flatMap((result, at) =>
    result.what === "added"
      ? (samples[at]?.subjects ?? []).map((digest) => ({ digest, sampleId: result.sampleId }))
      : [],
  );
  await noteSubjects(tx, dataset.id, subjects);
  commitVersion(tx, dataset, numbers, { createdBy, importId: null });
  return results;
}

/** Makes the version that the numbers are about, if anything has changed. The dataset is ready from then on. */
export function commitVersion(
  tx: Transaction,
  dataset: DatasetRow,
  numbers: VersionNumbers,
  { createdBy, importId }: { readonly createdBy: string; readonly importId: string | null },
): void {
  const { sampleCount, added, changed, removed } = numbers;
  dataset.state = "ready";
  dataset.updatedAt = tx.now;
  if (!numbers.isChange) return;
  numbers.store(dataset);
  dataset.version += 1;
  tx.em.create(DatasetVersionRow, {
    ...{ orgId: tx.orgId, datasetId: dataset.id, version: dataset.version, digest: null },
    ...{ sampleCount, added, changed, removed, erasedSamples: 0, erasureRevision: 0 },
    ...{ importId, createdBy, createdAt: tx.now },
  });
}

/** Samples of a version in order, with whatever text they have: for what works on the dataset itself. */
export async function readVersion(
  tx: Transaction,
  {
    seals,
    datasetId,
    filter,
  }: { readonly seals: TextSeals; readonly datasetId: string; readonly filter: SampleFilter },
  page: SamplePage,
): Promise<{ readonly row: StoredSample; readonly content: SampleContent }[]> {
  const seal = await seals.forReading(tx);
  return (await readSamples(tx, datasetId, filter, page)).map((row) => ({ row, content: contentOf(row, seal) }));
}

/** The version that a caller asks for. */
export function versionOf(dataset: DatasetRow, wanted: number | undefined): number {
  if (wanted === undefined) return dataset.version;
  if (wanted <= dataset.version) return wanted;
  throw notFound("version of the dataset");
}

/** The sample as the caller may see it. */
export function shownSample(row: StoredSample, seal: TextSeal | undefined, caller: Caller): Sample {
  const content = contentOf(row, seal);
  if (content.source === null || !hasText(content) || maySeeText(caller))
    return { row, content, isTextWithheld: false };
  const segments = content.segments.map((segment) => ({ ...segment, text: "" }));
  const toolCalls = content.toolCalls.map((call) => ({ ...call, arguments: null }));
  return { row, content: { ...content, text: null, segments, toolCalls }, isTextWithheld: true };
}

function hasText({ text, segments, toolCalls }: SampleContent): boolean {
  return text !== null || segments.length > 0 || toolCalls.length > 0;
}

function contentOf(row: StoredSample, seal: TextSeal | undefined): SampleContent {
  if (seal === undefined) throw new Error("there are samples, and no key that opens them");
  return readContent(seal.open(row.sampleId, row.sealed));
}

function asStored(row: ReturnType<typeof newRow>): StoredSample {
  const { contentHash, verdict, sealed } = row;
  return { ...row, contentHash: Buffer.from(contentHash), verdict: Buffer.from(verdict), sealed: Buffer.from(sealed) };
}

async function requireSample(tx: Transaction, datasetId: string, sampleId: string): Promise<StoredSample> {
  const row = await findCurrentSample(tx, datasetId, sampleId);
  if (row === undefined) throw notFound("sample");
  return row;
}

function assertRight(contents: readonly SampleContent[], only?: string): void {
  const violations: FieldViolation[] = contents.flatMap((content, at) =>
    checkSample(content).map(({ field, message }) => {
      const place = only ?? `samples[${at}]`;
      return { field: field === null ? place : `${place}.${field}`, message };
    }),
  );
  if (violations.length > 0) throw validationFailed(violations);
}

function changedContent(content: SampleContent, { given, cleared }: SampleChange): SampleContent {
  const emptied = Object.fromEntries(cleared.map((name) => [name, emptySample[name]]));
  const body = given.text != null || given.segments !== undefined || given.toolCalls !== undefined;
  const { text, segments, toolCalls } = body ? emptySample : content;
  return { ...content, text, segments, toolCalls, ...emptied, ...given };
}

async function assertUnlike(
  tx: Transaction,
  datasetId: string,
  { sampleId, content, contentHash }: ReturnType<typeof hashSample> & { readonly sampleId: string },
): Promise<void> {
  const externalIds = content.externalId === null ? [] : [content.externalId];
  const clashing = await findClashing(tx, datasetId, { contentHashes: [contentHash], externalIds });
  const other = clashing.find((sample) => sample.sampleId !== sampleId);
  if (other === undefined) return;
  const message = other.contentHash.equals(contentHash)
    ? "another sample of the dataset has the same text"
    : "another sample of the dataset has this external_id";
  throw new Fault(Reason.ALREADY_EXISTS, message, { extra: { sample_id: other.sampleId } });
}
