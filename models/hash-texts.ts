// Writes the hashes of the texts that the models were trained on: `npx node models/hash-texts.ts [--data FILE]… [--out
// FILE]`. The corpus is always read, without the groups that are held out, and the phrases of innocent words; FILE is
// JSONL with `text`, and every text of it counts. Same arguments, same bytes.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { comparableText, writeTextHashes } from "../src/kit/crypto/text-hash.ts";
import { repeated } from "./training/command.ts";
import { innocentWords } from "./training/innocent-word.ts";
import { corpusFolder, isHeldOut } from "./training/row.ts";

const { values } = parseArgs({
  options: { data: repeated, out: { type: "string", default: join(import.meta.dirname, "training-texts.hashes") } },
});

const own = readdirSync(corpusFolder)
  .sort()
  .flatMap((name) => rowsOf(join(corpusFolder, name)))
  .filter(({ group }) => !isHeldOut({ group: String(group) }));
const rows = [...own, ...values.data.flatMap(rowsOf)];
const texts = [...rows.flatMap(textsOf), ...innocentWords].map(comparableText).filter((text) => text !== "");
const file = writeTextHashes(texts);
writeFileSync(values.out, file);
process.stdout.write(`${values.out}: ${file.length / 8} texts\n`);

// As they were written: detectors read another form of them.
function rowsOf(path: string): Record<string, unknown>[] {
  const bytes = readFileSync(path);
  const lines = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

function textsOf({ text, plain }: Record<string, unknown>): string[] {
  return [text, plain].filter((value) => typeof value === "string");
}
