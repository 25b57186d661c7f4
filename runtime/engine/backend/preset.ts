// Presets: what the labels of well-known models mean here, so that nobody has to find it out again. They say how files
// are read, never how well a model finds anything.

import type { BackendShape, LabelMeanings } from "./backend.ts";

/** What is known about a preset: that files of this form fit, or also how well they find what they shall find. */
export type PresetStanding = "files_fit" | "measured";

/** The same for people. */
export const standingTexts: Readonly<Record<PresetStanding, string>> = {
  files_fit: "its files fit",
  measured: "measured here",
};

/** The labels of a family of models. */
export interface Preset extends LabelMeanings {
  readonly name: string;
  readonly title: string;
  /** Models that answer with these labels, by their names on the hub of their makers. */
  readonly models: readonly string[];
  /** Where the labels are written down. */
  readonly source: string;
  /** The licence of the weights, which are not part of this product. */
  readonly licence: string;
  readonly standing: PresetStanding;
  /** How such models are asked. */
  readonly shapes: readonly BackendShape[];
  /** How outputs of a model in the runtime become scores, for files that do not say it themselves. */
  readonly activation?: "softmax" | "sigmoid";
}
