// The guard packs that ship with this copy of the command. Listing and showing them needs no server.

import type { PackLibrary } from "../../runtime/engine/authoring/pack/library.ts";
import { readPackLibrary } from "../../runtime/engine/authoring/pack/library.ts";
import type { Pack } from "../../runtime/engine/authoring/pack/pack.ts";
import { packSource } from "../../runtime/engine/authoring/pack/source.ts";
import type { PackSource } from "../../runtime/engine/policy/extend.ts";
import { didYouMean } from "../../runtime/engine/policy/problem.ts";
import { readPackFiles } from "../kit/process/pack-file.ts";
import { refusal } from "./failure.ts";

let library: PackLibrary | undefined;
const sources = new Map<string, PackSource>();

/** The packs that ship with the command, read when they are first asked for. */
export function ownPacks(): PackLibrary {
  library ??= readPackLibrary(readPackFiles());
  return library;
}

/** The same, for policies that extend packs. Reads the named pack, and all packs only when none has that name. */
export const ownPackSource: PackSource = (reference) => {
  const { id } = reference;
  const source = sources.get(id) ?? packSource(libraryWith(id));
  sources.set(id, source);
  return source(reference);
};

function libraryWith(id: string): PackLibrary {
  const files = library === undefined ? readPackFiles(undefined, { only: id }) : [];
  return files.length === 0 ? ownPacks() : readPackLibrary(files);
}

/** The pack that "pii-eu", "pii-eu@1" or "pii-eu@1.0.0" names. */
export function requirePack(library: PackLibrary, given: string): Pack {
  const { id, version } = packReference(given);
  const pack = library.find(id, version);
  if (pack !== undefined) return pack;
  const known = library.versionsOf(id).map(({ metadata }) => metadata.version);
  if (known.length > 0) {
    throw refusal("not_found", `pack "${id}" has no version ${version}`, { hint: `There are: ${known.join(", ")}.` });
  }
  throw refusal("not_found", `there is no pack "${id}"`, {
    hint: didYouMean(id, library.ids) ?? "`policy-guard packs list` lists those that there are.",
  });
}

/** The parts of "pii-eu@1". */
export function packReference(given: string): { readonly id: string; readonly version: string | undefined } {
  const [id = "", version] = given.replace(/^pack:/, "").split("@");
  return { id, version };
}
