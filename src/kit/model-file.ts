// The weights of the detectors' models that ship with the product: files `models/<name>.bin`.

import { readFileSync } from "node:fs";

/** The models by the name of their detector. */
const files: ReadonlyMap<string, URL> = new Map(
  ["gibberish", "injection"].map((name) => [name, new URL(`../../models/${name}.bin`, import.meta.url)]),
);

let read: ReadonlyMap<string, Uint8Array> | undefined;

/** The weights by the name of their detector. Read once; nobody may change them. */
export function shippedModels(): ReadonlyMap<string, Uint8Array> {
  read ??= new Map([...files].map(([name, url]) => [name, new Uint8Array(readFileSync(url))]));
  return read;
}
