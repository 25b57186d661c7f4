// The weights of the detectors' models that ship with the product: files `models/<name>.bin`.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { productFolder } from "./product-folder.ts";

/** The models by the name of their detector. */
const names = ["content_safety", "gibberish", "injection", "toxicity"];

let read: ReadonlyMap<string, Uint8Array> | undefined;

/** The weights by the name of their detector. Read once; nobody may change them. */
export function shippedModels(): ReadonlyMap<string, Uint8Array> {
  read ??= new Map(
    names.map((name) => [name, new Uint8Array(readFileSync(join(productFolder("models"), `${name}.bin`)))]),
  );
  return read;
}
