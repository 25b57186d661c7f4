// Slips of the pen in policy documents: what somebody might save by mistake.

import { pick, type Random } from "./random.ts";

const words = [
  "BLOCK",
  "block",
  "FLAG",
  "null",
  "true",
  "-1",
  "0.5",
  "99999999999",
  "[]",
  "{}",
  "'",
  '"',
  "input",
  "secrets",
  "pii",
  "unknown",
  "finding.x > 1",
  "&a",
  "*a",
  "!!str",
];

type Slip = (random: Random, source: string) => string;

const slips: readonly Slip[] = [
  (random, source) => withLine(random, source, () => ""),
  (random, source) => withLine(random, source, (line) => `${line}\n${line}`),
  (random, source) => withLine(random, source, (line) => ` ${line}`),
  (random, source) => withLine(random, source, (line) => line.trimStart()),
  (random, source) => withLine(random, source, (line) => line.replace(":", "")),
  (random, source) => withLine(random, source, (line) => line.replace(/\w+(?=:)/, (key) => `${key}x`)),
  (random, source) => withWord(random, source, () => pick(random, words)),
  (random, source) => withWord(random, source, (word) => word.slice(1)),
  (random, source) => withWord(random, source, (word) => word.toUpperCase()),
  (random, source) => withWord(random, source, () => pick(random, source.match(/\w+/g) ?? [""])),
  (random, source) => withWord(random, source, (word) => word + word),
  (random, source) => {
    const at = Math.floor(random() * source.length);
    return source.slice(0, at) + pick(random, [..."{}[]:,'\"#&*!|>%@`\t\u0000é"]) + source.slice(at);
  },
  (random, source) => source.slice(0, Math.floor(random() * source.length)),
];

/** The document with one slip, sometimes two. */
export function mutated(random: Random, source: string): string {
  const once = pick(random, slips)(random, source);
  return random() < 0.3 ? pick(random, slips)(random, once) : once;
}

function withLine(random: Random, source: string, change: (line: string) => string): string {
  const lines = source.split("\n");
  const at = Math.floor(random() * lines.length);
  return lines.map((line, index) => (index === at ? change(line) : line)).join("\n");
}

function withWord(random: Random, source: string, change: (word: string) => string): string {
  const found = [...source.matchAll(/[\w.]+/g)];
  const match = found[Math.floor(random() * found.length)];
  if (match === undefined) return source;
  const [word] = match;
  return source.slice(0, match.index) + change(word) + source.slice(match.index + word.length);
}
