// Grows `corpus/own-world.jsonl` from the grammars and the prose in `grammar/`: `npx node models/grow.ts [--out FILE]`.
// Same grammars, same bytes.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Grown, growProse, growTexts, readGrammar } from "./training/grammar.ts";
import { corpusFolder } from "./training/row.ts";

const folder = fileURLToPath(new URL("grammar/", import.meta.url));
const { values } = parseArgs({ options: { out: { type: "string", default: join(corpusFolder, "own-world.jsonl") } } });

const grown = readdirSync(folder)
  .sort()
  .flatMap((name) => grow(name, readFileSync(join(folder, name), "utf8")));
writeFileSync(values.out, grown.map((row) => `${JSON.stringify(row)}\n`).join(""));
console.log(`${values.out}: ${grown.length} texts`);

function grow(name: string, source: string): Grown[] {
  const [, kind, lang = ""] = /^(world|prose)-([a-z]+)\.txt$/.exec(name) ?? [];
  if (kind === undefined) throw new Error(`${name} is neither a grammar nor prose`);
  try {
    return kind === "world" ? growTexts(lang, readGrammar(source)) : growProse(lang, source);
  } catch (error) {
    throw new Error(`${name}: ${String(error)}`, { cause: error });
  }
}
