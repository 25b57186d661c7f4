// The public detector catalog: the engine's entries, and how many organizations use each.

import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { catalog, detectorDefinition } from "../../../runtime/engine/detectors/catalog.ts";
import type { DetectorDefinition } from "../../../runtime/engine/detectors/detector.ts";
import { detectorCatalogIds } from "../../../runtime/engine/policy/catalog-id.ts";
import type { PolicyDocument } from "../../../runtime/engine/policy/document.ts";
import { detectTerms } from "../../../runtime/engine/policy/reference.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { Clock } from "../../kit/process/clock.ts";
import { entriesOf, type Page } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import { countInstalls } from "../../store/policy/policy-detector.ts";
import { InstallCounts } from "./install-count.ts";

/** An entry of the catalog. */
export interface CatalogEntry {
  readonly id: string;
  readonly definition: DetectorDefinition;
  readonly author: string;
  readonly trustLevel: string;
  readonly detectorType: string;
  readonly installCount: number;
  readonly isPublished: boolean;
}

/** Which entries to list; absent or empty fields match all. */
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

  /** A page of the entries that match, in the order of their names, and their count. */
  async list(filter: CatalogFilter, page: Page): Promise<[CatalogEntry[], number]> {
    const counts = await this.#counts.get();
    const found = catalog
      .map((definition) => entryOf(definition, counts))
      .filter((entry) => matches(entry, filter))
      .sort((a, b) => (a.definition.id < b.definition.id ? -1 : 1));
    return [entriesOf(found, page), found.length];
  }

  /** The entry with this id or name. */
  async get(given: string): Promise<CatalogEntry> {
    const definition = detectorDefinition(detectorCatalogIds.nameOf(given));
    if (definition === undefined) throw new Fault(Reason.NOT_FOUND, "the catalog has no such detector");
    return entryOf(definition, await this.#counts.get());
  }
}

/** Ids of the catalog entries that the rules of a stored policy use, each once, including rules that are off. */
export function usedDetectors(document: JsonObject): string[] {
  const { rules, detectors = {} } = document as unknown as PolicyDocument; // stored documents have been checked
  const terms = rules.flatMap(({ detect }) => (detect === undefined ? [] : detectTerms(detect).terms));
  const names = terms.map((term) => (typeof term === "string" ? term : term.ref));
  const ids = names.map((name) => (Object.hasOwn(detectors, name) ? detectors[name]?.use : undefined) ?? name);
  return [...new Set(ids)].sort();
}

function entryOf(definition: DetectorDefinition, counts: ReadonlyMap<string, number>): CatalogEntry {
  return {
    id: detectorCatalogIds.idOf(definition.id),
    definition,
    author: "Policy Guard",
    trustLevel: "builtin",
    detectorType: typeOf(definition),
    installCount: counts.get(definition.id) ?? 0,
    isPublished: true,
  };
}

// The cost of a detector follows from how it decides.
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

/** The name of a built-in detector for its id in the catalog; anything else is a name already. */
export function detectorNameOf(given: string): string {
  return detectorCatalogIds.nameOf(given);
}
