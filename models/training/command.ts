// What the training scripts have in common as commands: their options, and how they leave what they learned.

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import type { ParseArgsOptionDescriptor } from "node:util";

/** An option of `parseArgs` that may be given any number of times. */
export const repeated = { type: "string", multiple: true, default: [] } satisfies ParseArgsOptionDescriptor;

/**
 * The options of every training script: `--data`, files of texts; `--corpus`, a folder in the place of this
 * repository's; `--out`, where the weights go.
 */
export function trainingOptions(out: string) {
  return { data: repeated, corpus: { type: "string" }, out: { type: "string", default: out } } as const;
}

/** Writes the weights of a model, and says what they are. */
export function saveWeights(path: string, bytes: Uint8Array): void {
  writeFileSync(path, bytes);
  console.log(`${path}: ${bytes.length} bytes, sha256 ${createHash("sha256").update(bytes).digest("hex")}`);
}
