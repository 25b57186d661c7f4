// How much is compared.

import type { PolicySizes } from "./section/policies.ts";

/** Numbers of everything. */
export interface Sizes extends PolicySizes {
  readonly texts: number;
  readonly streams: number;
  readonly sessions: number;
  readonly traces: number;
  /** Texts that a pairing and a restart evaluate. */
  readonly probes: number;
}

/** A whole comparison. */
export const fullSizes: Sizes = {
  texts: 50_000,
  streams: 5_000,
  sessions: 400,
  traces: 300,
  probes: 512,
  validations: 4_000,
  diffs: 250,
  explanations: 500,
  robustness: 40,
};

/** Enough to see that everything works. */
export const quickSizes: Sizes = {
  texts: 1_500,
  streams: 150,
  sessions: 20,
  traces: 20,
  probes: 64,
  validations: 150,
  diffs: 10,
  explanations: 40,
  robustness: 2,
};
