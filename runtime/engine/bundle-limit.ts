// What a bundle may hold, all of its policies together. Each policy has limits of its own; many of them could still compile to more memory, or
// cost a text more time, than a runtime should give them.

import type { Plan } from "./plan.ts";

/** Limits of all policies of a bundle together. */
export const bundleLimits = {
  /** Different patterns in which no word or part of one has to occur: they run over every text. */
  patternsWithoutLiteral: 160,
  /** Instructions that all different patterns of policies compile to. */
  instructions: 1_000_000,
  /** Different phrases of all detectors. */
  phrases: 100_000,
  /** UTF-16 code units of these phrases. */
  phraseUnits: 2_000_000,
} as const;

/** A bundle holds more than a runtime takes. The message says of what, how much is allowed, and what to do. */
export class BundleTooLarge extends Error {
  override readonly name = "BundleTooLarge";
}

/** A detector with what it wants of a scan. */
export interface PlannedUse {
  /** Its name in the catalog. */
  readonly use: string;
  readonly plan: Plan;
}

/** Throws BundleTooLarge when these detectors are together more than a bundle may hold. */
export function assertFits(uses: readonly PlannedUse[]): void {
  const own = uses.filter(({ use }) => use === "regex").flatMap(({ plan }) => plan.patterns);
  const patterns = new Map(own.map(({ pattern }) => [pattern.key, pattern]));
  const everywhere = [...patterns.values()].filter(({ gates }) => gates.length === 0).length;
  within(everywhere, bundleLimits.patternsWithoutLiteral, "patterns in which no word has to occur", "give them one");
  const instructions = [...patterns.values()].reduce((sum, { programSize }) => sum + programSize, 0);
  within(instructions, bundleLimits.instructions, "instructions of patterns", "repeat less in them, or have fewer");
  const phrases = new Set(uses.flatMap(({ plan }) => plan.phrases.map(({ text }) => text)));
  within(phrases.size, bundleLimits.phrases, "phrases", "ask a detector backend for lists of that size");
  const units = [...phrases].reduce((sum, text) => sum + text.length, 0);
  within(units, bundleLimits.phraseUnits, "characters of phrases", "ask a detector backend for lists of that size");
}

function within(count: number, limit: number, what: string, advice: string): void {
  if (count <= limit) return;
  const [has, allowed] = [count, limit].map((number) => number.toLocaleString("en"));
  throw new BundleTooLarge(
    `the policies of this bundle have ${has} ${what} together, and ${allowed} are allowed: ${advice}`,
  );
}
