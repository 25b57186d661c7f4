// How well a bundle covers languages: for each language that a pack exists for, and each category that the bundle's
// enforced rules use, whether the bundle's overlay is known by measurement to work. The figures are those that were
// signed with the bundle, so that the answer for a version never changes.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { type Overlay, overlayFolder } from "../../../runtime/engine/languages/overlay.ts";
import { Fault, insufficientScope, notFound } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import { findBundle, loadParts, type PartReference } from "../../store/bundle/bundle.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import type { Analysis } from "../analysis/analysis.ts";
import type { StoredPart } from "../analysis/stored-part.ts";
import { requireEnvironment, requireProject } from "../lookup.ts";
import type { LanguageLibrary } from "./shipped.ts";

/** What was measured for a category of a pack. */
export interface LanguageMeasured {
  readonly recall: number;
  readonly false_positive_rate: number;
  readonly positives: number;
  readonly negatives: number;
}

/** What a category of a pack needs to count as covered. */
export const coverageThresholds = {
  vocabulary: 40,
  positives: 100,
  minRecall: 0.8,
  negatives: 300,
  maxFalsePositiveRate: 0.005,
} as const;

/** Whether a category is known to work in a language: `partial` has vocabulary, and no sufficient measurement. */
export type CoverageState = "covered" | "partial" | "none";

/** One category in one language. */
export interface CoverageCell {
  readonly language: string;
  readonly category: string;
  readonly state: CoverageState;
  /** Terms and patterns of the pack; the organization's own keywords do not count, since nobody has measured them. */
  readonly vocabulary: number;
  readonly measured: LanguageMeasured | undefined;
}

/** An overlay as bundles carry it, with the figures of its pack. */
export interface MeasuredOverlay extends Pick<Overlay, "language" | "terms" | "patterns"> {
  readonly coverage?: Readonly<Record<string, LanguageMeasured>>;
}

/** Whether vocabulary and measurement meet the thresholds. */
export function coverageState(vocabulary: number, measured: LanguageMeasured | undefined): CoverageState {
  if (vocabulary === 0) return "none";
  const { vocabulary: enough, positives, minRecall, negatives, maxFalsePositiveRate } = coverageThresholds;
  if (measured === undefined || vocabulary < enough) return "partial";
  const isMeasured = measured.positives >= positives && measured.negatives >= negatives;
  const isGood = measured.recall >= minRecall && measured.false_positive_rate <= maxFalsePositiveRate;
  return isMeasured && isGood ? "covered" : "partial";
}

/** Every category in every language, by language and in the given order of categories. */
export function coverageOf(
  languages: readonly string[],
  categories: readonly string[],
  overlays: readonly MeasuredOverlay[],
): CoverageCell[] {
  const byTag = new Map(overlays.map((overlay) => [overlay.language, overlay]));
  return languages.flatMap((language) => {
    const overlay = byTag.get(language);
    return categories.map((category) => {
      const vocabulary = overlay === undefined ? 0 : vocabularyOf(overlay, category);
      const measured = overlay?.coverage?.[category];
      return { language, category, vocabulary, measured, state: coverageState(vocabulary, measured) };
    });
  });
}

/** Terms and patterns of a pack in a category. */
export function vocabularyOf({ terms, patterns }: Pick<Overlay, "terms" | "patterns">, category: string): number {
  const ofPack = (terms[category] ?? []).filter(({ layer }) => layer === "pack");
  return ofPack.length + patterns.filter((pattern) => pattern.category === category).length;
}

/** The parts of a bundle that its coverage depends on. */
export function coverageParts(parts: readonly PartReference[]): PartReference[] {
  return parts.filter(({ path }) => path.startsWith("policies/") || path.startsWith(overlayFolder));
}

/** The overlays among a bundle's parts. */
export function measuredOverlays(parts: readonly StoredPart[]): MeasuredOverlay[] {
  return parts
    .filter(({ path }) => path.startsWith(overlayFolder))
    .map(({ data }) => JSON.parse(Buffer.from(data).toString("utf8")) as MeasuredOverlay); // this product wrote it
}

/** The required languages in which a category of enforced rules is not covered. */
export function uncovered(
  required: readonly string[],
  categories: readonly string[],
  overlays: readonly MeasuredOverlay[],
): Pick<CoverageCell, "language" | "category">[] {
  return coverageOf(required, categories, overlays)
    .filter(({ state }) => state !== "covered")
    .map(({ language, category }) => ({ language, category }));
}

/** The coverage of a version. */
export interface CoverageView {
  readonly projectId: string;
  readonly environment: string;
  readonly version: number;
  readonly categories: readonly string[];
  readonly cells: readonly CoverageCell[];
}

/** The version to measure: the given one, or the active one. */
export interface CoverageInput {
  readonly projectId: string;
  readonly environment: string;
  readonly version?: number | undefined;
}

/** Measures the coverage of bundles. */
export class LanguageCoverage {
  readonly #database: Database;
  readonly #analysis: Analysis;
  readonly #library: LanguageLibrary;

  constructor(database: Database, analysis: Analysis, library: LanguageLibrary) {
    this.#database = database;
    this.#analysis = analysis;
    this.#library = library;
  }

  /** The coverage of a version. */
  async of(caller: Caller, input: CoverageInput, signal?: AbortSignal): Promise<CoverageView> {
    const { orgId, credential } = caller;
    const own = credential.projectId;
    if (own !== undefined && own !== input.projectId.toLowerCase())
      throw insufficientScope("this credential belongs to another project");
    const { version, parts, ...path } = await this.#database.read(orgId, (tx) => partsOf(tx, input));
    const policies = parts.filter((part) => !part.path.startsWith(overlayFolder));
    const categories = await this.#analysis.run("enforcedCategories", { parts: policies }, { orgId, signal });
    const languages = this.#library.packs.map(({ overlay }) => overlay.language);
    return { ...path, version, categories, cells: coverageOf(languages, categories, measuredOverlays(parts)) };
  }
}

async function partsOf(tx: Transaction, { projectId, environment: name, version: wanted }: CoverageInput) {
  await requireProject(tx, projectId);
  const environment = await requireEnvironment(tx, projectId, name);
  const version = wanted ?? environment.activeVersion;
  if (version == null) throw new Fault(Reason.CONFLICT, `${name} has no active bundle; activate one or name a version`);
  const bundle = await findBundle(tx, environment.id, version);
  if (bundle === null) throw notFound("bundle");
  if (bundle.purgedAt != null)
    throw new Fault(Reason.CONFLICT, `the content of version ${version} was deleted; ask about a newer version`);
  const wantedParts = coverageParts(bundle.parts);
  const stored = await loadParts(
    tx,
    wantedParts.map(({ digest }) => digest),
  );
  const parts = wantedParts.flatMap(({ path, digest }) => {
    const data = stored.get(digest);
    return data === undefined ? [] : [{ path, data }];
  });
  return { projectId, environment: environment.name, version, parts };
}
