// Findings whose form is common: they count only when words before them announce them.

import type { Finding } from "../finding.ts";
import { standsAlone } from "./context.ts";

const maxBeforeLength = 48;

/** The finding for a value if certain words announce it; otherwise undefined. */
export function announced(
  text: string,
  start: number,
  end: number,
  words: RegExp,
  category: string,
): Finding | undefined {
  const before = text.slice(Math.max(0, start - maxBeforeLength), start);
  if (!words.test(before) || !standsAlone(text, start, end)) return undefined;
  return { category, start, end, score: 0.8, attributes: { basis: "form and words before it" } };
}

/** The findings that `judge` returns for the matches of a global pattern. */
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
