// Multinomial logistic regression by stochastic gradient descent with AdaGrad over hashed features: what a text that was
// found looks like most.

import { randomOf, shuffle } from "./random.ts";

/** Features of a text, and the number of what it is. */
export interface Lesson {
  readonly kind: number;
  readonly features: Int32Array;
  /** The value of each of its features. */
  readonly share: number;
}

/** The weights of the kinds, kind by kind. */
export interface KindWeights {
  readonly biases: number[];
  readonly weights: Float32Array;
  readonly featureCount: number;
}

const rounds = 6;
const firstSquare = 1e-2;

/** Learns from lessons about so many kinds. */
export function learnKinds(
  lessons: readonly Lesson[],
  { seed, kinds, featureCount }: { readonly seed: number; readonly kinds: number; readonly featureCount: number },
): KindWeights {
  const weights = new Float32Array(kinds * featureCount);
  const squares = new Float32Array(weights.length).fill(firstSquare);
  const state = { weights, squares, biases: new Array<number>(kinds).fill(0), featureCount };
  const random = randomOf(seed);
  const order = lessons.map((_, index) => index);
  for (let round = 0; round < rounds; round++) {
    shuffle(order, random);
    const rate = 0.5 / (1 + round);
    for (const index of order) {
      const lesson = lessons[index];
      if (lesson !== undefined) learnOne(lesson, state, rate);
    }
  }
  return state;
}

/** The score of each kind. */
export function kindScores(
  { features, share }: Omit<Lesson, "kind">,
  { weights, biases, featureCount }: KindWeights,
): number[] {
  return biases.map((bias, kind) => {
    let sum = 0;
    for (const feature of features) sum += weights[kind * featureCount + feature] ?? 0;
    return bias + sum * share;
  });
}

function learnOne(lesson: Lesson, state: KindWeights & { readonly squares: Float32Array }, rate: number): void {
  const scores = kindScores(lesson, state);
  const most = Math.max(...scores);
  const raised = scores.map((score) => Math.exp(score - most));
  const sum = raised.reduce((all, value) => all + value, 0);
  for (const [kind, value] of raised.entries()) {
    const gradient = value / sum - (kind === lesson.kind ? 1 : 0);
    if (Math.abs(gradient) < 0.01) continue;
    const step = gradient * lesson.share;
    for (const feature of lesson.features) {
      const at = kind * state.featureCount + feature;
      const square = (state.squares[at] ?? 0) + step * step;
      state.squares[at] = square;
      state.weights[at] = (state.weights[at] ?? 0) - (rate * step) / Math.sqrt(square);
    }
    state.biases[kind] = (state.biases[kind] ?? 0) - rate * 0.05 * gradient;
  }
}
