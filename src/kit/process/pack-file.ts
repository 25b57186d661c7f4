// The guard packs that ship with the product: files `packs/<id>/<version>/pack.yaml`, and beside each the figures that
// `scripts/pack-benchmark.ts` measured.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonValue } from "@bufbuild/protobuf";
import { productFolder } from "./product-folder.ts";

/** Where they are. */
const packFolder = productFolder("packs");

/** Name of the file with the figures of a pack. */
export const benchmarkName = "benchmark.json";

/** A file with a pack. */
export interface PackFile {
  readonly path: string;
  readonly text: string;
  /** What was measured of it; absent when nobody has. */
  readonly benchmark?: JsonValue;
}

/** Reads every pack of the folder, in the order of their paths; with `only`, every version of that pack. */
export function readPackFiles(folder = packFolder, { only }: { readonly only?: string } = {}): PackFile[] {
  const ids = foldersIn(folder).filter((id) => only === undefined || id === only);
  return ids.flatMap((id) =>
    foldersIn(join(folder, id)).map((version) => {
      const path = join(folder, id, version, "pack.yaml");
      const figures = join(folder, id, version, benchmarkName);
      const text = readFileSync(path, "utf8");
      return existsSync(figures)
        ? { path, text, benchmark: JSON.parse(readFileSync(figures, "utf8")) }
        : { path, text };
    }),
  );
}

function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}
