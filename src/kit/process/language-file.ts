// The language packs that ship with the product: files `packs/languages/<tag>.yaml`.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { productFolder } from "./product-folder.ts";

/** Reads every language pack, in the order of their tags. */
export function readLanguageFiles(folder = join(productFolder("packs"), "languages")) {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .map((name) => ({ path: join(folder, name), text: readFileSync(join(folder, name), "utf8") }));
}
