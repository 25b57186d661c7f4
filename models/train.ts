// Trains the model of the detector "injection": `npx node models/train.ts [--data FILE]… [--innocent FILE]… [--skip
// KIND]… [--out FILE]`. The corpus is always read, without the groups that are held out; FILE is JSONL with `text` and
// `label`, and `--innocent` takes every text of a file for innocent, 5,000 at most. The share of the patterns and the
// turning points come from four-fold cross-validation in which whole sources and whole groups of templates are left
// out, so they hold for texts from elsewhere. Same arguments, same bytes.

import { parseArgs } from "node:util";
import { featureCount } from "../runtime/engine/detectors/injection/feature.ts";
import { type ModelHeader, type TurningPoints, writeModel } from "../runtime/engine/detectors/injection/model.ts";
import { normalize } from "../runtime/engine/text/normalize.ts";
import { repeated, saveWeights, trainingOptions } from "./training/command.ts";
import { familyOf, guessFamily, learnFamilies } from "./training/family.ts";
import { type Instance, instancesOf } from "./training/instance.ts";
import { createPatternReader, evidenceIn, totalOf, type WindowEvidence } from "./training/judge.ts";
import { type Example, learnFrom, settings } from "./training/learn.ts";
import { areaUnderCurve, shareAbove, thresholdFor } from "./training/measure.ts";
import { hashOf, isHeldOut, type Row, readCorpus, readRows } from "./training/row.ts";
import { disguised, transforms } from "./training/transform.ts";

const folds = 4;
const mostInnocent = 5_000;
const longestDisguised = 300;
const version = "2026.11.22";
/**
 * Of innocent texts from sources that were left out, so many may be taken for attacks: ordinary ones, and hard ones.
 */
const allowed = {
  strict: { ordinary: 0.02, hard: 0.05, document: 0.05 },
  balanced: { ordinary: 0.005, hard: 0.018, document: 0.02 },
  permissive: { ordinary: 0.001, hard: 0.005, document: 0.005 },
} as const;
const hardKinds =
  /^(trigger_words|security_question|quoted_attack_discussion|docs_about_injection|roleplay|instructions_edit|logs_config|support_mail|coding|education|creative)/;

const { values } = parseArgs({
  options: { ...trainingOptions("models/injection.bin"), innocent: repeated, skip: repeated },
});

/** A row with what decides on its fold and its weight. */
interface Lesson {
  readonly row: Row;
  readonly windows: readonly Instance[];
  readonly isForeign: boolean;
}

const lessons = readLessons();
const read = createPatternReader();
const matches = lessons.map(({ row }) => read(row.text));
say(`${lessons.length} texts, ${lessons.filter(({ row }) => row.isAttack).length} of them attacks`);
const evidence = crossValidate();
const patternShare = bestShare();
sayGroups("source", ({ row }) => row.source);
sayGroups("language", ({ row }) => row.lang);
const points = { chat: chatPoints(), document: documentPoints() };
const learner = learnFrom(lessons.map(exampleOf));
const { scale, weights } = quantize(learner.weights);
const named = learnedFamilies();
const header: ModelHeader = {
  format: 3,
  version,
  features: featureCount,
  scale,
  bias: round(learner.bias),
  damping: learner.damping,
  patternShare,
  points,
  families: named.families,
  familyBiases: named.biases.map(round),
  familyScale: named.scale,
};
saveWeights(values.out, writeModel(header, weights, named.weights));
say(JSON.stringify(header));

function readLessons(): Lesson[] {
  const own = readCorpus(values.corpus).filter((row) => !isHeldOut(row));
  const data = values.data.flatMap((path) => readRows(path));
  const innocent = values.innocent.flatMap((path) => {
    const rows = readRows(path);
    const step = Math.ceil(rows.length / mostInnocent);
    return rows.filter((_, index) => index % step === 0).map((row) => ({ ...row, isAttack: false }));
  });
  const foreign = distinct([...data.filter(({ kind }) => !values.skip.includes(kind)), ...innocent]);
  return [
    ...[...own, ...inDisguise(own)].map((row) => ({ row, windows: instancesOf(row.text), isForeign: false })),
    ...[...foreign, ...inDisguise(foreign)].map((row) => ({ row, windows: instancesOf(row.text), isForeign: true })),
  ];
}

// A disguise alone is innocent: what is behind it is read in a form of its own. Such a text goes with the one that it
// was made of, so that no split parts them.
function inDisguise(rows: readonly Row[]): Row[] {
  const names = Object.keys(transforms);
  return rows.flatMap((row) => {
    const number = hashOf(row.id);
    if (row.isAttack || number % 20 !== 0) return [];
    const name = names[Math.floor(number / 20) % names.length] ?? "leet";
    const text = normalize(disguised(name, row.text.slice(0, longestDisguised), number));
    return [{ ...row, text, kind: `in_${name}` }];
  });
}

function distinct(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.text, row])).values()];
}

// Innocent texts that were written to be hard teach most, ordinary ones of other people are many and alike; attacks
// that strangers made up are few.
function exampleOf({ row: { isAttack }, windows, isForeign }: Lesson): Example {
  if (isAttack) return { windows, isAttack, weight: isForeign ? 1 : 0.6 };
  return { windows, isAttack, weight: isForeign ? 0.7 : 1.5 };
}

// Of other people's texts a whole source is left out at a time: what one template or one author made never stands on
// both sides.
function foldOf({ row, isForeign }: Lesson): number {
  return hashOf(isForeign ? row.source : row.group) % folds;
}

function crossValidate(): WindowEvidence[][] {
  const found: WindowEvidence[][] = lessons.map(() => []);
  for (let fold = 0; fold < folds; fold++) {
    const without = learnFrom(lessons.filter((lesson) => foldOf(lesson) !== fold).map(exampleOf));
    lessons.forEach((lesson, index) => {
      if (foldOf(lesson) === fold) found[index] = evidenceIn(lesson.windows, without, matches[index] ?? []);
    });
    say(`fold ${fold + 1} of ${folds}`);
  }
  return found;
}

/**
 * The share at which most attacks are found at the balanced point, those of other people counting as much as all
 * together. With a greater one, innocent texts that quote attacks would decide on the point.
 */
function bestShare(): number {
  let best = { share: 0, found: -1 };
  for (const share of [2, 3, 4, 5]) {
    const point = pointOf(totals(share, isOrdinary), totals(share, isHard), allowed.balanced);
    const found = shareAbove(totals(share, isAttack), point).value;
    const foreign = shareAbove(
      totals(share, (lesson) => isAttack(lesson) && lesson.isForeign),
      point,
    ).value;
    const curve = areaUnderCurve(totals(share, isAttack), totals(share, isInnocent));
    say(`share ${share}: AUC ${curve.toFixed(3)}, found ${percent(found)}, of other people's ${percent(foreign)}`);
    if (found + foreign > best.found) best = { share, found: found + foreign };
  }
  return best.share;
}

// What cross-validation finds at the balanced point of conversations, group by group.
function sayGroups(title: string, nameOf: (lesson: Lesson) => string): void {
  const point = pointOf(
    totals(patternShare, (lesson) => isChat(lesson) && isOrdinary(lesson)),
    totals(patternShare, (lesson) => isChat(lesson) && isHard(lesson)),
    allowed.balanced,
  );
  for (const name of new Set(lessons.map(nameOf))) {
    const isOf = (lesson: Lesson) => isChat(lesson) && nameOf(lesson) === name;
    const found = shareAbove(
      totals(patternShare, (lesson) => isOf(lesson) && isAttack(lesson)),
      point,
    );
    const wrong = shareAbove(
      totals(patternShare, (lesson) => isOf(lesson) && isInnocent(lesson)),
      point,
    );
    say(`${title} ${name}: found ${percent(found.value)} of ${found.of}, wrongly ${wrong.count} of ${wrong.of}`);
  }
}

function chatPoints(): TurningPoints {
  const ordinary = totals(patternShare, (lesson) => isChat(lesson) && isOrdinary(lesson));
  const hard = totals(patternShare, (lesson) => isChat(lesson) && isHard(lesson));
  const attacks = totals(patternShare, (lesson) => isChat(lesson) && isAttack(lesson));
  return pointsBy((sensitivity) => {
    const point = pointOf(ordinary, hard, allowed[sensitivity]);
    sayShares(`chat, ${sensitivity}`, point, { ordinary, hard, attacks });
    return point;
  });
}

function documentPoints(): TurningPoints {
  const innocent = totals(patternShare, (lesson) => !isChat(lesson) && isInnocent(lesson));
  const attacks = totals(patternShare, (lesson) => !isChat(lesson) && isAttack(lesson));
  return pointsBy((sensitivity) => {
    const point = thresholdFor(innocent, allowed[sensitivity].document);
    sayShares(`document, ${sensitivity}`, point, { innocent, attacks });
    return point;
  });
}

function pointsBy(pointOfSensitivity: (sensitivity: keyof TurningPoints) => number): TurningPoints {
  const [strict = 0, balanced = 0, permissive = 0] = (["strict", "balanced", "permissive"] as const)
    .map(pointOfSensitivity)
    .map(round);
  return { strict, balanced, permissive };
}

function sayShares(title: string, point: number, sets: Readonly<Record<string, readonly number[]>>): void {
  const shares = Object.entries(sets).map(
    ([name, list]) => `${name} ${percent(shareAbove(list, point).value)} of ${list.length}`,
  );
  say(`${title}: ${point.toFixed(2)}; ${shares.join(", ")}`);
}

function pointOf(
  ordinary: readonly number[],
  hard: readonly number[],
  share: { readonly ordinary: number; readonly hard: number },
): number {
  // Of too few texts the strongest says nothing about a small share.
  const both = [
    ...(ordinary.length * share.ordinary < 1 ? [] : [thresholdFor(ordinary, share.ordinary)]),
    ...(hard.length * share.hard < 1 ? [] : [thresholdFor(hard, share.hard)]),
  ];
  return both.length === 0 ? 0 : Math.max(...both);
}

function totals(share: number, isWanted: (lesson: Lesson) => boolean): number[] {
  return lessons.flatMap((lesson, index) => (isWanted(lesson) ? [totalOf(evidence[index] ?? [], share)] : []));
}

function isAttack({ row }: Lesson): boolean {
  return row.isAttack;
}

function isInnocent({ row }: Lesson): boolean {
  return !row.isAttack;
}

function isHard({ row, isForeign }: Lesson): boolean {
  return !row.isAttack && !isForeign && hardKinds.test(row.kind);
}

function isOrdinary(lesson: Lesson): boolean {
  return isInnocent(lesson) && !isHard(lesson);
}

function isChat({ row }: Lesson): boolean {
  return row.stage === "input" || row.stage === "output";
}

// What an attack looks like is learned from our own corpus alone: other people's texts have no families.
function learnedFamilies(): {
  families: readonly string[];
  biases: readonly number[];
  scale: number;
  weights: Int8Array;
} {
  const own = readCorpus(values.corpus).filter(({ isAttack }) => isAttack);
  const learned = learnFamilies(
    own.filter((row) => !isHeldOut(row)),
    settings,
  );
  const heldOut = own.filter(isHeldOut);
  const right = heldOut.filter((row) => guessFamily(learned, row.text, settings.damping) === familyOf(row)).length;
  say(`families: ${right} of ${heldOut.length} attacks that were held out named as they are labelled`);
  return { ...learned, ...quantize(learned.weights) };
}

// The widest weights are cut off: they stand for a few words that happen to be in one kind of text only.
function quantize(given: Float32Array): { scale: number; weights: Int8Array } {
  const sizes = given
    .map(Math.abs)
    .filter((size) => size > 0)
    .sort();
  const widest = sizes[Math.floor(sizes.length * 0.9999)] ?? 1;
  const step = widest / 127;
  const bytesOf = new Int8Array(given.length);
  for (let i = 0; i < given.length; i++) bytesOf[i] = Math.max(-127, Math.min(127, Math.round((given[i] ?? 0) / step)));
  return { scale: step, weights: bytesOf };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function percent(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}

function say(line: string): void {
  console.log(line);
}
