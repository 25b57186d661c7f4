// What has a form that much else has too: it counts where words before it say what it is.

import type { Finding } from "../../plan.ts";
import { standsAlone } from "./context.ts";

const longestBefore = 48;

/** A finding of a category for a value that some words announce, or undefined where they do not. */
export function announced(
  text: string,
  start: number,
  end: number,
  words: RegExp,
  category: string,
): Finding | undefined {
  const before = text.slice(Math.max(0, start - longestBefore), start);
  if (!words.test(before) || !standsAlone(text, start, end)) return undefined;
  return { category, start, end, score: 0.8, attributes: { basis: "form and words before it" } };
}

/** What a judge makes of each match of a global pattern. */
export function collect(
  text: string,
  shape: RegExp,
  judge: (start: number, end: number, match: RegExpExecArray) => Finding | undefined,
): Finding[] {
  const findings: Finding[] = [];
  for (const match of text.matchAll(shape)) {
    const finding = judge(match.index, match.index + match[0].length, match);
    if (finding !== undefined) findings.push(finding);
  }
  return findings;
}
