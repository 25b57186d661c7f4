// Trains the model of the detector "content_safety": `npx node models/train-content-safety.ts [--safety FOLDER] [--data
// FILE]… [--corpus FOLDER] [--out FILE]`. The folder has wishes to do harm ("flagged") and innocent texts that look like
// them; of `--data` and of the corpus innocent texts are taken. The turning point comes from four-fold cross-validation
// by group, and from the innocent texts of the corpus that are held out: at it, few look-alikes and hardly any innocent
// texts are flagged. Same arguments, same bytes.

import { parseArgs } from "node:util";
import { damping, writeContentSafetyModel } from "../runtime/engine/detectors/content-safety/model.ts";
import { featureCount } from "../runtime/engine/detectors/content-safety/word.ts";
import { saveWeights, trainingOptions } from "./training/command.ts";
import {
  categoryOfFamily,
  evidenceOf,
  isAlike,
  learnCategories,
  readSafety,
  safetyExample,
} from "./training/content-safety.ts";
import { shareAbove, thresholdFor } from "./training/measure.ts";
import { hashOf, isHeldOut, type Row, readCorpus, readRows } from "./training/row.ts";
import { learnStretches, type StretchExample } from "./training/stretch.ts";

const { values } = parseArgs({
  options: { ...trainingOptions("models/content_safety.bin"), safety: { type: "string" } },
});

/** So many may be flagged at the turning point: of look-alikes in the cross-validation, of other innocent texts. */
const allowed = { alike: 0.025, innocent: 0.003 };
const folds = 4;
const seed = 20261124;
const largest = 127;

const safety = readSafety(values.safety).filter((row) => !isHeldOut(row));
const isInnocent = ({ isAttack }: Row): boolean => !isAttack;
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

function turningPoint(): number {
  const foldOf = (row: Row): number => hashOf(`fold ${row.group}`) % folds;
  const scored: { readonly row: Row; readonly evidence: number }[] = [];
  let most = Number.NEGATIVE_INFINITY;
  for (let fold = 0; fold < folds; fold++) {
    const seen = safety.filter((row) => foldOf(row) !== fold).map(safetyExample);
    const model = learnStretches([...seen, ...ordinary], { featureCount, damping });
    const evidence = (example: StretchExample): number => evidenceOf(example, model);
    for (const row of safety) if (foldOf(row) === fold) scored.push({ row, evidence: evidence(safetyExample(row)) });
    const unseen = corpus.filter(isHeldOut).map((row) => evidence(safetyExample(row)));
    if (unseen.length > 0) most = Math.max(most, thresholdFor(unseen, allowed.innocent));
  }
  const evidenceOfAll = (pick: (row: Row) => boolean): number[] =>
    scored.filter(({ row }) => pick(row)).map(({ evidence }) => evidence);
  const alike = evidenceOfAll(isAlike);
  const found = Math.max(most, alike.length === 0 ? Number.NEGATIVE_INFINITY : thresholdFor(alike, allowed.alike));
  for (const family of Object.keys(categoryOfFamily)) {
    const there = evidenceOfAll(({ kind, isAttack }) => kind === family && isAttack);
    const near = evidenceOfAll(({ kind, isAttack }) => kind === family && !isAttack);
    console.log(family, shareAbove(there, found).value.toFixed(3), shareAbove(near, found).value.toFixed(3));
  }
  return Number.isFinite(found) ? found : 0;
}

function quantised(weights: Float32Array): { readonly bytes: Int8Array; readonly scale: number } {
  const scale = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 1e-9) / largest;
  return { bytes: Int8Array.from(weights, (weight) => Math.round(weight / scale)), scale };
}
