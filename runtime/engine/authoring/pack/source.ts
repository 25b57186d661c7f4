// Guard packs as policies extend them: with parameters filled in and without tests.

import { BoundedCache } from "../../../../src/kit/process/bounded-cache.ts";
import type { PackFailure, PackReference, PackSource, ResolvedPack } from "../../policy/extend.ts";
import { didYouMean, PolicyInvalid } from "../../policy/problem.ts";
import { parsePath } from "../../policy/tree-path.ts";
import { instantiatePack } from "./instantiate.ts";
import type { PackLibrary } from "./library.ts";
import { PackParametersInvalid } from "./pack.ts";

const maxKept = 200;

/** A pack source that finds packs in a library. */
export function packSource(library: PackLibrary): PackSource {
  const known = new BoundedCache<string, ResolvedPack | PackFailure>({ maxEntries: maxKept });
  return (reference) => {
    const key = JSON.stringify(reference);
    const kept = known.get(key);
    if (kept !== undefined) return kept;
    const found = find(library, reference);
    known.set(key, found);
    return found;
  };
}

function find(library: PackLibrary, { id, version, parameters }: PackReference): ResolvedPack | PackFailure {
  const pack = library.find(id, version);
  if (pack === undefined) return absent(library, id, version);
  try {
    const made = instantiatePack(pack, { parameters, withTests: false });
    return { version: made.version, digest: made.digest, document: made.document };
  } catch (error) {
    if (error instanceof PackParametersInvalid) {
      const [first] = error.problems;
      return { problem: first?.message ?? error.message, path: parsePath(first?.path ?? "").slice(1) };
    }
    if (error instanceof PolicyInvalid) return { problem: error.message };
    throw error;
  }
}

function absent(library: PackLibrary, id: string, version: string): PackFailure {
  const versions = library.versionsOf(id).map(({ metadata }) => metadata.version);
  if (versions.length > 0)
    return { problem: `the pack ${id} has no version ${version}; it has ${versions.join(", ")}` };
  const suggestion = didYouMean(id, library.ids);
  return { problem: `there is no pack ${id}`, ...(suggestion === undefined ? {} : { suggestion }) };
}
