// Writes the hashes of the texts that the models were trained on: `npx node models/hash-texts.ts [--data FILE]… [--out
// FILE]`. The texts of this repository are always read (`training/own-text.ts`); FILE is JSONL with `text`, and every text
// of it counts. Same arguments, same bytes.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { comparableText, writeTextHashes } from "../src/kit/crypto/text-hash.ts";
import { repeated } from "./training/command.ts";
import { ownTrainingTexts } from "./training/own-text.ts";

const { values } = parseArgs({
  options: { data: repeated, out: { type: "string", default: join(import.meta.dirname, "training-texts.hashes") } },
});

const given = [...ownTrainingTexts(), ...values.data.flatMap(textsIn)];
const file = writeTextHashes(given.map(comparableText).filter((text) => text !== ""));
writeFileSync(values.out, file);
process.stdout.write(`${values.out}: ${file.length / 8} texts\n`);

function textsIn(path: string): string[] {
  const bytes = readFileSync(path);
  const lines = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8").split("\n");
  return lines.filter((line) => line !== "").flatMap((line) => textsOfRow(JSON.parse(line)));
}

function textsOfRow({ text, plain }: Record<string, unknown>): string[] {
  return [text, plain].filter((value) => typeof value === "string");
}
