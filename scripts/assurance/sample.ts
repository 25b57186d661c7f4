// How much of a property a run tries. The suite tries a seeded sample; `npm run assurance` asks for more, through the
// environment, and learns what came of it from a file.

import { appendFileSync } from "node:fs";

/** Environment variables between `npm run assurance` and the tests that it runs. */
export const sampleVariables = { n: "ASSURANCE_N", seed: "ASSURANCE_SEED", report: "ASSURANCE_REPORT" } as const;

/** How many times to try, and from which seed. */
export interface Sample {
  readonly n: number;
  readonly seed: number;
}

/** What came of a sample. */
export interface SampleResult {
  readonly n: number;
  readonly failures: number;
  /** What was measured on the way, by name with the unit at its end. */
  readonly figures?: Readonly<Record<string, number>>;
}

/** The sample of this run: the suite's own unless more was asked for. */
export function sampleOf(own: Sample): Sample {
  const { n, seed } = sampleVariables;
  return { n: Number(process.env[n] ?? own.n), seed: Number(process.env[seed] ?? own.seed) };
}

/** Whether `npm run assurance` is what runs: then everything is tried. */
export function isAssurance(): boolean {
  return process.env[sampleVariables.report] !== undefined;
}

/** Tells `npm run assurance`, if it is what runs, what came of a sample. */
export function reportSample(result: SampleResult): void {
  const file = process.env[sampleVariables.report];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(result)}\n`);
}
