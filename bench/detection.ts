// `npm run bench -- detection [--data FILE]… [--dev FILE]… [--detector NAME]`: what a detector finds, and what it wrongly finds, on the
// groups of the corpus that nothing was trained on, by language, in disguise, and on labelled files of one's own (JSONL, `text` and
// `label` "attack" or anything else, gzipped or not). `--dev` names the files whose innocent texts the thresholds of the last two
// columns come from; without one they come from the innocent texts of the hold-out.

import { parseArgs } from "node:util";
import { thresholdFor } from "../models/training/measure.ts";
import { readRows } from "../models/training/row.ts";
import { baselines, detectorJudge } from "./detection/judge.ts";
import { printJudges, printSets, printTimes } from "./detection/report.ts";
import { disguisedSets, heldOutSets, ordinaryTexts, setsOfFile, setsOfLanguages } from "./detection/set.ts";
import { allTogether } from "./detection/together.ts";

/** Measures a detector and prints the tables. */
export function detectionBench(parameters: readonly string[]): void {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      data: { type: "string", multiple: true, default: [] },
      dev: { type: "string", multiple: true, default: [] },
      detector: { type: "string", default: "injection" },
    },
  });
  const judge = detectorJudge(values.detector);
  const ranking = values.detector === "injection" ? detectorJudge("injection", { sensitivity: "strict" }) : judge;
  const own = heldOutSets();
  const given = values.data.flatMap(setsOfFile);
  const ownRows = own.flatMap(({ rows }) => rows);
  const dev = values.dev.length === 0 ? ownRows : values.dev.flatMap((path) => readRows(path));
  const scores = dev.filter(({ isAttack }) => !isAttack).map(({ text }) => ranking.score(text));
  const at = { halfPercent: thresholdFor(scores, 0.005), onePercent: thresholdFor(scores, 0.01) };
  printSets("Hold-out of the corpus", [...own, { name: "all", rows: ownRows }], judge, ranking, at);
  printSets("Hold-out by language", setsOfLanguages(ownRows), judge, ranking, at);
  printSets("English hold-out in disguise", disguisedSets(), judge, ranking, at);
  if (given.length > 0) {
    const rows = given.flatMap((set) => set.rows);
    printSets("Files given", [...given, { name: "all", rows }], judge, ranking, at);
    printSets("Files given, by language", setsOfLanguages(rows), judge, ranking, at);
  }
  const levels =
    values.detector !== "injection"
      ? []
      : ["strict", "permissive"].map((sensitivity) => detectorJudge("injection", { sensitivity }));
  printJudges([...ownRows, ...given.flatMap((set) => set.rows)], [judge, ...levels, ...baselines]);
  printTimes("Time of ordinary prompts", ordinaryTexts([...ownRows, ...given.flatMap((set) => set.rows)]), [
    judge,
    allTogether(),
  ]);
}
