// From a text to the scores of its windows. A text is only tokenized while there is time for it: that takes up to some
// hundred milliseconds for a hostile one, during which the host does nothing else, and the texts behind it grow old.

import type { Model } from "./model.ts";
import { Refused, type RunQueue, type WindowJob } from "./run-queue.ts";
import { WorkTimes } from "./work-times.ts";

/** A text that a model is asked about. */
export interface AskedText {
  /** The name of the model. */
  readonly model: string;
  readonly text: string;
  /** When nobody waits for the answer any more, by `nowMs`. */
  readonly endsAtMs: number;
}

/** The scores of each label, window by window. */
export interface WindowScores {
  readonly scores: readonly (readonly number[])[];
  /** Whether some of the text is in no window. */
  readonly isCut: boolean;
}

/** Has models score texts, in their turn. */
export class Judging {
  readonly #queue: RunQueue;
  readonly #nowMs: () => number;
  readonly #tokenizing = new WorkTimes();

  constructor(queue: RunQueue, nowMs: () => number) {
    this.#queue = queue;
    this.#nowMs = nowMs;
  }

  /** The scores of a text. Throws Refused when there is no time for them, without having read the text. */
  async scores(
    { model, text, endsAtMs }: AskedText,
    { windowsOf, run }: Pick<Model, "windowsOf"> & Pick<WindowJob, "run">,
  ): Promise<WindowScores> {
    const startedAtMs = this.#nowMs();
    this.#assertTime(model, text.length, endsAtMs - startedAtMs);
    const { windows, isCut } = windowsOf(text);
    const readAtMs = this.#nowMs();
    this.#tokenizing.learn(model, text.length, readAtMs - startedAtMs);
    const scores = await this.#queue.run({ model, windows, remainingMs: endsAtMs - readAtMs, run });
    return { scores, isCut };
  }

  #assertTime(model: string, length: number, remainingMs: number): void {
    this.#queue.assertOpen(remainingMs);
    if (this.#tokenizing.knownMs(model, length) <= remainingMs) return;
    this.#tokenizing.forgive(model, length);
    throw new Refused("model_busy");
  }
}
