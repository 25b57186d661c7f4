import { type PackLibrary, readPackLibrary } from "../../../runtime/engine/authoring/pack/library.ts";
import { readPackFiles } from "../../kit/process/pack-file.ts";

let library: PackLibrary | undefined;

/** The packs that ship with the product. Read when first asked for, and once in a process: that takes half a second. */
export function shippedPacks(): PackLibrary {
  library ??= readPackLibrary(readPackFiles());
  return library;
}
