// `npm run bench -- detection [--data FILE]… [--dev FILE]… [--label NAME] [--detector NAME]`: what a detector finds,
// and what it wrongly finds. `injection` is measured on the groups of the corpus that nothing was trained on, by
// language and in disguise, beside peers when they are installed; the others on texts that are made up or written for
// the purpose, of which one set was looked at while tuning and the other was not; `all` prints a row for each. All also
// on labelled files of one's own: JSONL, gzipped or not, with `text` and `label` ("attack", or what `--label` says, or
// anything else) and perhaps `stage`; for `pii` with `spans` of `type`, `start` and `end`. `--dev` names the files
// whose innocent texts the thresholds of the last two columns come from; without one they come from the set that was
// looked at, or, for `injection`, for each half of the hold-out from the other half. `--detector` takes several joined
// by "+": the higher score counts.

import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { type Row, readRows } from "../models/training/row.ts";
import { generatedPii } from "./detection/generated/pii.ts";
import { allowAll, attackWords, blockAll, detectorJudge, type Judge, patternJudge } from "./detection/judge.ts";
import { type MadeSets, madeSets } from "./detection/made.ts";
import { madeThresholds, printOverview } from "./detection/overview.ts";
import { installedPeers } from "./detection/peer.ts";
import { printFalseAlarms, printJudges, printSets, printTimes } from "./detection/report.ts";
import {
  disguisedSets,
  heldOutSets,
  type LabelledSet,
  ordinaryRows,
  setsOfFile,
  setsOfKinds,
  setsOfLanguages,
} from "./detection/set.ts";
import { allTypes, printSpans, readSpans } from "./detection/span.ts";
import { crossFitted, type Thresholds, thresholdsFrom } from "./detection/threshold.ts";
import { allTogether } from "./detection/together.ts";

interface Wish {
  readonly data: readonly string[];
  readonly dev: readonly string[];
  readonly label: string;
  readonly detector: string;
}

/** Measures a detector and prints the tables. */
export async function detectionBench(parameters: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      data: { type: "string", multiple: true, default: [] },
      dev: { type: "string", multiple: true, default: [] },
      detector: { type: "string", default: "injection" },
      label: { type: "string", default: "attack" },
    },
  });
  if (values.detector === "all") return printOverview(values.data.flatMap((path) => readRows(path, values.label)));
  if (values.detector === "injection") return injectionBench(values);
  if (values.detector === "pii") printPii(values);
  const made = madeSets.filter(({ detector }) => detector === values.detector);
  for (const sets of made) await madeBench(sets, values);
  // Files for `pii` have places, not labels.
  const judge = detectorJudge(values.detector, made[0]?.parameters("test"));
  await otherBench(values.detector === "pii" ? { ...values, data: [] } : values, judge, made[0]);
}

async function injectionBench(wish: Wish): Promise<void> {
  const judge = detectorJudge("injection");
  const ranking = detectorJudge("injection", { sensitivity: "strict" });
  const own = heldOutSets();
  const given = wish.data.flatMap((path) => setsOfFile(path, wish.label));
  const ownRows = rowsOf(own);
  const dev = wish.dev.flatMap((path) => readRows(path));
  const at = dev.length === 0 ? await crossFitted(ownRows, ranking) : await thresholdsFrom(dev, ranking);
  await printSets("Hold-out of the corpus", withAll(own), judge, ranking, at);
  await printSets("Hold-out by language", setsOfLanguages(ownRows), judge, ranking, at);
  await printSets("English hold-out in disguise", disguisedSets(), judge, ranking, at);
  await printGiven(given, judge, ranking, at);
  const judges = [judge, ...(await others())];
  await printJudges("Hold-out of the corpus", ownRows, judges);
  if (given.length > 0) await printJudges("Files given", rowsOf(given), judges);
  const telling = judges.filter(({ name }) => name !== "allow all" && name !== "block all");
  await printFalseAlarms([...own, ...given], telling);
  await printTimes("Time of ordinary prompts", ordinaryRows(rowsOf([...own, ...given])), [judge, allTogether()]);
  await printOverview();
}

function printPii({ data }: Wish): void {
  printSpans("Made up, looked at while tuning", generatedPii("dev"));
  printSpans("Made up, hold-out", generatedPii("test"));
  for (const draw of ["dev", "test"] as const)
    printSpans(`Written by hand, all types, ${draw}`, readSpans(writtenFile(draw)), allTypes);
  for (const path of data) printSpans(basename(path), readSpans(path));
}

function writtenFile(draw: "dev" | "test"): string {
  return join(import.meta.dirname, "detection", "written", `pii.${draw}.jsonl`);
}

async function madeBench(sets: MadeSets, wish: Wish): Promise<void> {
  const { detector, title = "made up", rows, parameters, pattern } = sets;
  const judge = detectorJudge(detector, parameters("test"));
  const at = await thresholdsOf(wish, judge, sets);
  const all = (draw: "dev" | "test"): LabelledSet[] => [{ name: "all", rows: rows(draw) }];
  const onDev = detectorJudge(detector, parameters("dev"));
  await printSets(`Looked at while tuning, ${title}`, all("dev"), onDev, onDev, at);
  await printSets(`Hold-out, ${title}`, all("test"), judge, judge, at);
  await printSets("Hold-out, by kind", setsOfKinds(rows("test")), judge, judge, at);
  await printSets("Hold-out, by language", setsOfLanguages(rows("test"), 1), judge, judge, at);
  await printJudges("Hold-out", rows("test"), [judge, allowAll, blockAll, patternJudge("a pattern", pattern)]);
}

async function otherBench(wish: Wish, judge: Judge, sets: MadeSets | undefined): Promise<void> {
  const innocent = heldOutSets().map(({ name, rows }) => ({ name, rows: rows.filter(({ isAttack }) => !isAttack) }));
  const given = wish.data.flatMap((path) => setsOfFile(path, wish.label));
  await printGiven(given, judge, judge, await thresholdsOf(wish, judge, sets));
  // The corpus has texts in languages that are not allowed.
  if (wish.detector !== "language")
    await printFalseAlarms([...innocent, { name: "all", rows: rowsOf(innocent) }], [judge]);
  if (given.length > 0) await printJudges("Files given", rowsOf(given), [judge]);
  await printTimes("Time of ordinary prompts", ordinaryRows(rowsOf([...innocent, ...given])), [judge, allTogether()]);
}

// From the files named for it, else from the set that was looked at, else from the innocent texts of the hold-out.
function thresholdsOf({ dev, label }: Wish, judge: Judge, sets: MadeSets | undefined): Promise<Thresholds> {
  if (dev.length === 0 && sets !== undefined) return madeThresholds(sets);
  const rows = dev.length === 0 ? rowsOf(heldOutSets()) : dev.flatMap((path) => readRows(path, label));
  return thresholdsFrom(rows, judge);
}

async function printGiven(given: readonly LabelledSet[], judge: Judge, ranking: Judge, at: Thresholds): Promise<void> {
  if (given.length === 0) return;
  await printSets("Files given", withAll(given), judge, ranking, at);
  await printSets("Files given, by language", setsOfLanguages(rowsOf(given)), judge, ranking, at);
}

async function others(): Promise<readonly Judge[]> {
  const levels = ["strict", "permissive"].map((sensitivity) => detectorJudge("injection", { sensitivity }));
  const peers = await installedPeers();
  if (peers.length === 0)
    console.log("Peers are left out: they are not installed. `npm ci --prefix bench/peers` installs them.\n");
  return [...levels, allowAll, blockAll, attackWords, ...peers];
}

function withAll(sets: readonly LabelledSet[]): LabelledSet[] {
  return [...sets, { name: "all", rows: rowsOf(sets) }];
}

function rowsOf(sets: readonly LabelledSet[]): Row[] {
  return sets.flatMap(({ rows }) => rows);
}
