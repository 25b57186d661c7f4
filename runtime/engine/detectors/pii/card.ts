// Payment card numbers: ISO/IEC 7812 lengths and issuer ranges, and the check digit of its annex B (Luhn).

import type { Finding } from "../../plan.ts";
import { hasContext } from "./context.ts";

/** The category of payment card numbers. */
export const cardCategory = "pii.credit_card";

interface Issuer {
  readonly name: string;
  /** Inclusive ranges of leading digits, both ends of the same length. */
  readonly ranges: readonly (readonly [string, string])[];
  readonly lengths: readonly number[];
}

const sixteenUp = [16, 17, 18, 19];
const issuers: readonly Issuer[] = [
  { name: "visa", ranges: [["4", "4"]], lengths: [13, 16, 19] },
  {
    name: "mastercard",
    ranges: [
      ["51", "55"],
      ["2221", "2720"],
    ],
    lengths: [16],
  },
  {
    name: "american_express",
    ranges: [
      ["34", "34"],
      ["37", "37"],
    ],
    lengths: [15],
  },
  {
    name: "diners_club",
    ranges: [
      ["300", "305"],
      ["3095", "3095"],
      ["36", "36"],
      ["38", "39"],
    ],
    lengths: [14, 16, 19],
  },
  {
    name: "discover",
    ranges: [
      ["6011", "6011"],
      ["644", "649"],
      ["65", "65"],
    ],
    lengths: sixteenUp,
  },
  { name: "jcb", ranges: [["3528", "3589"]], lengths: sixteenUp },
  {
    name: "jcb",
    ranges: [
      ["2131", "2131"],
      ["1800", "1800"],
    ],
    lengths: [15],
  },
  {
    name: "unionpay",
    ranges: [
      ["62", "62"],
      ["81", "81"],
    ],
    lengths: sixteenUp,
  },
  { name: "mir", ranges: [["2200", "2204"]], lengths: sixteenUp },
  {
    name: "rupay",
    ranges: [
      ["60", "60"],
      ["508", "508"],
      ["82", "82"],
    ],
    lengths: [16],
  },
  { name: "troy", ranges: [["9792", "9792"]], lengths: [16] },
  { name: "dankort", ranges: [["5019", "5019"]], lengths: [16] },
  {
    name: "maestro",
    ranges: [
      ["5018", "5018"],
      ["5020", "5020"],
      ["5038", "5038"],
      ["5612", "5612"],
      ["5893", "5893"],
    ],
    lengths: [12, 13, 14, 15, 16, 17, 18, 19],
  },
  {
    name: "maestro",
    ranges: [
      ["6304", "6304"],
      ["6759", "6759"],
      ["6761", "6763"],
      ["676770", "676770"],
      ["676774", "676774"],
    ],
    lengths: [12, 13, 14, 15, 16, 17, 18, 19],
  },
];

const digitRun = /\d+(?:[ \u00a0-]\d+)*/g;
const shortest = 12;
const longest = 19;

/** Finds card numbers, written in one piece or in groups. */
export function findCards(text: string): Finding[] {
  const findings: Finding[] = [];
  for (const run of text.matchAll(digitRun)) {
    if (run[0].length < shortest) continue;
    findInRun(text, run.index, run[0], findings);
  }
  return findings;
}

interface Group {
  readonly start: number;
  readonly end: number;
}

// A date or a code may touch the number, so every series of whole groups is a candidate.
function findInRun(text: string, offset: number, run: string, findings: Finding[]): void {
  const groups = [...run.matchAll(/\d+/g)].map(
    (match): Group => ({ start: offset + match.index, end: offset + match.index + match[0].length }),
  );
  for (let first = 0; first < groups.length; first++) {
    const last = lastGroup(text, groups, first);
    if (last < 0) continue;
    const isInner = first > 0 && isPrintedGroup(groups[first - 1]);
    const start = groups[first]?.start ?? 0;
    const end = groups[last]?.end ?? 0;
    const issuer = issuerOf(digitsOf(text, start, end));
    if (issuer === undefined && isInner) continue;
    const basis = issuer === undefined ? "check digit and words around it" : "issuer, length and check digit";
    const attributes = { issuer: issuer ?? "unknown", basis };
    findings.push({ category: cardCategory, start, end, score: issuer === undefined ? 0.8 : 0.99, attributes });
    first = last;
  }
}

// Four digits right before: what follows is part of a longer number, unless its issuer says that it begins there.
function isPrintedGroup(group: Group | undefined): boolean {
  return group !== undefined && group.end - group.start === 4;
}

// The last group of the longest valid number that begins with a group, or -1.
function lastGroup(text: string, groups: readonly Group[], first: number): number {
  const { start, end: firstEnd } = groups[first] ?? { start: 0, end: 0 };
  if (!standsBefore(text, start)) return -1;
  const separator = text[firstEnd];
  let found = -1;
  let count = 0;
  for (let last = first; last < groups.length; last++) {
    const { start: from, end } = groups[last] ?? { start: 0, end: 0 };
    count += end - from;
    if (count > longest) break;
    if (last > first && !goesOnEvenly(text, groups, { first, last, separator })) break;
    if (count < shortest || !standsBehind(text, end)) continue;
    const digits = digitsOf(text, start, end);
    if (passesLuhn(digits) && (issuerOf(digits) !== undefined || isAnnounced(text, start, end, digits))) found = last;
  }
  return found;
}

// Printed numbers begin with four digits (or six), go on in groups of three to seven, and use one separator. Asked for each group in turn, so
// that a long row of numbers that are none costs little.
function goesOnEvenly(
  text: string,
  groups: readonly Group[],
  { first, last, separator }: { readonly first: number; readonly last: number; readonly separator: string | undefined },
): boolean {
  const lengthOf = (index: number): number => (groups[index]?.end ?? 0) - (groups[index]?.start ?? 0);
  if (text[(groups[last]?.start ?? 0) - 1] !== separator) return false;
  const before = lengthOf(last - 1);
  return last - 1 === first ? before === 4 || before === 6 : before >= 3 && before <= 7;
}

// Ranges of issuers change; a number that is called a card and has the check digit is one.
function isAnnounced(text: string, start: number, end: number, digits: string): boolean {
  return /[1-9]/.test(digits) && hasContext(text, start, end, words);
}

const words = /\bcards?\b|karte|carte|tarjeta|carta di|cart[ãa]o|kaart|карт|卡|カード|카드/i;

function standsBefore(text: string, start: number): boolean {
  return !/[A-Za-z0-9_]/.test(text[start - 1] ?? "") && !/\d[.,]$/.test(text.slice(Math.max(0, start - 2), start));
}

function standsBehind(text: string, end: number): boolean {
  return !/[A-Za-z0-9_]/.test(text[end] ?? "") && !/^[.,]\d/.test(text.slice(end, end + 2));
}

function digitsOf(text: string, start: number, end: number): string {
  return text.slice(start, end).replace(/\D/g, "");
}

function issuerOf(digits: string): string | undefined {
  const fits = ([from, to]: readonly [string, string]): boolean => {
    const lead = digits.slice(0, from.length);
    return lead >= from && lead <= to;
  };
  return issuers.find(({ ranges, lengths }) => lengths.includes(digits.length) && ranges.some(fits))?.name;
}

/** The check digit: every second digit from the right doubled, nines cast out, the sum a multiple of ten. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
