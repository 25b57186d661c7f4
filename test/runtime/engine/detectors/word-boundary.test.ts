// In JavaScript, as in RE2, `\b` knows ASCII letters only: between a space and a Cyrillic letter there is none, so a
// word behind it is dead.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const folder = join(import.meta.dirname, "../../../../runtime/engine");

/**
 * Each `\b` of a source that stands beside another letter, or beside a group of which an alternative begins or ends
 * with one, with what is around it.
 */
function deadBoundaries(source: string): string[] {
  return [...source.matchAll(/(?<!\\)\\{1,2}b/g)].flatMap(({ index, 0: sign }) => {
    const end = index + sign.length;
    const isDead = firstsOf(source.slice(end)).some(isOther) || lastsOf(source.slice(0, index)).some(isOther);
    return isDead ? [source.slice(Math.max(0, index - 20), end + 20)] : [];
  });
}

function isOther(unit: string): boolean {
  return /[^\p{ASCII}\u212a\u017f]/u.test(unit) && /\p{L}/u.test(unit);
}

const plainGroup = /^\((?:\?:)?/;
const longestGroup = 20_000;

// The first characters of what may follow.
function firstsOf(text: string): string[] {
  const open = plainGroup.exec(text)?.[0];
  if (open === undefined || text.startsWith("(?<")) return [text.charAt(0)];
  return alternativesOf(text.slice(open.length, longestGroup)).flatMap(firstsOf);
}

// The last characters of what may stand before.
function lastsOf(text: string): string[] {
  if (!text.endsWith(")")) return [text.slice(-1)];
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    if (text[at] === ")" && text[at - 1] !== "\\") depth++;
    if (text[at] !== "(" || text[at - 1] === "\\" || --depth > 0) continue;
    const open = plainGroup.exec(text.slice(at))?.[0] ?? "(";
    return alternativesOf(text.slice(at + open.length)).flatMap(lastsOf);
  }
  return [];
}

// What stands between the bars of a group, up to the bracket that closes it.
function alternativesOf(text: string): string[] {
  const alternatives: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text[at];
    if (unit === "\\") at++;
    else if (unit === "(") depth++;
    else if (depth > 0 && unit === ")") depth--;
    else if (depth === 0 && (unit === "|" || unit === ")")) {
      alternatives.push(text.slice(from, at));
      from = at + 1;
      if (unit === ")") return alternatives;
    }
  }
  return alternatives;
}

/** The sources of the engine that have such a sign, by their path. */
function filesWithDead(): (readonly [string, string[]])[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => [path, deadBoundaries(readFileSync(join(folder, path), "utf8"))] as const)
    .filter(([, dead]) => dead.length > 0);
}

describe("a word boundary", () => {
  it("is found next to a non-ASCII letter", () => {
    expect(deadBoundaries(String.raw`/\bиин\b|\bx\b/`)).toHaveLength(2);
    expect(deadBoundaries(String.raw`/\b(?:ein|(?:a|ö)x)\b/`)).toHaveLength(1);
    expect(deadBoundaries(String.raw`"\\b(?:ich|du) (?:mord|dö)\\b"`)).toHaveLength(1);
    expect(deadBoundaries(String.raw`/\b(?:möchte|ich)\b|é/`)).toEqual([]);
  });

  it("stands beside no such letter in what else the engine has", () => {
    expect(filesWithDead()).toEqual([]);
  });
});
