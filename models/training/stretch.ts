// Logistic regression by stochastic gradient descent with AdaGrad over stretches of words: of a text that is to be found
// the stretch that looks worst teaches, of an innocent one the two that do.

import { randomOf, shuffle } from "./random.ts";

/** A text to learn from. */
export interface StretchExample {
  /** The features of its stretches. */
  readonly stretches: readonly Int32Array[];
  readonly isFound: boolean;
  /** How much it counts. */
  readonly weight: number;
}

/** What was learned. */
export interface StretchWeights {
  readonly weights: Float32Array;
  readonly bias: number;
}

const settings = { seed: 20261120, rounds: 6, rate: 0.7, penalty: 1e-6 };
const firstSquare = 1e-3;
const biasRate = 0.1;
const leastGradient = 1e-3;
const worstOfInnocent = 2;

/** Learns from the examples. */
export function learnStretches(
  examples: readonly StretchExample[],
  { featureCount, damping }: { readonly featureCount: number; readonly damping: number },
): StretchWeights {
  const weights = new Float32Array(featureCount);
  const squares = new Float32Array(featureCount).fill(firstSquare);
  const random = randomOf(settings.seed);
  const order = examples.map((_, index) => index);
  let bias = 0;
  let biasSquare = firstSquare;
  const evidence = (features: Int32Array): number => {
    let sum = 0;
    for (const feature of features) sum += weights[feature] ?? 0;
    return bias + sum / Math.sqrt(features.length + damping);
  };
  const learn = (features: Int32Array, isFound: boolean, weight: number, rate: number): void => {
    const gradient = (1 / (1 + Math.exp(-evidence(features))) - Number(isFound)) * weight;
    if (Math.abs(gradient) < leastGradient) return;
    const share = 1 / Math.sqrt(features.length + damping);
    for (const feature of features) {
      const old = weights[feature] ?? 0;
      const step = gradient * share + settings.penalty * old;
      const square = (squares[feature] ?? 0) + step * step;
      squares[feature] = square;
      weights[feature] = old - (rate * step) / Math.sqrt(square);
    }
    biasSquare += gradient * gradient;
    bias -= (biasRate * gradient) / Math.sqrt(biasSquare);
  };
  for (let round = 0; round < settings.rounds; round++) {
    shuffle(order, random);
    const rate = settings.rate / (1 + 0.5 * round);
    for (const index of order) {
      const example = examples[index];
      if (example === undefined) continue;
      for (const features of lessonsOf(example, evidence)) learn(features, example.isFound, example.weight, rate);
    }
  }
  return { weights, bias };
}

function lessonsOf({ stretches, isFound }: StretchExample, evidence: (features: Int32Array) => number): Int32Array[] {
  if (stretches.length <= 1) return [...stretches];
  const ordered = stretches.toSorted((a, b) => evidence(b) - evidence(a));
  return ordered.slice(0, isFound ? 1 : worstOfInnocent);
}
