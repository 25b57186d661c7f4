// Random patterns and texts, and all matches of a pattern in a text according to the engine of the library.

import fc from "fast-check";
import { RE2JS } from "re2js";
import { compilePattern } from "../../../../runtime/engine/pattern/compile-pattern.ts";
import type { LinearPattern, PatternMatch } from "../../../../runtime/engine/pattern/linear-pattern.ts";
import { PatternError } from "../../../../runtime/engine/pattern/pattern-error.ts";

/** All matches in the whole text, according to the engine alone. */
export function wholeMatches(pattern: LinearPattern, text: string): PatternMatch[] {
  const matcher = RE2JS.compile(pattern.source, pattern.engine.flags()).matcher(text);
  const found: PatternMatch[] = [];
  while (matcher.find()) found.push({ start: matcher.start(), end: matcher.end() });
  return found;
}

const atom = fc.constantFrom(
  "abc",
  "foo",
  "key",
  "\\s+",
  "\\s*",
  "\\s",
  " ",
  "\\d",
  "\\w",
  "[ab]",
  "[^a]",
  ".",
  "\\b",
  "^",
  "$",
  "x",
  "é",
  "😀",
  "\\B",
  "k",
  "ſ",
  "(?:ab|cd)",
);
const quantifier = fc.constantFrom("", "", "", "?", "*", "+", "{2}", "{0,3}", "*?", "+?");
/** Patterns, some of which are refused. */
export const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  pattern: fc.oneof(
    { weight: 3, arbitrary: fc.array(tie("piece"), { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join("")) },
    { weight: 1, arbitrary: fc.tuple(tie("piece"), tie("piece")).map(([a, b]) => `(?:${a}|${b})`) },
  ),
  piece: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.tuple(atom, quantifier).map(([a, q]) => (/^[\\][bB]$|^[\^$]$/.test(a) ? a : `(?:${a})${q}`)),
    fc.tuple(tie("pattern"), quantifier).map(([p, q]) => `(${p})${q}`),
  ),
}));
/** Parts of such texts. */
export const textPart = fc.constantFrom(
  "abc",
  "foo",
  "FOO",
  "key",
  "KEY",
  "\u212aey",
  " ",
  "  ",
  "\n",
  "\t\n ",
  "a",
  "b",
  "c",
  "d",
  "ab",
  "cd",
  "1",
  "22",
  "x",
  "é",
  "😀",
  "-",
  "\u0430bc",
  "ſ",
  "s",
  "\u00a0",
);
/** Texts with parts that the patterns may match. */
export const text = fc.array(textPart, { maxLength: 24 }).map((parts) => parts.join(""));
/** Flags of a pattern. */
export const flags = fc.record({ ignoreCase: fc.boolean(), multiline: fc.boolean(), dotAll: fc.boolean() });

/** The pattern; undefined for one that is refused. */
export function tryCompile(source: string, given: Parameters<typeof compilePattern>[1]): LinearPattern | undefined {
  try {
    return compilePattern(source, given);
  } catch (error) {
    if (error instanceof PatternError) return undefined;
    throw error;
  }
}
