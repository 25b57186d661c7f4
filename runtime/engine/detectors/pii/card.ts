// Payment card numbers: ISO/IEC 7812 lengths and issuer ranges, and the check digit of its annex B (Luhn).

import type { Finding } from "../finding.ts";
import { plainSeparators } from "./border.ts";
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

const digitRun = /\d+(?:[ -]\d+)*/g;
/** Digits with further separators between the groups of a card: dots, two spaces, a dash between spaces, a line end. */
const wideRun = /\d+(?:(?: ?\r?\n|\r| {1,2}| - |[.-])\d+)*/g;
const wideGap = / ?\r?\n|\r| - | {1,2}|[.-]/g;
const minDigits = 12;
const maxDigits = 19;
const maxWideLength = maxDigits * 4;
/** The printed layouts of card numbers. With unusual separators, the groups must form exactly one of these. */
const layouts = new Set(["4 4 4 4", "4 4 4 4 3", "4 6 5", "4 6 4", "8 8"]);
const eachAlone = /^1(?: 1){11,18}$/;
const unusualScore = 0.7;

/** Finds card numbers, written without separators or in groups. */
export function findCards(given: string): Finding[] {
  const text = plainSeparators(given);
  const findings: Finding[] = [];
  for (const run of text.matchAll(digitRun)) {
    if (run[0].length < minDigits) continue;
    findInRun(text, run.index, run[0], findings);
  }
  return [...findings, ...wideFindings(text, findings)];
}

// Runs and findings are both ordered by position.
function wideFindings(text: string, usual: readonly Finding[]): Finding[] {
  const findings: Finding[] = [];
  let next = 0;
  for (const run of text.matchAll(wideRun)) {
    if (run[0].length < minDigits || run[0].length > maxWideLength) continue;
    const end = run.index + run[0].length;
    while (next < usual.length && (usual[next]?.end ?? 0) <= run.index) next++;
    if ((usual[next]?.start ?? end) < end) continue;
    const finding = wideFinding(text, run.index, run[0]);
    if (finding !== undefined) findings.push(finding);
  }
  return findings;
}

// A whole run in the groups of a card, with one kind of separator, one of which may be a line end instead.
function wideFinding(text: string, start: number, run: string): Finding | undefined {
  const end = start + run.length;
  const lengths = (run.match(/\d+/g) ?? []).map((group) => group.length).join(" ");
  if (!layouts.has(lengths) && !eachAlone.test(lengths)) return undefined;
  const separators = run.match(wideGap) ?? [];
  const inLine = separators.filter((each) => !/[\r\n]/.test(each));
  const lineEnds = separators.length - inLine.length;
  if (new Set(inLine).size > 1 || (lineEnds > 1 && inLine.length > 0)) return undefined;
  const digits = digitsOf(run, 0, run.length);
  const issuer = issuerOf(digits);
  if (issuer === undefined || !passesLuhn(digits) || !standsBefore(text, start) || !standsBehind(text, end))
    return undefined;
  const announced = hasContext(text, start, end, words);
  // Numbers below each other are a column.
  if (lineEnds > 1 && !announced) return undefined;
  const basis = announced ? "issuer, length, check digit and words around it" : "issuer, length and check digit";
  return { category: cardCategory, start, end, score: announced ? 0.99 : unusualScore, attributes: { issuer, basis } };
}

interface Group {
  readonly start: number;
  readonly end: number;
}

// A date or a code may touch the number, so every sequence of whole groups is tried.
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

// Four digits directly before make it a part of a longer number, unless the issuer's range shows that a card begins
// here.
function isPrintedGroup(group: Group | undefined): boolean {
  return group !== undefined && group.end - group.start === 4;
}

// The last group of the longest valid number that begins with the group, or -1.
function lastGroup(text: string, groups: readonly Group[], first: number): number {
  const { start, end: firstEnd } = groups[first] ?? { start: 0, end: 0 };
  if (!standsBefore(text, start)) return -1;
  const separator = text[firstEnd];
  let found = -1;
  let count = 0;
  for (let last = first; last < groups.length; last++) {
    const { start: from, end } = groups[last] ?? { start: 0, end: 0 };
    count += end - from;
    if (count > maxDigits) break;
    if (last > first && !goesOnEvenly(text, groups, { first, last, separator })) break;
    if (count < minDigits || !standsBehind(text, end)) continue;
    const digits = digitsOf(text, start, end);
    if (passesLuhn(digits) && (issuerOf(digits) !== undefined || isAnnounced(text, start, end, digits))) found = last;
  }
  return found;
}

// Printed numbers begin with four (or six) digits, continue in groups of three to seven, and use one separator. The
// check is made group by group, so a long row of other numbers is cheap.
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

// Issuer ranges change; a number with a valid check digit that words call a card counts as well.
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
    const leading = digits.slice(0, from.length);
    return leading >= from && leading <= to;
  };
  return issuers.find(({ ranges, lengths }) => lengths.includes(digits.length) && ranges.some(fits))?.name;
}

/**
 * The check digit: every second digit from the right is doubled, nines are subtracted, and the sum must be a multiple
 * of ten.
 */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
