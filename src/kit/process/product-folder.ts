// The package that this file is part of, whether it runs from the sources or from what was packed: the folder with the
// nearest package.json, and folders of data beside it, such as packs/ and models/.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

let root: string | undefined;

/** Where the folder of this name is. */
export function productFolder(name: string): string {
  return join(productRoot(), name);
}

/** The version of the package. */
export function productVersion(): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(productRoot(), "package.json"), "utf8"));
  return version;
}

function productRoot(): string {
  root ??= folderAbove(import.meta.dirname);
  return root;
}

function folderAbove(folder: string): string {
  if (existsSync(join(folder, "package.json"))) return folder;
  if (dirname(folder) === folder) throw new Error("the package has no package.json");
  return folderAbove(dirname(folder));
}
