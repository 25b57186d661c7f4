// Logistic regression by stochastic gradient descent with AdaGrad (Duchi, Hazan, Singer 2011). A text is a bag of
// stretches (multiple-instance learning): of an attack only some need to look like one, of an innocent text none may.
// After the first round an attack therefore teaches by the strongest stretch of the third of its windows that look
// worst, an innocent text by those of the two that look worst.

import { featureCount, windowParts } from "../../runtime/engine/detectors/injection/feature.ts";
import { partsOf } from "../../runtime/engine/detectors/injection/model.ts";
import { createSpan, strongestSpan, type WindowParts } from "../../runtime/engine/detectors/injection/span.ts";
import type { Instance } from "./instance.ts";
import { randomOf, shuffle } from "./random.ts";

/** A text to learn from. */
export interface Example {
  readonly windows: readonly Instance[];
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
  /** What is added to the number of features before its root is taken. */
  readonly damping: number;
}

/** The settings of the weights that are committed. */
export const settings: Settings = { seed: 20261120, rounds: 7, rate: 1, penalty: 1e-6, damping: 100 };

const firstSquare = 1e-3;
const biasRate = 0.1;
const leastGradient = 1e-4;
const worstOfInnocent = 2;

/** Weights while they are learned. */
export class Learner {
  readonly weights = new Float32Array(featureCount);
  readonly #squares = new Float32Array(featureCount).fill(firstSquare);
  readonly #stretch = createSpan();
  readonly #sums = new Float64Array(windowParts);
  readonly #counts = new Int32Array(windowParts);
  readonly damping: number;
  bias = 0;
  #biasSquare = firstSquare;

  constructor({ damping }: Pick<Settings, "damping"> = settings) {
    this.damping = damping;
  }

  /** Evidence of an attack in a window. */
  evidence(window: Instance): number {
    strongestSpan(this.#stretch, this.#partsOf(window), this.damping);
    return this.bias + this.#stretch.evidence;
  }

  #partsOf({ features, partEnds, from, to }: Instance): WindowParts {
    const { weights } = this;
    let place = 0;
    for (let part = 0; part < windowParts; part++) {
      const first = place;
      let sum = 0;
      for (const end = partEnds[part] ?? 0; place < end; place++) sum += weights[features[place] ?? 0] ?? 0;
      this.#sums[part] = sum;
      this.#counts[part] = place - first;
    }
    return { sums: this.#sums, counts: this.#counts, parts: partsOf(to - from) };
  }

  /** Moves the weights towards the label of a window: of all of it, or of the stretch that looks worst. */
  learn(
    window: Instance,
    { isAttack, weight }: Pick<Example, "isAttack" | "weight">,
    { rate, penalty, isWhole }: { rate: number; penalty: number; isWhole: boolean },
  ): void {
    const { features, partEnds } = window;
    const evidence = isWhole ? this.#whole(features) : this.evidence(window);
    const first = isWhole || this.#stretch.first === 0 ? 0 : (partEnds[this.#stretch.first - 1] ?? 0);
    const end = isWhole ? features.length : (partEnds[this.#stretch.end - 1] ?? 0);
    if (end === first) return;
    const share = 1 / Math.sqrt(end - first + this.damping);
    const gradient = (1 / (1 + Math.exp(-evidence)) - (isAttack ? 1 : 0)) * weight;
    if (Math.abs(gradient) < leastGradient) return;
    const { weights } = this;
    for (let i = first; i < end; i++) {
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

  #whole(features: Int32Array): number {
    let sum = 0;
    for (const feature of features) sum += this.weights[feature] ?? 0;
    return this.bias + sum / Math.sqrt(features.length + this.damping);
  }
}

/** Learns from the examples. */
export function learnFrom(examples: readonly Example[], given: Settings = settings): Learner {
  const { seed, rounds, rate, penalty } = given;
  const learner = new Learner(given);
  const random = randomOf(seed);
  const order = examples.map((_, index) => index);
  for (let round = 0; round < rounds; round++) {
    shuffle(order, random);
    const step = { rate: rate / (1 + 0.5 * round), penalty, isWhole: round === 0 };
    for (const index of order) {
      const example = examples[index];
      if (example === undefined) continue;
      for (const [window, share] of lessonsOf(learner, example, round, random))
        learner.learn(window, { isAttack: example.isAttack, weight: example.weight * share }, step);
    }
  }
  return learner;
}

type Lesson = readonly [window: Instance, share: number];

function lessonsOf(learner: Learner, { windows, isAttack }: Example, round: number, random: () => number): Lesson[] {
  if (windows.length === 1) return windows.map((window) => [window, 1]);
  if (round === 0) {
    if (isAttack) return windows.map((window) => [window, 1 / Math.sqrt(windows.length)]);
    const window = windows[Math.floor(random() * windows.length)];
    return window === undefined ? [] : [[window, 1]];
  }
  const worst = windows
    .map((window): [Instance, number] => [window, learner.evidence(window)])
    .sort(([, a], [, b]) => b - a)
    .slice(0, isAttack ? Math.ceil(windows.length / 3) : worstOfInnocent);
  return worst.map(([window]) => [window, isAttack ? 1 / Math.sqrt(worst.length) : 1]);
}
