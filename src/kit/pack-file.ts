// The guard packs that ship with the product: files `packs/<id>/<version>/pack.yaml`.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where they are. */
export const packFolder = fileURLToPath(new URL("../../packs/", import.meta.url));

/** A file with a pack. */
export interface PackFile {
  readonly path: string;
  readonly text: string;
}

/** Reads every pack of the folder, in the order of their paths. */
export function readPackFiles(folder = packFolder): PackFile[] {
  return foldersIn(folder).flatMap((id) =>
    foldersIn(join(folder, id)).map((version) => {
      const path = join(folder, id, version, "pack.yaml");
      return { path, text: readFileSync(path, "utf8") };
    }),
  );
}

function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}
