// The available packs, by id and version.

import type { JsonValue } from "@bufbuild/protobuf";
import type { PolicyProblem } from "../../policy/problem.ts";
import { readBenchmark } from "./benchmark.ts";
import type { Pack } from "./pack.ts";
import { parsePack } from "./parse.ts";
import { isVersionOf, newestFirst } from "./version.ts";

/** A file with a pack. */
export interface PackFile {
  /** Path of the file, for messages. */
  readonly path: string;
  readonly text: string;
  /** The stored figures of its benchmark. */
  readonly benchmark?: JsonValue;
}

/** Finds packs. */
export class PackLibrary {
  readonly #packs: ReadonlyMap<string, readonly Pack[]>;

  constructor(packs: Iterable<Pack>) {
    const byId = Map.groupBy(packs, ({ metadata }) => metadata.id);
    for (const versions of byId.values()) versions.sort((a, b) => newestFirst(a.metadata.version, b.metadata.version));
    this.#packs = new Map([...byId].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The newest version of each pack, ordered by id. */
  newest(): Pack[] {
    return [...this.#packs.values()].flatMap((versions) => versions.slice(0, 1));
  }

  /** All versions of a pack, the newest first; empty when there is no such pack. */
  versionsOf(id: string): readonly Pack[] {
    return this.#packs.get(id) ?? [];
  }

  /** The newest version that "2", "2.1" or "2.1.0" selects; without a version, the newest of all. */
  find(id: string, version?: string): Pack | undefined {
    return this.versionsOf(id).find((pack) => version === undefined || isVersionOf(pack.metadata.version, version));
  }

  /** Ids of all packs, for suggestions. */
  get ids(): readonly string[] {
    return [...this.#packs.keys()];
  }
}

/**
 * Builds the library of these files. Throws for a file that is no pack, and for two packs with the same id and version.
 */
export function readPackLibrary(files: Iterable<PackFile>): PackLibrary {
  const packs = new Map<string, Pack>();
  for (const { path, text, benchmark = null } of files) {
    const { pack, problems } = parsePack(text);
    if (pack === undefined) throw new Error(problems.map((problem) => messageOf(path, problem)).join("\n"));
    const key = `${pack.metadata.id}@${pack.metadata.version}`;
    if (packs.has(key)) throw new Error(`${path}: there are two packs ${key}`);
    const figures = readBenchmark(benchmark);
    packs.set(key, figures === undefined ? pack : { ...pack, benchmark: figures });
  }
  return new PackLibrary(packs.values());
}

function messageOf(file: string, { line, column, path, message }: PolicyProblem): string {
  return `${file}:${line}:${column}: ${path === "" ? "" : `${path}: `}${message}`;
}
