// The stretches of words that the model of the detector "toxicity" learns from.

import { spansOf, spanWords } from "../../runtime/engine/detectors/toxicity/model.ts";
import { featuresPerWord, WordReader } from "../../runtime/engine/detectors/toxicity/word.ts";

const longest = 4_000;

const reader = new WordReader();

/** The features of the stretches of a text. */
export function stretchesIn(text: string): Int32Array[] {
  const count = reader.read(text, 0, Math.min(text.length, longest));
  if (count === 0) return [];
  return spansOf(count).map((begin) =>
    reader.features.slice(begin * featuresPerWord, Math.min(count, begin + spanWords) * featuresPerWord),
  );
}
