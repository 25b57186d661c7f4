// The public list of the guard packs that ship with the product, and how many organizations use each.

import type { JsonObject } from "@bufbuild/protobuf";
import { instantiatePack } from "../../../runtime/engine/authoring/pack/instantiate.ts";
import type { PackLibrary } from "../../../runtime/engine/authoring/pack/library.ts";
import type { Pack } from "../../../runtime/engine/authoring/pack/pack.ts";
import { packCatalogIds } from "../../../runtime/engine/policy/catalog-id.ts";
import { notFound } from "../../kit/fault/fault.ts";
import type { Clock } from "../../kit/process/clock.ts";
import { entriesOf, type Page } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import { countPackInstalls } from "../../store/policy/policy-pack.ts";
import { InstallCounts } from "./install-count.ts";

/** An entry of the list of packs. */
export interface PackEntry {
  readonly id: string;
  readonly pack: Pack;
  readonly installCount: number;
}

/** Everything about one version of a pack. */
export interface PackDetail extends PackEntry {
  readonly versions: readonly string[];
  /** The policy that it makes with the default values, without tests. */
  readonly document: JsonObject;
}

/** Which packs to list; absent or empty fields match all. */
export interface PackFilter {
  readonly category?: string;
  readonly tag?: string;
  readonly search?: string;
}

/** Lists and reads packs. */
export class PackCatalog {
  readonly #library: PackLibrary;
  readonly #counts: InstallCounts;

  constructor(library: PackLibrary, database: Database, clock: Clock) {
    this.#library = library;
    this.#counts = new InstallCounts(() => countPackInstalls(database), clock);
  }

  /** A page of the packs that match, in the order of their names, and their count. */
  async list(filter: PackFilter, page: Page): Promise<[PackEntry[], number]> {
    const counts = await this.#counts.get();
    const found = this.#library.newest().filter((pack) => matches(pack, filter));
    const entries = found.map((pack) => ({
      id: packIdOf(pack),
      pack,
      installCount: counts.get(pack.metadata.id) ?? 0,
    }));
    return [entriesOf(entries, page), found.length];
  }

  /** The pack with this id or name, in the given or its newest version. */
  async get(given: string, version?: string): Promise<PackDetail> {
    const pack = requirePack(this.#library, given, version);
    const { id: name } = pack.metadata;
    return {
      id: packIdOf(pack),
      pack,
      installCount: (await this.#counts.get()).get(name) ?? 0,
      versions: this.#library.versionsOf(name).map(({ metadata }) => metadata.version),
      document: instantiatePack(pack, { withTests: false }).document,
    };
  }
}

/** The id of a pack in the catalog. */
export function packIdOf({ metadata }: Pick<Pack, "metadata">): string {
  return packCatalogIds.idOf(metadata.id);
}

/** The pack with this id or name, or a 404. */
export function requirePack(library: PackLibrary, given: string, version?: string): Pack {
  const pack = library.find(packCatalogIds.nameOf(given), version);
  if (pack === undefined) throw notFound(version === undefined ? "pack" : "version of this pack");
  return pack;
}

function matches({ metadata }: Pack, { category, tag, search }: PackFilter): boolean {
  const { id, display_name: name, description, tags } = metadata;
  const text = [id, name, description, ...tags].join("\n").toLowerCase();
  return (
    ((category ?? "") === "" || category === metadata.category) &&
    ((tag ?? "") === "" || tags.includes(tag ?? "")) &&
    (search ?? "")
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word))
  );
}
