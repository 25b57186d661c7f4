// How many cases of a property a run tries. The suite tries a seeded sample; `npm run assurance` asks for more through
// the environment, and reads the result from a file.

import { createHash } from "node:crypto";
import { appendFileSync, writeFileSync } from "node:fs";

/** Environment variables between `npm run assurance` and the tests that it runs. */
export const sampleVariables = {
  n: "ASSURANCE_N",
  seed: "ASSURANCE_SEED",
  report: "ASSURANCE_REPORT",
  previous: "ASSURANCE_PREVIOUS",
} as const;

/** How many times to try, and from which seed. */
export interface Sample {
  readonly n: number;
  readonly seed: number;
}

/** The result of a sample. */
export interface SampleResult {
  readonly n: number;
  readonly failures: number;
  /** Measurements, by a name that ends with the unit. */
  readonly figures?: Readonly<Record<string, number>>;
}

/** The sample of this run: the suite's own unless more was asked for. */
export function sampleOf(own: Sample): Sample {
  const { n, seed } = sampleVariables;
  return { n: Number(process.env[n] ?? own.n), seed: Number(process.env[seed] ?? own.seed) };
}

/** Whether this is a run of `npm run assurance`, which tries every case. */
export function isAssurance(): boolean {
  return process.env[sampleVariables.report] !== undefined;
}

/** The checkout of the release before this one, where a run of `npm run assurance` was given one. */
export function previousRelease(): string | undefined {
  return process.env[sampleVariables.previous];
}

/** A number from 0 to 1 that is always the same for the same text. */
export function shareOf(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE() / 2 ** 32;
}

/**
 * Whether this run tries the case of this name: all of them in an assurance run, always the same share of them in the
 * suite.
 */
export function isSampled(name: string, share: number): boolean {
  return isAssurance() || shareOf(name) < share;
}

let toldAtMs = 0;

/** Tells a run of `npm run assurance` how many cases were tried so far; it shows that now and then. */
export function reportProgress(done: number): void {
  const file = process.env[sampleVariables.report];
  const nowMs = performance.now();
  if (file === undefined || nowMs - toldAtMs < 1_000) return;
  toldAtMs = nowMs;
  writeFileSync(progressFile(file), String(done));
}

/** Where the progress is, beside the report. */
export function progressFile(report: string): string {
  return `${report}.progress`;
}

/** Reports the result of a sample to `npm run assurance`, in a run of it. */
export function reportSample(result: SampleResult): void {
  const file = process.env[sampleVariables.report];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(result)}\n`);
}
