// `npm run bench -- detection [--data FILE]… [--dev FILE]… [--label NAME] [--detector NAME]`: what a detector finds, and what it wrongly
// finds. `injection` is measured on the groups of the corpus that nothing was trained on, by language and in disguise, beside peers when
// they are installed; `pii` and `secrets` on texts that are made up for the purpose; others on what they find in innocent texts of the
// corpus. All also on labelled files of one's own: JSONL, gzipped or not, with `text` and `label` ("attack", or what `--label` says, or
// anything else) and perhaps `stage`; for `pii` with `spans` of `type`, `start` and `end`. `--dev` names the files whose innocent texts the
// thresholds of the last two columns come from; without one they come from the innocent texts of the hold-out. `--detector` takes several
// joined by "+": the higher score counts.

import { basename } from "node:path";
import { parseArgs } from "node:util";
import { thresholdFor } from "../models/training/measure.ts";
import { type Row, readRows } from "../models/training/row.ts";
import { generatedPii } from "./detection/generated/pii.ts";
import { generatedSecrets } from "./detection/generated/secret.ts";
import { baselines, detectorJudge, type Judge, scoresOf } from "./detection/judge.ts";
import { installedPeers } from "./detection/peer.ts";
import { printFalseAlarms, printJudges, printSets, printTimes, type Thresholds } from "./detection/report.ts";
import {
  disguisedSets,
  heldOutSets,
  type LabelledSet,
  ordinaryRows,
  setsOfFile,
  setsOfLanguages,
} from "./detection/set.ts";
import { printSpans, readSpans } from "./detection/span.ts";
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
  if (values.detector === "injection") await injectionBench(values);
  else if (values.detector === "pii") piiBench(values);
  else await otherBench(values);
}

async function injectionBench(wish: Wish): Promise<void> {
  const judge = detectorJudge("injection");
  const ranking = detectorJudge("injection", { sensitivity: "strict" });
  const own = heldOutSets();
  const given = wish.data.flatMap((path) => setsOfFile(path, wish.label));
  const ownRows = rowsOf(own);
  const at = await thresholdsOn(wish.dev.length === 0 ? ownRows : wish.dev.flatMap((path) => readRows(path)), ranking);
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
}

function piiBench({ data }: Wish): void {
  printSpans("Made up, looked at while tuning", generatedPii("dev"));
  printSpans("Made up, hold-out", generatedPii("test"));
  for (const path of data) printSpans(basename(path), readSpans(path));
}

async function otherBench(wish: Wish): Promise<void> {
  const judge = detectorJudge(wish.detector);
  const innocent = heldOutSets().map(({ name, rows }) => ({ name, rows: rows.filter(({ isAttack }) => !isAttack) }));
  const made = wish.detector === "secrets" ? [generatedSet("dev"), generatedSet("test")] : [];
  const given = wish.data.flatMap((path) => setsOfFile(path, wish.label));
  const dev = wish.dev.length === 0 ? rowsOf(innocent) : wish.dev.flatMap((path) => readRows(path, wish.label));
  const at = await thresholdsOn(dev, judge);
  if (made.length > 0) await printSets("Made up", made, judge, judge, at);
  await printGiven(given, judge, judge, at);
  await printFalseAlarms([...innocent, { name: "all", rows: rowsOf(innocent) }], [judge]);
  const rows = rowsOf([...made.slice(1), ...given]);
  if (rows.length > 0) await printJudges("All", rows, [judge]);
  await printTimes("Time of ordinary prompts", ordinaryRows(rowsOf([...innocent, ...given])), [judge, allTogether()]);
}

function generatedSet(name: "dev" | "test"): LabelledSet {
  return { name: name === "dev" ? "looked at while tuning" : "hold-out", rows: generatedSecrets(name) };
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
  return [...levels, ...baselines, ...peers];
}

async function thresholdsOn(dev: readonly Row[], ranking: Judge): Promise<Thresholds> {
  const innocent = dev.filter(({ isAttack }) => !isAttack);
  const scores = await scoresOf(innocent, ranking);
  return { halfPercent: thresholdFor(scores, 0.005), onePercent: thresholdFor(scores, 0.01) };
}

function withAll(sets: readonly LabelledSet[]): LabelledSet[] {
  return [...sets, { name: "all", rows: rowsOf(sets) }];
}

function rowsOf(sets: readonly LabelledSet[]): Row[] {
  return sets.flatMap(({ rows }) => rows);
}
