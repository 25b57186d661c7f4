// Trains the model of the detector "gibberish": `npx node models/train-gibberish.ts [--data FILE]… [--calibrate FILE]…
// [--out FILE]`. Counts trigrams of innocent texts: the corpus without the groups that are held out, and FILE (JSONL).
// The turning points are quantiles of what the innocent held-out texts, and those of `--calibrate`, cost. Same
// arguments, same bytes.

import { parseArgs } from "node:util";
import {
  costOf,
  type GibberishHeader,
  GibberishModel,
  symbolCount,
  symbolsIn,
  writeGibberishModel,
} from "../runtime/engine/detectors/gibberish/model.ts";
import { windowsOf } from "../runtime/engine/detectors/injection/feature.ts";
import { repeated, saveWeights, trainingOptions } from "./training/command.ts";
import { thresholdFor } from "./training/measure.ts";
import { isHeldOut, readCorpus, readRows } from "./training/row.ts";

const { values } = parseArgs({ options: { ...trainingOptions("models/gibberish.bin"), calibrate: repeated } });

/** Of innocent texts so many may be taken for gibberish. */
const allowed = { strict: 0.01, balanced: 0.0015, permissive: 0.0005 };
/** How much the shorter context counts against what was seen. */
const smoothing = 5;
const partLength = 2_000;

const corpus = readCorpus(values.corpus).filter(({ isAttack }) => !isAttack);
const data = values.data.flatMap((path) => readRows(path)).filter(({ isAttack }) => !isAttack);
const costs = costsOf([...corpus.filter((row) => !isHeldOut(row)), ...data].map(({ text }) => text));
const version = "2026.11.22";
const zero = { strict: 0, balanced: 0, permissive: 0 };
const model = new GibberishModel({ format: 1, version, points: zero }, costs);
const calibration = [...corpus.filter(isHeldOut), ...values.calibrate.flatMap((path) => readRows(path))];
const bits = calibration.filter(({ isAttack }) => !isAttack).map(({ text }) => worstOf(text));
const header: GibberishHeader = {
  format: 1,
  version,
  points: {
    strict: pointAt(allowed.strict),
    balanced: pointAt(allowed.balanced),
    permissive: pointAt(allowed.permissive),
  },
};
saveWeights(values.out, writeGibberishModel(header, costs));
console.log(JSON.stringify(header));

function costsOf(texts: readonly string[]): Uint8Array {
  const three = new Float64Array(symbolCount ** 3);
  const two = new Float64Array(symbolCount ** 2);
  const one = new Float64Array(symbolCount);
  for (const text of texts) count(text, three, two, one);
  const total = one.reduce((sum, value) => sum + value, 0);
  const found = new Uint8Array(symbolCount ** 3);
  for (let pair = 0; pair < symbolCount ** 2; pair++) {
    const last = pair % symbolCount;
    const ofPair = sumOf(three, pair);
    const ofLast = sumOf(two, last);
    for (let symbol = 0; symbol < symbolCount; symbol++) {
      const alone = ((one[symbol] ?? 0) + 1) / (total + symbolCount);
      const after = ((two[last * symbolCount + symbol] ?? 0) + smoothing * alone) / (ofLast + smoothing);
      const place = pair * symbolCount + symbol;
      found[place] = costOf(((three[place] ?? 0) + smoothing * after) / (ofPair + smoothing));
    }
  }
  return found;
}

function sumOf(counts: Float64Array, context: number): number {
  return counts.subarray(context * symbolCount, (context + 1) * symbolCount).reduce((sum, value) => sum + value, 0);
}

function count(text: string, three: Float64Array, two: Float64Array, one: Float64Array): void {
  for (let from = 0; from < text.length; from += partLength) {
    const { symbols, count: length } = symbolsIn(text, from, Math.min(text.length, from + partLength));
    for (let i = 2; i < length; i++) {
      const last = symbols[i - 1] ?? 0;
      const symbol = symbols[i] ?? 0;
      const place = ((symbols[i - 2] ?? 0) * symbolCount + last) * symbolCount + symbol;
      three[place] = (three[place] ?? 0) + 1;
      two[last * symbolCount + symbol] = (two[last * symbolCount + symbol] ?? 0) + 1;
      one[symbol] = (one[symbol] ?? 0) + 1;
    }
  }
}

function worstOf(text: string): number {
  return Math.max(...windowsOf(text.length).map(([from, to]) => model.worst(text, from, to)?.bits ?? 0));
}

function pointAt(share: number): number {
  return Math.round(thresholdFor(bits, share) * 100) / 100;
}
