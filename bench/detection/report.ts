// The tables of the detection bench, in Markdown.

import { areaUnderCurve, type Share, shareOf } from "../../models/training/measure.ts";
import { type Judge, type Sample, scoresOf } from "./judge.ts";
import type { LabelledSet } from "./set.ts";
import { shareOver, type Thresholds } from "./threshold.ts";

/** Prints a table with a row for each set; nothing when there is none. */
export async function printSets(
  title: string,
  sets: readonly LabelledSet[],
  judge: Judge,
  ranking: Judge,
  at: Thresholds,
): Promise<void> {
  if (sets.length === 0) return;
  console.log(`### ${title} (${judge.name})\n\n${headOf(["set", ...figureHeads])}`);
  for (const { name, rows } of sets) console.log(await setRow(name, rows, judge, ranking, at));
  console.log();
}

async function setRow(
  name: string,
  rows: LabelledSet["rows"],
  judge: Judge,
  ranking: Judge,
  at: Thresholds,
): Promise<string> {
  return rowOf([name, ...cellsOf(await figuresOf(rows, judge, ranking, at))]);
}

/** What a detector finds and wrongly finds in a set. */
export interface Figures {
  readonly found: Share;
  readonly wrong: Share;
  readonly precision: number;
  readonly f1: number;
  /** Not a number for a set of one sort. */
  readonly curve: number;
  readonly halfPercent: Share;
  readonly onePercent: Share;
}

/** The figures of a judge over some rows; the curve and the last two go by the scores of `ranking`. */
export async function figuresOf(
  rows: LabelledSet["rows"],
  judge: Judge,
  ranking: Judge,
  at: Thresholds,
): Promise<Figures> {
  const attacks = rows.filter(({ isAttack }) => isAttack);
  const innocent = rows.filter(({ isAttack }) => !isAttack);
  const found = await shareFlagged(attacks, judge);
  const wrong = await shareFlagged(innocent, judge);
  const ranks = await scoresOf(attacks, ranking);
  return {
    ...{ found, wrong, ...summaryOf(found, wrong) },
    curve: areaUnderCurve(ranks, await scoresOf(innocent, ranking)),
    halfPercent: shareOver(attacks, ranks, at.halfPercent),
    onePercent: shareOver(attacks, ranks, at.onePercent),
  };
}

/** The cells of figures: what nothing was there for stays empty. */
export function cellsOf({ found, wrong, precision, f1, curve, halfPercent, onePercent }: Figures): string[] {
  const isOneSided = found.of === 0 || wrong.of === 0;
  const shown = (share: Share, text: (share: Share) => string): string => (share.of === 0 ? "" : text(share));
  return [
    ...[String(found.of), shown(found, interval), String(wrong.of), shown(wrong, interval)],
    ...[isOneSided ? "" : percent(precision), isOneSided ? "" : f1.toFixed(2)],
    Number.isNaN(curve) ? "" : curve.toFixed(3),
    ...[halfPercent, onePercent].map((share) => shown(share, ({ value }) => percent(value))),
  ];
}

/** The heads of those cells. */
export const figureHeads: readonly string[] =
  "there|found %|innocent|wrongly %|precision %|F1|AUC|found % at 0.5 %|at 1 %".split("|");

/** Prints what each judge finds, wrongly finds and costs, over all rows. */
export async function printJudges(title: string, rows: LabelledSet["rows"], judges: readonly Judge[]): Promise<void> {
  const attacks = rows.filter(({ isAttack }) => isAttack);
  const innocent = rows.filter(({ isAttack }) => !isAttack);
  console.log(
    `### ${title}: ${attacks.length} attacks, ${innocent.length} innocent texts\n\n| judge | found % | wrongly % | precision % | F1 | mean µs | p99 µs |\n| --- | --- | --- | --- | --- | --- | --- |`,
  );
  for (const judge of judges) {
    const found = await shareFlagged(attacks, judge);
    const wrong = await shareFlagged(innocent, judge);
    const { precision, f1 } = summaryOf(found, wrong);
    const { meanUs, p99Us } = await timesOf(innocent, judge);
    const cells = [judge.name, interval(found), interval(wrong), percent(precision), f1.toFixed(2)];
    console.log(`| ${[...cells, meanUs.toFixed(0), p99Us.toFixed(0)].join(" | ")} |`);
  }
  console.log();
}

/** Prints which share of the innocent texts of each set each judge flags. */
export async function printFalseAlarms(sets: readonly LabelledSet[], judges: readonly Judge[]): Promise<void> {
  console.log(
    `### Innocent texts wrongly flagged, %\n\n| set | texts | ${judges.map(({ name }) => name).join(" | ")} |`,
  );
  console.log(`| --- | --- | ${judges.map(() => "---").join(" | ")} |`);
  for (const { name, rows } of sets) {
    const innocent = rows.filter(({ isAttack }) => !isAttack);
    if (innocent.length === 0) continue;
    const cells = [name, String(innocent.length)];
    for (const judge of judges) cells.push(percent((await shareFlagged(innocent, judge)).value));
    console.log(`| ${cells.join(" | ")} |`);
  }
  console.log();
}

/** Prints what judges cost for ordinary texts. */
export async function printTimes(title: string, samples: readonly Sample[], judges: readonly Judge[]): Promise<void> {
  const length = samples.reduce((sum, { text }) => sum + text.length, 0) / Math.max(1, samples.length);
  console.log(
    `### ${title}: ${samples.length} texts, ${length.toFixed(0)} units on average\n\n| judge | mean µs | p99 µs | µs per KiB |\n| --- | --- | --- | --- |`,
  );
  for (const judge of judges) {
    const { meanUs, p99Us } = await timesOf(samples, judge);
    const perKibUs = (1024 * meanUs) / length;
    console.log(`| ${judge.name} | ${meanUs.toFixed(1)} | ${p99Us.toFixed(0)} | ${perKibUs.toFixed(0)} |`);
  }
  console.log();
}

/** Which share of texts a judge flags. */
export async function shareFlagged(samples: readonly Sample[], judge: Judge): Promise<Share> {
  const scores = await scoresOf(samples, judge);
  return shareOf(scores.filter((score) => score >= judge.threshold).length, samples.length);
}

/** Precision and F1 over both sorts together. */
export function summaryOf(found: Share, wrong: Share): { precision: number; f1: number } {
  const precision = shareOf(found.count, found.count + wrong.count).value;
  return { precision, f1: found.count === 0 ? 0 : (2 * precision * found.value) / (precision + found.value) };
}

/** What a text costs. */
interface Times {
  readonly meanUs: number;
  readonly p99Us: number;
}

/**
 * Mean and 99th percentile, of the best of three runs of each text: what others do on the machine is not the judge's
 * time.
 */
export async function timesOf(samples: readonly Sample[], judge: Judge): Promise<Times> {
  await scoresOf(samples.slice(0, 500), judge);
  const times: number[] = [];
  for (const sample of samples) {
    let best = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 3; run++) best = Math.min(best, await timeOf(judge, sample));
    times.push(best);
  }
  times.sort((a, b) => a - b);
  const meanUs = times.reduce((sum, time) => sum + time, 0) / Math.max(1, times.length);
  return { meanUs, p99Us: times[Math.floor(times.length * 0.99)] ?? 0 };
}

// Who answers at once is not kept waiting for a turn of the event loop.
async function timeOf({ score }: Judge, sample: Sample): Promise<number> {
  const beganMs = performance.now();
  const answer = score(sample);
  if (typeof answer !== "number") await answer;
  return (performance.now() - beganMs) * 1000;
}

/** The head of a table in Markdown. */
export function headOf(heads: readonly string[]): string {
  return `${rowOf(heads)}\n${rowOf(heads.map(() => "---"))}`;
}

/** A row of a table in Markdown. */
export function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** A share in percent with its interval. */
export function interval({ value, low, high }: Share): string {
  return `${percent(value)} (${percent(low)}–${percent(high)})`;
}

/** A share in percent. */
export function percent(value: number): string {
  return (value * 100).toFixed(1);
}
