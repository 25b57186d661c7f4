// Learns which family of attacks a window looks like: multinomial logistic regression by stochastic gradient descent
// with AdaGrad, over the first bits of the features of injection/feature.ts. It names what was found; whether anything
// was found, it has no say in.

import { windowsOf } from "../../runtime/engine/detectors/injection/feature.ts";
import { FeatureList } from "../../runtime/engine/detectors/injection/feature-list.ts";
import { familyFeatureCount, familyFeatureOf } from "../../runtime/engine/detectors/injection/model.ts";
import { randomOf, shuffle } from "./random.ts";
import type { Row } from "./row.ts";

/** What families of the corpus are called in findings, where the patterns have a name for them. */
const nameOf: ReadonlyMap<string, string> = new Map([
  ["extraction", "prompt_extraction"],
  ["persona", "jailbreak_persona"],
  ["forged_template", "template_forging"],
  ["obfuscated_request", "encoded_instruction"],
  ["authority", "role_hijack"],
]);
const rounds = 6;
const firstSquare = 1e-2;
/** Windows of one text that teach: its beginning says most, and long documents must not drown the others. */
const mostWindows = 4;

/** The weights of the families, family by family. */
export interface FamilyLearner {
  readonly families: readonly string[];
  readonly biases: readonly number[];
  readonly weights: Float32Array;
}

interface Lesson {
  readonly family: number;
  readonly features: Int32Array;
  readonly share: number;
}

/** The name of a row's family. */
export function familyOf({ kind }: Pick<Row, "kind">): string {
  return nameOf.get(kind) ?? kind;
}

/** Learns the families of attacks. */
export function learnFamilies(
  attacks: readonly Row[],
  { seed, damping }: { readonly seed: number; readonly damping: number },
): FamilyLearner {
  const families = [...new Set(attacks.map(familyOf))].sort();
  const lessons = lessonsOf(attacks, families, damping);
  const weights = new Float32Array(families.length * familyFeatureCount);
  const squares = new Float32Array(weights.length).fill(firstSquare);
  const biases = new Array<number>(families.length).fill(0);
  const random = randomOf(seed);
  const order = lessons.map((_, index) => index);
  for (let round = 0; round < rounds; round++) {
    shuffle(order, random);
    const rate = 0.5 / (1 + round);
    for (const index of order) {
      const lesson = lessons[index];
      if (lesson !== undefined) learnOne(lesson, { weights, squares, biases }, rate);
    }
  }
  return { families, biases, weights };
}

/** The family that the first window of a text looks like most. */
export function guessFamily({ families, biases, weights }: FamilyLearner, text: string, damping: number): string {
  const [first = [0, 0]] = windowsOf(text.length);
  const features = featuresOf(text, first);
  const scores = scoresOf({ features, share: shareOf(features, damping) }, { weights, biases });
  return families[scores.indexOf(Math.max(...scores))] ?? "";
}

function lessonsOf(attacks: readonly Row[], families: readonly string[], damping: number): Lesson[] {
  return attacks.flatMap((row) => {
    const family = families.indexOf(familyOf(row));
    return windowsOf(row.text.length)
      .slice(0, mostWindows)
      .map((window) => featuresOf(row.text, window))
      .map((features) => ({ family, features, share: shareOf(features, damping) }));
  });
}

const list = new FeatureList();

function featuresOf(text: string, [from, to]: readonly [number, number] | readonly number[]): Int32Array {
  list.read(text, from ?? 0, to ?? 0);
  return Int32Array.from(list.features, familyFeatureOf);
}

function shareOf({ length }: Int32Array, damping: number): number {
  return 1 / Math.sqrt(length + damping);
}

function scoresOf(
  { features, share }: Omit<Lesson, "family">,
  { weights, biases }: { readonly weights: Float32Array; readonly biases: readonly number[] },
): number[] {
  return biases.map((bias, family) => {
    let sum = 0;
    for (const feature of features) sum += weights[family * familyFeatureCount + feature] ?? 0;
    return bias + sum * share;
  });
}

function learnOne(
  lesson: Lesson,
  state: { readonly weights: Float32Array; readonly squares: Float32Array; readonly biases: number[] },
  rate: number,
): void {
  const scores = scoresOf(lesson, state);
  const most = Math.max(...scores);
  const raised = scores.map((score) => Math.exp(score - most));
  const sum = raised.reduce((all, value) => all + value, 0);
  for (const [family, value] of raised.entries()) {
    const gradient = value / sum - (family === lesson.family ? 1 : 0);
    if (Math.abs(gradient) < 0.01) continue;
    const step = gradient * lesson.share;
    for (const feature of lesson.features) {
      const at = family * familyFeatureCount + feature;
      const square = (state.squares[at] ?? 0) + step * step;
      state.squares[at] = square;
      state.weights[at] = (state.weights[at] ?? 0) - (rate * step) / Math.sqrt(square);
    }
    state.biases[family] = (state.biases[family] ?? 0) - rate * 0.05 * gradient;
  }
}
