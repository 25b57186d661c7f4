// The texts that the shipped models were trained on, as hashes: `models/training-texts.hashes`, which
// `models/hash-texts.ts` writes.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readTextHashes, type TextSet } from "../../../kit/crypto/text-hash.ts";
import { productFolder } from "../../../kit/process/product-folder.ts";

let read: TextSet | undefined;

/** The texts that the shipped models were trained on. Read once. */
export function shippedTrainingTexts(): TextSet {
  read ??= readTextHashes(readFileSync(join(productFolder("models"), "training-texts.hashes")));
  return read;
}
