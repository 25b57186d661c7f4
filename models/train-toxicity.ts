// Trains the model of the detector "toxicity": `npx node models/train-toxicity.ts --data FILE… [--innocent FILE]…
// [--skip KIND]… [--out FILE]`. `--data` are labelled texts ("toxic" or anything else), `--innocent` texts of which
// none is toxic; to them come the corpus, attacks included, since an attack need not insult, and
// `training/innocent-word.ts`. Of the texts of a `--skip` kind none is learned. The turning point is what few texts of
// the hold-out of the corpus, and of the labelled ones that are not toxic and were left out by hash, reach. Same
// arguments, same bytes.

import { parseArgs } from "node:util";
import { damping, ToxicityModel, writeToxicityModel } from "../runtime/engine/detectors/toxicity/model.ts";
import { featureCount } from "../runtime/engine/detectors/toxicity/word.ts";
import { repeated, saveWeights, trainingOptions } from "./training/command.ts";
import { innocentWords } from "./training/innocent-word.ts";
import { thresholdFor } from "./training/measure.ts";
import { hashOf, isHeldOut, type Row, readCorpus, readRows } from "./training/row.ts";
import { learnStretches, type StretchExample } from "./training/stretch.ts";
import { stretchesIn } from "./training/toxicity.ts";

const { values } = parseArgs({
  options: { ...trainingOptions("models/toxicity.bin"), innocent: repeated, skip: repeated },
});

/**
 * So many may be taken for toxic: of the hold-out of the corpus, and of the labelled texts that are not toxic and were
 * left out.
 */
const allowed = { innocent: 0.002, denied: 0.02 };
const leftOutPercent = 15;
const weights = { toxic: 0.5, denied: 1.5, innocent: 0.5, ambiguous: 2 };
const largest = 127;

const given = values.data.flatMap((path) => readRows(path, "toxic"));
const isLeftOut = ({ text }: Row): boolean => hashOf(text) % 100 < leftOutPercent;
const labelled = given.filter((row) => !isLeftOut(row) && !values.skip.includes(row.kind));
const innocent = values.innocent.flatMap((path) => readRows(path));
const corpus = readCorpus(values.corpus);
const examples: StretchExample[] = [
  ...labelled.map(({ text, isAttack }) => exampleOf(text, isAttack, isAttack ? weights.toxic : weights.denied)),
  ...[...innocent, ...corpus.filter((row) => !isHeldOut(row))].map(({ text }) =>
    exampleOf(text, false, weights.innocent),
  ),
  ...innocentWords.map((text) => exampleOf(text, false, weights.ambiguous)),
];
const learned = learnStretches(examples, { featureCount, damping });
const scale = learned.weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 1e-9) / largest;
const bytesOf = Int8Array.from(learned.weights, (weight) => Math.round(weight / scale));
const header = { format: 1, version: "2026.11.20", scale, bias: learned.bias, point: 0 } as const;
const model = new ToxicityModel(header, bytesOf);
const point = Math.max(
  pointAt(corpus.filter(isHeldOut), allowed.innocent),
  pointAt(
    given.filter((row) => isLeftOut(row) && !row.isAttack),
    allowed.denied,
  ),
);
const bytes = writeToxicityModel(
  { ...header, point: Number.isFinite(point) ? Math.round(point * 100) / 100 : 0 },
  bytesOf,
);
saveWeights(values.out, bytes);
console.log(`${featureCount} weights, damping ${damping}, scale ${scale.toFixed(4)}, point ${point.toFixed(2)}`);

// Marks of the place that a text comes from tell nothing about it.
function exampleOf(text: string, isToxic: boolean, weight: number): StretchExample {
  return { stretches: stretchesIn(text.replace(/\bRT\b|&#?[a-z0-9]+;/g, " ")), isFound: isToxic, weight };
}

function pointAt(rows: readonly Row[], share: number): number {
  const evidence = rows.map(({ text }) => model.worst(text, 0, text.length)?.evidence ?? Number.NEGATIVE_INFINITY);
  return rows.length === 0 ? Number.NEGATIVE_INFINITY : thresholdFor(evidence, share);
}
