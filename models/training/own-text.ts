// The texts of this repository that a model was trained on, as they were written: detectors read another form of them.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isOffered, safetyFolder } from "./content-safety.ts";
import { innocentWords } from "./innocent-word.ts";
import { corpusFolder, isHeldOut } from "./row.ts";

/** A line of the corpus or of the texts of content safety. */
export interface OwnLine {
  readonly text: string;
  readonly label: string;
  readonly family: string;
  readonly lang: string;
  readonly group: string;
}

/** The corpus and the texts of content safety, without the groups that are held out, and phrases of innocent words. */
export function ownTrainingTexts(): string[] {
  const safety = linesIn(safetyFolder).filter(({ label, family: kind, lang }) =>
    isOffered({ isAttack: label === "flagged", kind, lang }),
  );
  const learned = [...linesIn(corpusFolder), ...safety].filter((line) => !isHeldOut(line));
  return [...learned.map(({ text }) => text), ...innocentWords];
}

/** The lines of all files of a folder. */
export function linesIn(folder: string): OwnLine[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  return names.sort().flatMap((name) =>
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      // The files are ours; every line has these members.
      .map((line): OwnLine => JSON.parse(line)),
  );
}
