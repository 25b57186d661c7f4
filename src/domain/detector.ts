// The detector catalog as everybody may read it: the engine's entries, and how many organizations use each.

import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import type { DetectorDefinition } from "../../runtime/engine/detector.ts";
import { catalog, detectorDefinition } from "../../runtime/engine/detectors/catalog.ts";
import type { PolicyDocument } from "../../runtime/engine/policy/document.ts";
import { detectTerms } from "../../runtime/engine/policy/reference.ts";
import type { Clock } from "../kit/clock.ts";
import { Fault } from "../kit/error.ts";
import type { Page } from "../kit/page.ts";
import type { Database } from "../store/database.ts";
import { countInstalls } from "../store/policy-detector.ts";
import { InstallCounts } from "./install-count.ts";

/** An entry of the catalog. */
export interface CatalogEntry {
  readonly definition: DetectorDefinition;
  readonly author: string;
  readonly trustLevel: string;
  readonly detectorType: string;
  readonly installCount: number;
  readonly isPublished: boolean;
}

/** Which entries to list; what is absent or empty narrows nothing. */
export interface CatalogFilter {
  readonly category?: string;
  readonly trustLevel?: string;
  readonly search?: string;
  readonly detectorType?: string;
}

/** Lists and reads the catalog. */
export class DetectorCatalog {
  readonly #counts: InstallCounts;

  constructor(database: Database, clock: Clock) {
    this.#counts = new InstallCounts(() => countInstalls(database), clock);
  }

  /** A page of the entries that match, in the order of their ids, and their count. */
  async list(filter: CatalogFilter, { limit, offset }: Page): Promise<[CatalogEntry[], number]> {
    const counts = await this.#counts.get();
    const found = catalog
      .map((definition) => entryOf(definition, counts))
      .filter((entry) => matches(entry, filter))
      .sort((a, b) => (a.definition.id < b.definition.id ? -1 : 1));
    return [found.slice(offset, offset + limit), found.length];
  }

  /** The entry. */
  async get(id: string): Promise<CatalogEntry> {
    const definition = detectorDefinition(id);
    if (definition === undefined) throw new Fault(Reason.NOT_FOUND, "the catalog has no such detector");
    return entryOf(definition, await this.#counts.get());
  }
}

/** Ids of the catalog entries that the rules of a stored policy use, each once; those of rules that are off count too. */
export function usedDetectors(document: JsonObject): string[] {
  const { rules, detectors = {} } = document as unknown as PolicyDocument; // stored documents have been checked
  const terms = rules.flatMap(({ detect }) => (detect === undefined ? [] : detectTerms(detect).terms));
  const names = terms.map((term) => (typeof term === "string" ? term : term.ref));
  const ids = names.map((name) => (Object.hasOwn(detectors, name) ? detectors[name]?.use : undefined) ?? name);
  return [...new Set(ids)].sort();
}

function entryOf(definition: DetectorDefinition, counts: ReadonlyMap<string, number>): CatalogEntry {
  return {
    definition,
    author: "Policy Guard",
    trustLevel: "builtin",
    detectorType: typeOf(definition),
    installCount: counts.get(definition.id) ?? 0,
    isPublished: true,
  };
}

// What a detector costs follows from how it decides.
function typeOf({ costClass }: DetectorDefinition): string {
  return costClass === "model" || costClass === "backend" ? costClass : "pattern";
}

function matches(entry: CatalogEntry, { category, trustLevel, search, detectorType }: CatalogFilter): boolean {
  const { id, displayName, description, tags, category: own } = entry.definition;
  const is = (wanted: string | undefined, value: string) => (wanted ?? "") === "" || wanted === value;
  const text = [id, displayName, description, ...tags].join("\n").toLowerCase();
  const words = (search ?? "").toLowerCase().split(/\s+/);
  return (
    is(category, own) &&
    is(trustLevel, entry.trustLevel) &&
    is(detectorType, entry.detectorType) &&
    words.every((word) => text.includes(word))
  );
}
