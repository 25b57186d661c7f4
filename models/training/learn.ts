// Logistic regression by stochastic gradient descent with AdaGrad (Duchi, Hazan, Singer 2011). A long text is a bag of windows
// (multiple-instance learning): of an attack only some windows need to look like one, of an innocent text none may. After the first
// round an attack therefore teaches by the third of its windows that look worst, an innocent text by the two that look worst.

import { FeatureReader, featureCount, windowsOf } from "../../runtime/engine/detectors/injection/feature.ts";
import { randomOf, shuffle } from "./random.ts";

/** A text to learn from. */
export interface Example {
  readonly text: string;
  readonly isAttack: boolean;
  /** How much it counts. */
  readonly weight: number;
}

/** How to learn. */
export interface Settings {
  readonly seed: number;
  readonly rounds: number;
  readonly rate: number;
  /** L2 penalty on weights of features that a text has. */
  readonly penalty: number;
}

/** The settings of the weights that are committed. */
export const settings: Settings = { seed: 20261120, rounds: 7, rate: 1, penalty: 1e-6 };

const firstSquare = 1e-3;
const biasRate = 0.1;
const leastGradient = 1e-4;
const worstOfInnocent = 2;

/** Weights while they are learned. */
export class Learner {
  readonly weights = new Float32Array(featureCount);
  readonly #squares = new Float32Array(featureCount).fill(firstSquare);
  readonly #reader = new FeatureReader();
  bias = 0;
  #biasSquare = firstSquare;

  /** Evidence of an attack in a window, in logits. */
  evidence(text: string, from: number, to: number): number {
    const count = this.#reader.read(text, from, to);
    return this.#sum(count);
  }

  /** The strongest evidence in any window. */
  strongest(text: string): number {
    return Math.max(...windowsOf(text.length).map(([from, to]) => this.evidence(text, from, to)));
  }

  /** Moves the weights towards the label of a window. */
  learn(
    text: string,
    [from, to]: readonly [number, number],
    { isAttack, weight }: Pick<Example, "isAttack" | "weight">,
    { rate, penalty }: { rate: number; penalty: number },
  ): void {
    const count = this.#reader.read(text, from, to);
    if (count === 0) return;
    const share = 1 / Math.sqrt(count);
    const gradient = (1 / (1 + Math.exp(-this.#sum(count))) - (isAttack ? 1 : 0)) * weight;
    if (Math.abs(gradient) < leastGradient) return;
    const { weights } = this;
    const { features } = this.#reader;
    for (let i = 0; i < count; i++) {
      const feature = features[i] ?? 0;
      const old = weights[feature] ?? 0;
      const step = gradient * share + penalty * old;
      const square = (this.#squares[feature] ?? 0) + step * step;
      this.#squares[feature] = square;
      weights[feature] = old - (rate * step) / Math.sqrt(square);
    }
    this.#biasSquare += gradient * gradient;
    this.bias -= (rate * biasRate * gradient) / Math.sqrt(this.#biasSquare);
  }

  #sum(count: number): number {
    const { features } = this.#reader;
    let sum = 0;
    for (let i = 0; i < count; i++) sum += this.weights[features[i] ?? 0] ?? 0;
    return this.bias + (count === 0 ? 0 : sum / Math.sqrt(count));
  }
}

/** Learns from the examples. */
export function learnFrom(examples: readonly Example[], { seed, rounds, rate, penalty }: Settings = settings): Learner {
  const learner = new Learner();
  const random = randomOf(seed);
  const order = examples.map((_, index) => index);
  for (let round = 0; round < rounds; round++) {
    shuffle(order, random);
    const step = { rate: rate / (1 + 0.5 * round), penalty };
    for (const index of order) {
      const example = examples[index];
      if (example === undefined) continue;
      for (const [window, share] of lessonsOf(learner, example, round, random))
        learner.learn(example.text, window, { ...example, weight: example.weight * share }, step);
    }
  }
  return learner;
}

type Lesson = readonly [window: readonly [number, number], share: number];

function lessonsOf(learner: Learner, { text, isAttack }: Example, round: number, random: () => number): Lesson[] {
  const windows = windowsOf(text.length);
  if (windows.length === 1) return windows.map((window) => [window, 1]);
  if (round === 0) {
    if (isAttack) return windows.map((window) => [window, 1 / Math.sqrt(windows.length)]);
    const window = windows[Math.floor(random() * windows.length)];
    return window === undefined ? [] : [[window, 1]];
  }
  const worst = windows
    .map((window): [readonly [number, number], number] => [window, learner.evidence(text, ...window)])
    .sort(([, a], [, b]) => b - a)
    .slice(0, isAttack ? Math.ceil(windows.length / 3) : worstOfInnocent);
  return worst.map(([window]) => [window, isAttack ? 1 / Math.sqrt(worst.length) : 1]);
}
