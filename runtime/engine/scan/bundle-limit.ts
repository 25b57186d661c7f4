// The limits of all policies of a bundle together. Each policy has limits of its own. Many policies could still compile
// to more memory, or cost a text more time, than a runtime should spend on them.

import type { Plan } from "../detectors/detector-plan.ts";
import { BundleTooLarge } from "../pattern/bundle-too-large.ts";
import type { LinearPattern } from "../pattern/linear-pattern.ts";

/** Limits of all policies of a bundle together. */
export const bundleLimits = {
  /** Different patterns without a required literal: each of them searches every text. */
  patternsWithoutLiteral: 160,
  /** Instructions that all different patterns of policies compile to. */
  instructions: 1_000_000,
  /** Different phrases of all detectors. */
  phrases: 100_000,
  /** UTF-16 code units of these phrases. */
  phraseUnits: 2_000_000,
  /**
   * Bytes of the tables that an engine builds for phrases and patterns. The memory limit of a thread does not count
   * typed arrays.
   */
  tableBytes: 512 * 1024 * 1024,
} as const;

/** A detector with its plan for scans. */
export interface PlannedUse {
  /** Its name in the catalog. */
  readonly use: string;
  readonly plan: Plan;
}

/** Throws BundleTooLarge when these detectors together exceed the limits of a bundle. */
export function assertFits(uses: readonly PlannedUse[]): void {
  const patterns = ownPatterns(uses);
  within(
    withoutLiteral(patterns),
    bundleLimits.patternsWithoutLiteral,
    "patterns without a required literal",
    "give them one",
  );
  const instructions = patterns.reduce((sum, { programSize }) => sum + programSize, 0);
  within(instructions, bundleLimits.instructions, "instructions of patterns", "repeat less in them, or have fewer");
  const phrases = new Set(uses.flatMap(({ plan }) => plan.phrases.map(({ text }) => text)));
  within(phrases.size, bundleLimits.phrases, "phrases", "use a detector backend for lists of that size");
  const units = [...phrases].reduce((sum, text) => sum + text.length, 0);
  within(units, bundleLimits.phraseUnits, "characters of phrases", "use a detector backend for lists of that size");
}

/** Throws BundleTooLarge when tables take more memory than an engine may have. */
export function assertTablesFit(bytes: number): void {
  if (bytes <= bundleLimits.tableBytes) return;
  const allowed = bundleLimits.tableBytes / (1024 * 1024);
  throw new BundleTooLarge(
    `the phrases and patterns of this bundle need more than ${allowed} MiB of tables: have fewer, or patterns that begin alike`,
  );
}

/** How many different patterns of policies search every text. */
export function patternsOverEveryText(uses: readonly PlannedUse[]): number {
  return withoutLiteral(ownPatterns(uses));
}

function ownPatterns(uses: readonly PlannedUse[]): LinearPattern[] {
  const own = uses.filter(({ use }) => use === "regex").flatMap(({ plan }) => plan.patterns);
  return [...new Map(own.map(({ pattern }) => [pattern.key, pattern])).values()];
}

function withoutLiteral(patterns: readonly LinearPattern[]): number {
  return patterns.filter(({ requiredLiterals }) => requiredLiterals.length === 0).length;
}

function within(count: number, limit: number, what: string, advice: string): void {
  if (count <= limit) return;
  const [has, allowed] = [count, limit].map((number) => number.toLocaleString("en"));
  throw new BundleTooLarge(
    `the policies of this bundle have ${has} ${what} together, and ${allowed} are allowed: ${advice}`,
  );
}
