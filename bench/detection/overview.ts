// One table of all detectors: each on its own set, which nothing was tuned on.

import type { Row } from "../../models/training/row.ts";
import { attackWords, blockAll, detectorJudge, type Judge, patternJudge } from "./judge.ts";
import { devRows, type MadeSets, madeSets } from "./made.ts";
import {
  cellsOf,
  type Figures,
  figureHeads,
  figuresOf,
  headOf,
  percent,
  printTimes,
  rowOf,
  shareFlagged,
  summaryOf,
  timesOf,
} from "./report.ts";
import { heldOutSets, joinedRows, ordinaryRows } from "./set.ts";
import { crossFitted, type Thresholds, thresholdsFrom } from "./threshold.ts";
import { allTogether, eachAlone } from "./together.ts";

/** A detector with what it is measured on. */
interface Entry {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly judge: Judge;
  readonly ranking: Judge;
  readonly thresholds: Thresholds;
  readonly pattern: Judge;
}

/** Prints a row for each detector, on its own set and on the texts given, and what baselines do on the same sets. */
export async function printOverview(given: readonly Row[] = []): Promise<void> {
  const entries = [await injectionEntry()];
  for (const sets of madeSets) entries.push(await entryOf(sets));
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  await printEntries("All detectors, hold-outs", entries);
  if (given.length > 0)
    await printEntries(
      "All detectors, files given",
      entries.map((entry) => ({ ...entry, rows: given })),
    );
  console.log("### Against what anybody could do, hold-outs (allowing all finds nothing: F1 0)\n");
  const heads = ["found %", "wrongly %", "precision %", "F1"].map((head) => `a pattern, ${head}`);
  console.log(headOf(["detector", "F1", ...heads, "block all, precision %", "F1"]));
  for (const entry of entries) console.log(await baselineRow(entry));
  await printLanguages(entries.filter(({ rows }) => rows.some(({ lang }) => lang !== "" && lang !== "en")));
  const ordinary = ordinaryRows(heldOutSets().flatMap(({ rows }) => rows));
  const judges = [...eachAlone(), allTogether()];
  await printTimes("Time of ordinary prompts, each detector alone and all together", ordinary, judges);
  await printTimes("Time of the same, joined to texts of a KiB", joinedRows(ordinary, 1024), judges);
}

async function printEntries(title: string, entries: readonly Entry[]): Promise<void> {
  console.log(`### ${title}\n\n${headOf(["detector", ...figureHeads, "mean µs", "p99 µs"])}`);
  for (const entry of entries) console.log(await overviewRow(entry));
  console.log();
}

// A column for what is found and one for what is found wrongly, for each detector whose texts say their language.
async function printLanguages(entries: readonly Entry[]): Promise<void> {
  const names = [...new Set(entries.flatMap(({ rows }) => rows.map(({ lang }) => lang)))].filter((name) => name !== "");
  const heads = entries.flatMap(({ name }) => [`${name}, found`, "wrongly"]);
  console.log(`\n### By language, hold-outs\n\n${headOf(["language", ...heads])}`);
  for (const name of names.toSorted()) {
    const cells = [name];
    for (const { rows, judge } of entries) {
      const { found, wrong } = await summed(
        rows.filter(({ lang }) => lang === name),
        judge,
      );
      cells.push(...[found, wrong].map(({ count, of }) => (of === 0 ? "" : `${count} of ${of}`)));
    }
    console.log(rowOf(cells));
  }
  console.log();
}

/** Thresholds of a detector from its development set. */
export function madeThresholds(sets: MadeSets): Promise<Thresholds> {
  return thresholdsFrom(devRows(sets), detectorJudge(sets.detector, sets.parameters("dev")));
}

async function entryOf(sets: MadeSets): Promise<Entry> {
  const judge = detectorJudge(sets.detector, sets.parameters("test"));
  const pattern = patternJudge("a pattern", sets.pattern);
  const thresholds = await madeThresholds(sets);
  const name = sets.title === undefined ? sets.detector : `${sets.detector}, ${sets.title}`;
  return { name, rows: sets.rows("test"), judge, ranking: judge, thresholds, pattern };
}

async function injectionEntry(): Promise<Entry> {
  const rows = heldOutSets().flatMap((set) => set.rows);
  const ranking = detectorJudge("injection", { sensitivity: "strict" });
  const thresholds = await crossFitted(rows, ranking);
  return { name: "injection", rows, judge: detectorJudge("injection"), ranking, thresholds, pattern: attackWords };
}

async function overviewRow({ name, rows, judge, ranking, thresholds }: Entry): Promise<string> {
  const figures: Figures = await figuresOf(rows, judge, ranking, thresholds);
  const { meanUs, p99Us } = await timesOf(rows, judge);
  return rowOf([name, ...cellsOf(figures), meanUs.toFixed(1), p99Us.toFixed(0)]);
}

async function baselineRow({ name, rows, judge, pattern }: Entry): Promise<string> {
  const own = await summed(rows, judge);
  const cells = [name, own.f1.toFixed(2)];
  const simple = await summed(rows, pattern);
  cells.push(percent(simple.found.value), percent(simple.wrong.value), percent(simple.precision), simple.f1.toFixed(2));
  const blocked = await summed(rows, blockAll);
  cells.push(percent(blocked.precision), blocked.f1.toFixed(2));
  return rowOf(cells);
}

async function summed(
  rows: readonly Row[],
  judge: Judge,
): Promise<Pick<Figures, "found" | "wrong" | "precision" | "f1">> {
  const found = await shareFlagged(
    rows.filter(({ isAttack }) => isAttack),
    judge,
  );
  const wrong = await shareFlagged(
    rows.filter(({ isAttack }) => !isAttack),
    judge,
  );
  return { found, wrong, ...summaryOf(found, wrong) };
}
