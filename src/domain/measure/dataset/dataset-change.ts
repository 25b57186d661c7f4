// A change of a dataset's samples: rows end, rows begin, and the numbers that the dataset keeps about its newest
// version follow. Whoever changes a dataset has locked it.

import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import type { TextSet } from "../../../kit/crypto/text-hash.ts";
import { Fault } from "../../../kit/fault/fault.ts";
import type { Turns } from "../../../platform/turns.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import type { DatasetCounts, DatasetRow } from "../../../store/measure/dataset/dataset.ts";
import {
  type CurrentSample,
  endSamples,
  findClashing,
  insertSamples,
  type NewSampleRow,
  type SampleFacets,
} from "../../../store/measure/dataset/dataset-sample.ts";
import type { TextSeal } from "../../sealed-text.ts";
import { type HashedSample, hashSample, type SampleContent } from "./sample-content.ts";
import { newSampleId } from "./sample-id.ts";

/** Samples of one dataset's newest version. */
export const maxSamples = 1_000_000;
/** Room that the samples of all versions of a dataset may take. */
export const maxDatasetBytes = 4 * 2 ** 30;
/** Different labels of a dataset, and different languages. */
export const maxNames = 200;
/** What a row takes besides its content. */
const rowBytes = 256;

/** What becomes of a sample whose text is there already. */
export type OnDuplicate = "skip" | "replace" | "reject";

/** A sample to add, and where it came from. */
export interface AddedSample {
  readonly line: number;
  readonly content: SampleContent;
}

/** What became of it. */
export type AddedResult =
  | { readonly what: "added" | "replaced" | "duplicate"; readonly sampleId: string }
  | { readonly what: "rejected"; readonly code: RefusalCode; readonly field: string | null; readonly message: string };

/** Why a sample that is right in itself is not added. */
export type RefusalCode = "duplicate" | "label_conflict" | "external_id_taken" | "too_many_labels" | "erased";

/** Numbers about the newest version, as they change. */
export class VersionNumbers {
  sampleCount: number;
  trainingOverlap: number;
  sizeBytes: number;
  everAdded: number;
  added = 0;
  changed = 0;
  removed = 0;
  readonly counts: DatasetCounts;

  constructor(of: Pick<DatasetRow, "sampleCount" | "trainingOverlap" | "sizeBytes" | "everAdded" | "counts">) {
    const { sampleCount, trainingOverlap, sizeBytes, everAdded, counts } = of;
    this.sampleCount = sampleCount;
    this.trainingOverlap = trainingOverlap;
    this.sizeBytes = sizeBytes;
    this.everAdded = everAdded;
    this.counts = structuredClone(counts);
  }

  /** The same numbers, which change apart from these. */
  copy(): VersionNumbers {
    const next = new VersionNumbers(this);
    Object.assign(next, { added: this.added, changed: this.changed, removed: this.removed });
    return next;
  }

  /** Whether anything has changed. */
  get isChange(): boolean {
    return this.added + this.changed + this.removed > 0;
  }

  /** Counts a sample in (1) or out (-1). */
  count({ labels, stage, language, split, trainedOn }: SampleFacets, by: 1 | -1): void {
    this.sampleCount += by;
    if (trainedOn) this.trainingOverlap += by;
    for (const label of labels) bump(this.counts.label, label, by);
    bump(this.counts.stage, stage, by);
    if (language !== null) bump(this.counts.language, language, by);
    if (split !== null) bump(this.counts.split, split, by);
  }

  /** Whether a sample has a label or a language beyond the number of them that a dataset may have. */
  isBeyond({ labels, language }: SampleFacets): boolean {
    const beyond = (names: Record<string, number>, wanted: readonly string[]) => {
      const fresh = wanted.filter((name) => !Object.hasOwn(names, name)).length;
      return fresh > 0 && Object.keys(names).length + fresh > maxNames;
    };
    return beyond(this.counts.label, labels) || beyond(this.counts.language, language === null ? [] : [language]);
  }

  /** Writes the numbers to the dataset. */
  store(dataset: DatasetRow): void {
    const { sampleCount, trainingOverlap, sizeBytes, everAdded, counts } = this;
    Object.assign(dataset, { sampleCount, trainingOverlap, sizeBytes, everAdded, counts });
  }
}

function bump(names: Record<string, number>, name: string, by: number): void {
  const count = (Object.hasOwn(names, name) ? (names[name] ?? 0) : 0) + by;
  // A name such as "__proto__" is a name like any other.
  if (count > 0)
    Object.defineProperty(names, name, { value: count, enumerable: true, configurable: true, writable: true });
  else delete names[name];
}

/** What a change works with. */
export interface ChangeParts {
  readonly seal: TextSeal;
  readonly trainingTexts: TextSet;
  /** Lets others in between samples, where there may be many. */
  readonly turns?: Turns;
}

/** Where a change goes: the dataset, the version that it makes, and the numbers of that version so far. */
export interface ChangeTarget {
  readonly datasetId: string;
  readonly version: number;
  readonly numbers: VersionNumbers;
}

/** Adds samples to a version, each by the rules for duplicates. Returns what became of them, in their order. */
export async function addToVersion(
  tx: Transaction,
  { seal, trainingTexts, turns }: ChangeParts,
  { datasetId, version, numbers }: ChangeTarget,
  { samples, onDuplicate }: { readonly samples: readonly AddedSample[]; readonly onDuplicate: OnDuplicate },
): Promise<AddedResult[]> {
  const hashed: HashedSample[] = [];
  for (const { content } of samples) {
    hashed.push(hashSample(content));
    await turns?.step();
  }
  const standing = await StandingSamples.of(tx, datasetId, hashed);
  const place = (sample: HashedSample): AddedResult => {
    const facets = facetsOf(sample, trainingTexts);
    const decision = standing.decide(sample, onDuplicate);
    if ("code" in decision) return { what: "rejected", ...decision };
    if (decision.what === "duplicate") return { what: "duplicate", sampleId: decision.of.sampleId };
    if (numbers.isBeyond(facets)) return tooManyNames;
    const { replaces } = decision;
    const sampleId = replaces?.sampleId ?? newSampleId(numbers.everAdded++);
    const row = newRow(sample, facets, { sampleId, sinceVersion: version, seal });
    if (replaces !== undefined) standing.end(replaces, numbers);
    standing.begin(row, numbers);
    if (replaces === undefined) numbers.added += 1;
    else numbers.changed += 1;
    return { what: replaces === undefined ? "added" : "replaced", sampleId };
  };
  const results: AddedResult[] = [];
  for (const sample of hashed) {
    results.push(place(sample));
    await turns?.step();
  }
  assertRoom(numbers);
  numbers.sizeBytes -= await endSamples(tx, datasetId, version, standing.ended);
  await insertSamples(tx, datasetId, standing.begun);
  return results;
}

const tooManyNames: AddedResult = {
  ...{ what: "rejected", code: "too_many_labels", field: "labels" },
  message: `a dataset has at most ${maxNames} different labels and ${maxNames} languages`,
};

/** What a sample counts as. */
export function facetsOf({ content, texts }: HashedSample, trainingTexts: TextSet): SampleFacets {
  const { stage, language, split, labels } = content;
  return { stage, language, split, labels, trainedOn: texts.some((text) => trainingTexts.has(text)) };
}

/** The row of a sample. */
export function newRow(
  { content, bytes, digest, contentHash, verdict }: HashedSample,
  facets: SampleFacets,
  at: { readonly sampleId: string; readonly sinceVersion: number; readonly seal: TextSeal },
): NewSampleRow {
  const { sampleId, sinceVersion, seal } = at;
  const { externalId, tags, source } = content;
  const sealed = seal.seal(sampleId, bytes);
  return {
    ...{ ...facets, sampleId, sinceVersion, contentHash, digest, verdict, externalId, tags },
    ...{ sourceTraceId: source?.traceId ?? null, sizeBytes: sealed.length + rowBytes, sealed },
  };
}

/** Throws when the dataset has become too large. */
export function assertRoom({ sampleCount, sizeBytes }: VersionNumbers): void {
  if (sampleCount > maxSamples) {
    const message = `a dataset has at most ${maxSamples} samples; make another one for the rest`;
    throw new Fault(Reason.LIMIT_REACHED, message, { extra: { limit: maxSamples } });
  }
  if (sizeBytes > maxDatasetBytes) {
    const message = "the versions of a dataset take at most 4 GiB together; make another one for the rest";
    throw new Fault(Reason.LIMIT_REACHED, message, { extra: { limit: maxDatasetBytes } });
  }
}

type Decision =
  | { readonly what: "new"; readonly replaces: CurrentSample | undefined }
  | { readonly what: "duplicate"; readonly of: CurrentSample }
  | { readonly code: RefusalCode; readonly field: string | null; readonly message: string };

/** The samples of the newest version that a batch meets, as the batch changes them. */
class StandingSamples {
  readonly #byContent = new Map<string, CurrentSample>();
  readonly #byName = new Map<string, CurrentSample>();
  readonly #begun = new Map<string, NewSampleRow>();
  readonly #ended: CurrentSample[] = [];

  /** Those that clash with one of these. */
  static async of(tx: Transaction, datasetId: string, hashed: readonly HashedSample[]): Promise<StandingSamples> {
    const standing = new StandingSamples();
    const externalIds = hashed.flatMap(({ content }) => content.externalId ?? []);
    const contentHashes = hashed.map(({ contentHash }) => contentHash);
    for (const sample of await findClashing(tx, datasetId, { contentHashes, externalIds })) standing.#add(sample);
    return standing;
  }

  get begun(): readonly NewSampleRow[] {
    return [...this.#begun.values()];
  }

  get ended(): readonly CurrentSample[] {
    return this.#ended;
  }

  decide({ content: { externalId }, contentHash, verdict }: HashedSample, onDuplicate: OnDuplicate): Decision {
    const same = this.#byContent.get(contentHash.toString("hex"));
    const named = externalId === null ? undefined : this.#byName.get(externalId);
    if (named !== undefined && named.sampleId !== same?.sampleId && (onDuplicate !== "replace" || same !== undefined)) {
      const message = "another sample has this external_id";
      return { code: "external_id_taken", field: "external_id", message };
    }
    if (onDuplicate === "replace") return { what: "new", replaces: same ?? named };
    if (same === undefined) return { what: "new", replaces: undefined };
    if (!same.verdict.equals(verdict)) {
      const message = "the same text is there with other labels, outcomes or rules";
      return { code: "label_conflict", field: "labels", message };
    }
    if (onDuplicate === "skip") return { what: "duplicate", of: same };
    return { code: "duplicate", field: null, message: "the same text is there already" };
  }

  /** A sample's place is taken by another. */
  end(sample: CurrentSample, numbers: VersionNumbers): void {
    numbers.count(sample, -1);
    this.#byContent.delete(sample.contentHash.toString("hex"));
    if (sample.externalId !== null) this.#byName.delete(sample.externalId);
    const isOfBatch = this.#begun.delete(sample.sampleId);
    if (isOfBatch) numbers.sizeBytes -= sample.sizeBytes;
    else this.#ended.push(sample);
  }

  begin(row: NewSampleRow, numbers: VersionNumbers): void {
    numbers.count(row, 1);
    numbers.sizeBytes += row.sizeBytes;
    this.#begun.set(row.sampleId, row);
    const { contentHash, verdict } = row;
    this.#add({ ...row, contentHash: Buffer.from(contentHash), verdict: Buffer.from(verdict) });
  }

  #add(sample: CurrentSample): void {
    this.#byContent.set(sample.contentHash.toString("hex"), sample);
    if (sample.externalId !== null) this.#byName.set(sample.externalId, sample);
  }
}
