// Trains the model of the detector "content_safety": `npx node models/train-content-safety.ts [--safety FOLDER] [--data
// FILE]… [--corpus FOLDER] [--out FILE]`. The folder has wishes to do harm ("flagged") and innocent texts that look like
// them; of `--data` and of the corpus innocent texts are taken. The turning point comes from four-fold cross-validation
// by group, and from the innocent texts of the corpus that are held out: at it, few English look-alikes and hardly any
// innocent texts are flagged. The figures that it prints take the point of each half of the groups from the other half.
// Same arguments, same bytes.

import { parseArgs } from "node:util";
import { damping, writeContentSafetyModel } from "../runtime/engine/detectors/content-safety/model.ts";
import { featureCount } from "../runtime/engine/detectors/content-safety/word.ts";
import { saveWeights, trainingOptions } from "./training/command.ts";
import {
  categoryOfFamily,
  evidenceOf,
  isAlike,
  isInnocent,
  learnCategories,
  offeredLanguage,
  readSafety,
  safetyExample,
} from "./training/content-safety.ts";
import { shareOf, thresholdFor } from "./training/measure.ts";
import { hashOf, isHeldOut, type Row, readCorpus, readRows } from "./training/row.ts";
import { learnStretches } from "./training/stretch.ts";

const { values } = parseArgs({
  options: { ...trainingOptions("models/content_safety.bin"), safety: { type: "string" } },
});

/** So many may be flagged at the turning point: of look-alikes in the cross-validation, of other innocent texts. */
const allowed = { alike: 0.025, innocent: 0.003 };
const folds = 4;
const shortWords = 16;
const seed = 20261124;
const largest = 127;

const safety = readSafety(values.safety).filter((row) => !isHeldOut(row));
const corpus = readCorpus(values.corpus).filter(isInnocent);
const innocent = [...corpus.filter((row) => !isHeldOut(row)), ...values.data.flatMap((path) => readRows(path))].filter(
  isInnocent,
);
const ordinary = innocent.map(safetyExample);
const point = Math.round(100 * turningPoint()) / 100;

const learned = learnStretches([...safety.map(safetyExample), ...ordinary], { featureCount, damping });
const names = [...new Set(Object.values(categoryOfFamily))].filter((name) => name !== undefined).sort();
const kinds = learnCategories(
  safety.filter(({ isAttack }) => isAttack),
  names,
  seed,
);
const table = quantised(learned.weights);
const kindTable = quantised(kinds.weights);
const header = {
  format: 1,
  version: "2026.11.24",
  scale: table.scale,
  bias: learned.bias,
  point,
  kindScale: kindTable.scale,
  kinds: names.map((name, index) => ({ name, bias: kinds.biases[index] ?? 0 })),
} as const;
saveWeights(values.out, writeContentSafetyModel(header, table.bytes, kindTable.bytes));

/** A text with the evidence of a model that did not see its group. */
interface Judged {
  readonly row: Row;
  readonly evidence: number;
}

function turningPoint(): number {
  const judged: Judged[] = [];
  const others: number[][] = [];
  for (let fold = 0; fold < folds; fold++) {
    const seen = safety.filter((row) => foldOf(row) !== fold).map(safetyExample);
    const model = learnStretches([...seen, ...ordinary], { featureCount, damping });
    for (const row of safety)
      if (foldOf(row) === fold) judged.push({ row, evidence: evidenceOf(safetyExample(row), model) });
    others.push(corpus.filter(isHeldOut).map((row) => evidenceOf(safetyExample(row), model)));
  }
  printFigures(judged, others);
  return pointOf(judged, others);
}

function foldOf({ group }: Row): number {
  return hashOf(`fold ${group}`) % folds;
}

function pointOf(judged: readonly Judged[], others: readonly (readonly number[])[]): number {
  const alike = judged
    .filter(({ row }) => isAlike(row) && row.lang === offeredLanguage)
    .map(({ evidence }) => evidence);
  const points = [
    thresholdFor(alike, allowed.alike),
    ...others.map((evidence) => thresholdFor(evidence, allowed.innocent)),
  ].filter(Number.isFinite);
  return points.length === 0 ? 0 : Math.max(...points);
}

// Each half of the groups is judged at the point of the other half.
function printFigures(judged: readonly Judged[], others: readonly (readonly number[])[]): void {
  const halfOf = ({ row }: Judged): number => Math.floor(hashOf(`half ${row.group}`) / folds) % 2;
  const flagged = [0, 1].flatMap((half) => {
    const point = pointOf(
      judged.filter((each) => halfOf(each) !== half),
      others,
    );
    return judged.filter((each) => halfOf(each) === half).map(({ row, evidence }) => ({ row, hit: evidence > point }));
  });
  const print = (name: string, pick: (row: Row) => boolean): void => {
    const those = flagged.filter(({ row }) => pick(row));
    const { value, low, high } = shareOf(those.filter(({ hit }) => hit).length, those.length);
    const [share, from, to] = [value, low, high].map((each) => (each * 100).toFixed(1));
    console.log(`${name}: ${share} % (${from}–${to}) of ${those.length}`);
  };
  const isShort = ({ text }: Row): boolean => text.split(/\s+/).length <= shortWords;
  const isEnglish = ({ lang }: Row): boolean => lang === offeredLanguage;
  const sets = { "short wishes": isShort, "longer wishes": (row: Row) => !isShort(row) };
  for (const [name, pick] of Object.entries(sets)) {
    print(name, (row) => row.isAttack && pick(row));
  }
  print("English look-alikes", (row) => isAlike(row) && isEnglish(row));
  print("other look-alikes", (row) => isAlike(row) && !isEnglish(row));
  for (const family of Object.keys(categoryOfFamily)) {
    print(`${family}, short wishes`, (row) => row.isAttack && row.kind === family && isShort(row));
    print(`${family}, look-alikes`, (row) => isAlike(row) && row.kind === family && isEnglish(row));
  }
}

function quantised(weights: Float32Array): { readonly bytes: Int8Array; readonly scale: number } {
  const scale = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 1e-9) / largest;
  return { bytes: Int8Array.from(weights, (weight) => Math.round(weight / scale)), scale };
}
