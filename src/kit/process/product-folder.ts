// Folders of data that ship with the product, such as packs/ and models/.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Where the folder of this name is. Sources lie three folders deep, and what a published package has was compiled one
 * folder deeper.
 */
export function productFolder(name: string): string {
  const beside = fileURLToPath(new URL(`../../../${name}/`, import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL(`../../../../${name}/`, import.meta.url));
}
