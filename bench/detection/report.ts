// The tables of the detection bench, in Markdown.

import { areaUnderCurve, type Share, shareAbove, shareOf } from "../../models/training/measure.ts";
import type { Judge } from "./judge.ts";
import type { LabelledSet } from "./set.ts";

/** Scores from which on a text is an attack, so that this share of innocent dev texts is. */
export interface Thresholds {
  readonly halfPercent: number;
  readonly onePercent: number;
}

const flagged = 0.5;

/** Prints a table with a row for each set. */
export function printSets(
  title: string,
  sets: readonly LabelledSet[],
  judge: Judge,
  ranking: Judge,
  at: Thresholds,
): void {
  console.log(
    `### ${title} (${judge.name})\n\n| set | attacks | found % | innocent | wrongly % | precision % | F1 | AUC | found % at 0.5 % | at 1 % |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |`,
  );
  for (const { name, rows } of sets) console.log(setRow(name, rows, judge, ranking, at));
  console.log();
}

function setRow(name: string, rows: LabelledSet["rows"], judge: Judge, ranking: Judge, at: Thresholds): string {
  const attacks = rows.filter(({ isAttack }) => isAttack).map(({ text }) => text);
  const innocent = rows.filter(({ isAttack }) => !isAttack).map(({ text }) => text);
  const found = shareFlagged(attacks, judge);
  const wrong = shareFlagged(innocent, judge);
  const precision = shareOf(found.count, found.count + wrong.count);
  const f1 = found.count === 0 ? 0 : (2 * precision.value * found.value) / (precision.value + found.value);
  const ranks = attacks.map(ranking.score);
  const curve = areaUnderCurve(ranks, innocent.map(ranking.score));
  const cells = [
    ...[name, String(attacks.length), attacks.length === 0 ? "" : interval(found)],
    ...[String(innocent.length), innocent.length === 0 ? "" : interval(wrong)],
    attacks.length === 0 || innocent.length === 0 ? "" : percent(precision.value),
    attacks.length === 0 || innocent.length === 0 ? "" : f1.toFixed(2),
    Number.isNaN(curve) ? "" : curve.toFixed(3),
    attacks.length === 0 ? "" : percent(shareAbove(ranks, at.halfPercent).value),
    attacks.length === 0 ? "" : percent(shareAbove(ranks, at.onePercent).value),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** Prints what each judge finds, wrongly finds and costs, over all rows. */
export function printJudges(rows: LabelledSet["rows"], judges: readonly Judge[]): void {
  console.log(
    "### Judges over all sets\n\n| judge | found % | wrongly % | precision % | F1 | mean µs | p99 µs |\n| --- | --- | --- | --- | --- | --- | --- |",
  );
  for (const judge of judges) {
    const found = shareFlagged(textsOf(rows, true), judge);
    const wrong = shareFlagged(textsOf(rows, false), judge);
    const precision = shareOf(found.count, found.count + wrong.count).value;
    const f1 = found.count === 0 ? 0 : (2 * precision * found.value) / (precision + found.value);
    const { meanUs, p99Us } = timesOf(textsOf(rows, false), judge);
    const cells = [judge.name, interval(found), interval(wrong), percent(precision), f1.toFixed(2)];
    console.log(`| ${[...cells, meanUs.toFixed(0), p99Us.toFixed(0)].join(" | ")} |`);
  }
  console.log();
}

/** Prints what judges cost for ordinary texts. */
export function printTimes(title: string, texts: readonly string[], judges: readonly Judge[]): void {
  const length = texts.reduce((sum, text) => sum + text.length, 0) / Math.max(1, texts.length);
  console.log(
    `### ${title}: ${texts.length} texts, ${length.toFixed(0)} units on average\n\n| judge | mean µs | p99 µs |\n| --- | --- | --- |`,
  );
  for (const judge of judges) {
    const { meanUs, p99Us } = timesOf(texts, judge);
    console.log(`| ${judge.name} | ${meanUs.toFixed(0)} | ${p99Us.toFixed(0)} |`);
  }
  console.log();
}

function textsOf(rows: LabelledSet["rows"], isAttack: boolean): string[] {
  return rows.filter((row) => row.isAttack === isAttack).map(({ text }) => text);
}

function shareFlagged(texts: readonly string[], { score }: Judge): Share {
  return shareOf(texts.filter((text) => score(text) >= flagged).length, texts.length);
}

// The best of three runs of each text: what others do on the machine is not the judge's time.
function timesOf(texts: readonly string[], { score }: Judge): { meanUs: number; p99Us: number } {
  for (const text of texts.slice(0, 500)) score(text);
  const times = texts.map((text) => Math.min(...[1, 2, 3].map(() => timeOf(() => score(text))))).sort((a, b) => a - b);
  const meanUs = times.reduce((sum, time) => sum + time, 0) / Math.max(1, times.length);
  return { meanUs, p99Us: times[Math.floor(times.length * 0.99)] ?? 0 };
}

function timeOf(run: () => unknown): number {
  const beganMs = performance.now();
  run();
  return (performance.now() - beganMs) * 1000;
}

function interval({ value, low, high }: Share): string {
  return `${percent(value)} (${percent(low)}–${percent(high)})`;
}

function percent(value: number): string {
  return (value * 100).toFixed(1);
}
