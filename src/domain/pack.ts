// The guard packs as everybody may read them: what ships with the product, and how many organizations use each.

import type { JsonObject } from "@bufbuild/protobuf";
import { instantiatePack } from "../../runtime/engine/pack/instantiate.ts";
import type { PackLibrary } from "../../runtime/engine/pack/library.ts";
import type { Pack } from "../../runtime/engine/pack/pack.ts";
import type { Clock } from "../kit/clock.ts";
import { notFound } from "../kit/error.ts";
import type { Page } from "../kit/page.ts";
import type { Database } from "../store/database.ts";
import { countPackInstalls } from "../store/policy-pack.ts";
import { InstallCounts } from "./install-count.ts";

/** An entry of the list of packs. */
export interface PackEntry {
  readonly pack: Pack;
  readonly installCount: number;
}

/** Everything about one version of a pack. */
export interface PackDetail extends PackEntry {
  readonly versions: readonly string[];
  /** The policy that it makes of the defaults, without tests. */
  readonly document: JsonObject;
}

/** Which packs to list; what is absent or empty narrows nothing. */
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

  /** A page of the packs that match, in the order of their ids, and their count. */
  async list(filter: PackFilter, { limit, offset }: Page): Promise<[PackEntry[], number]> {
    const counts = await this.#counts.get();
    const found = this.#library.newest().filter((pack) => matches(pack, filter));
    const entries = found.map((pack) => ({ pack, installCount: counts.get(pack.metadata.id) ?? 0 }));
    return [entries.slice(offset, offset + limit), found.length];
  }

  /** The pack in a version, or in its newest. */
  async get(id: string, version?: string): Promise<PackDetail> {
    const pack = requirePack(this.#library, id, version);
    return {
      pack,
      installCount: (await this.#counts.get()).get(id) ?? 0,
      versions: this.#library.versionsOf(id).map(({ metadata }) => metadata.version),
      document: instantiatePack(pack, { withTests: false }).document,
    };
  }
}

/** The pack, or a 404. */
export function requirePack(library: PackLibrary, id: string, version?: string): Pack {
  const pack = library.find(id, version);
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
