// Phone numbers. Candidates are found by their digits and separators; the numbering plans of libphonenumber (E.164, national plans)
// decide. What no plan knows is taken for a number only where words say so. Dates, decimal numbers, versions and ids are none.

import { type CountryCode, type PhoneNumber, parsePhoneNumberFromString } from "libphonenumber-js/max";
import type { Finding, Sweep } from "../../plan.ts";
import { hasContext } from "./context.ts";
import { announcesOther, announcesOwned, hasOtherForm, unitBehind } from "./other-number.ts";
import { isWrittenAs, nationalNumber, supportedRegions } from "./phone-plan.ts";
import { phoneLabel, phoneLabelBehind, phoneLetter, phoneWords, regionsOfWords } from "./phone-word.ts";

/** The category of phone numbers. */
export const phoneCategory = "pii.phone";

/** Regions whose national numbers are recognised unless a policy names others. */
export const usualRegions: readonly string[] = [
  "US",
  "GB",
  "DE",
  "FR",
  "ES",
  "IT",
  "NL",
  "SE",
  "CH",
  "PL",
  "TR",
  "BR",
  "IN",
  "AU",
  "JP",
  "CN",
  "PH",
];

const digitRun = /\d+/g;
const gap = /^[ \u00a0().\u2010\u2011\u2013/-]{1,3}$/;
const spacedStroke = /^ [\u2010\u2011\u2013/-] $/;
const stroke = /^[\u2010\u2011\u2013./-]$/;
/** More groups are a row of numbers, whatever stands between them. */
const mostWholeGroups = 5;
/** The fewest digits of a number with its area. */
const fewestWhole = 10;
/** The most digits of an area with the code of its country and the trunk prefix. */
const longestArea = 7;
const opening = /(?:\+[ (]?|\()$/;
const closing = /^(?: ?(?:x|ext\.?|extension|durchwahl|poste) ?| ?#)\d{1,6}(?!\d)/i;
/** A letter of a script that sets words apart: numbers stand right beside others. */
const spacedLetter = String.raw`(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}])\p{L}`;
const forbiddenBefore = new RegExp(String.raw`(?:${spacedLetter}|[\p{N}_./#$€£%+]|(?<!\p{sc=Hebr})-)$|\d[,:\\]$`, "u");
const forbiddenBehind = new RegExp(String.raw`^(?:${spacedLetter}|[\p{N}_])|^[.,:/-]\d|^%`, "u");
const runContext = 40;
const runContextBehind = 24;
const regionContext = 72;
const mostGroups = 8;
const mostDigits = 15;
/** A number with a country code shortly before: the next one is hardly anything else. */
const beside = /\+\d{9,15}\D{1,20}$/;
/** Finds phone numbers. Those without a country code are read as numbers of the regions, or of the usual ones and of those that the words around them tell. */
export function phoneSweep(regions: readonly string[] | undefined): Sweep {
  const countries = supportedRegions(regions ?? usualRegions);
  const plans: Plans = { countries, followsWords: regions === undefined };
  return (text) => {
    const findings: Finding[] = [];
    for (const { start, end } of candidates(text)) {
      const finding = judge(text, start, end, plans);
      if (finding !== undefined) findings.push(finding);
    }
    return findings;
  };
}

/** Whose national numbers are known. */
interface Plans {
  readonly countries: readonly CountryCode[];
  /** Whether words around a number add the regions of their language. */
  readonly followsWords: boolean;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

// Runs of digits with at most three separators between them, as long as they can be one number. Longer rows are tables.
function* candidates(text: string): Generator<Span> {
  let chain: Span[] = [];
  for (const { index, 0: digits } of text.matchAll(digitRun)) {
    const run = { start: index, end: index + digits.length };
    if (digits.length > mostDigits) {
      yield* numbersIn(text, chain);
      chain = [];
      continue;
    }
    const last = chain.at(-1);
    if (last !== undefined && !goesOn(text, chain, run.start)) {
      yield* numbersIn(text, chain);
      chain = [];
    }
    chain.push(run);
  }
  yield* numbersIn(text, chain);
}

// A stroke between spaces sets an area code apart, or one number from the next; and a space behind groups with strokes begins the next.
function goesOn(text: string, chain: readonly Span[], start: number): boolean {
  const end = chain.at(-1)?.end ?? start;
  const between = text.slice(end, start);
  if (between.length > 3 || !gap.test(between)) return false;
  if (spacedStroke.test(between)) return digitsIn(chain) <= longestArea || chain.length > mostWholeGroups;
  return (
    between !== " " ||
    digitsIn(chain) < fewestWhole ||
    !stroke.test(text.slice(chain.at(-2)?.end ?? end, chain.at(-1)?.start))
  );
}

function digitsIn(chain: readonly Span[]): number {
  return chain.reduce((sum, { start, end }) => sum + end - start, 0);
}

function* numbersIn(text: string, chain: readonly Span[]): Generator<Span> {
  if (digitsIn(chain) < 6 || chain.length > 3 * mostGroups) return;
  for (let first = 0; first < chain.length; ) {
    let count = 0;
    let next = first;
    for (; next < chain.length && next - first < mostGroups; next++) {
      const { start, end } = chain[next] ?? { start: 0, end: 0 };
      if (count + end - start > mostDigits) break;
      count += end - start;
    }
    if (next > first && count >= 6) {
      const start = chain[first]?.start ?? 0;
      const end = chain[next - 1]?.end ?? 0;
      const lead = opening.exec(text.slice(Math.max(0, start - 3), start))?.[0].length ?? 0;
      yield { start: start - lead, end: end + (closing.exec(text.slice(end, end + 20))?.[0].length ?? 0) };
    }
    first = Math.max(next, first + 1);
  }
}

function judge(text: string, start: number, reach: number, plans: Plans): Finding | undefined {
  const written = balanced(text.slice(start, reach));
  const end = start + written.length;
  if (forbiddenBefore.test(text.slice(Math.max(0, start - 2), start))) return undefined;
  if (forbiddenBehind.test(text.slice(end, end + 2))) return undefined;
  const digits = written.replace(/(?:x|ext|#).*$/i, "").replace(/\D/g, "");
  if (digits.length < 6 || digits.length > 15 || hasOtherForm(written.replace(/^\(|\)$/g, ""))) return undefined;
  if (/^(?:(\d)\1+|[01]+)$/.test(digits)) return undefined;
  const before = text.slice(Math.max(0, start - 32), start);
  if (announcesOther(before) || unitBehind.test(text.slice(end, end + 10))) return undefined;
  const isRun = /^[1-9]\d*$/.test(written);
  const labelled = phoneLabel.test(before) || phoneLabelBehind.test(text.slice(end, end + 24));
  if (isRun && !labelled && announcesOwned(before)) return undefined;
  const verdict = verdictOf({ written, digits, labelled, ...surroundings(text, start, end, labelled, plans) });
  if (verdict === undefined) return undefined;
  const { score, basis, country } = verdict;
  const attributes: Record<string, string> = country === undefined ? { basis } : { country, basis };
  return { category: phoneCategory, start, end, score, attributes };
}

function surroundings(text: string, start: number, end: number, labelled: boolean, { countries, followsWords }: Plans) {
  const before = text.slice(Math.max(0, start - 32), start);
  const isRun = /^[1-9]\d*$/.test(text.slice(start, end));
  const isTold = () => (isRun ? isToldNear(text, start, end) : hasContext(text, start, end, phoneWords));
  const regions = function* () {
    yield* countries;
    if (!followsWords) return;
    const around = regionsOfWords(text.slice(Math.max(0, start - regionContext), end + runContextBehind));
    yield* new Set(around).difference(new Set(countries));
  };
  return {
    told: labelled || beside.test(before) || phoneLetter.test(before) || isTold(),
    isLine: /^$|\n/.test(text[start - 1] ?? "") && /^$|[\r\n]/.test(text[end] ?? ""),
    followsName: /\p{Lu}\p{L}+[,،、] ?$|(?:^|\n)\p{Lu}\p{L}+(?: \p{Lu}\p{L}+){0,2}\n$/u.test(before),
    regions,
  };
}

// Digits without any sign of a number to dial need words with no other number between: an order stands in the sentence of a call too.
function isToldNear(text: string, start: number, end: number): boolean {
  const before = /[^\d]*$/.exec(text.slice(Math.max(0, start - runContext), start))?.[0] ?? "";
  const after = /^[^\d\n]*/.exec(text.slice(end, end + runContextBehind))?.[0] ?? "";
  return phoneWords.test(before) || phoneWords.test(after);
}

interface Verdict {
  readonly score: number;
  readonly basis: string;
  readonly country: string | undefined;
}

/** A candidate and what stands around it. */
interface Candidate {
  readonly written: string;
  readonly digits: string;
  /** Whether words around it say that it is a number to dial. */
  readonly told: boolean;
  /** Whether such a word stands right beside it. */
  readonly labelled: boolean;
  /** Whether nothing else stands on its line. */
  readonly isLine: boolean;
  /** Whether a name with a comma stands before it, or alone on the line above. */
  readonly followsName: boolean;
  readonly regions: () => Iterable<CountryCode>;
}

function verdictOf(candidate: Candidate): Verdict | undefined {
  const { written, digits, told } = candidate;
  const international = internationalOf(written, digits);
  if (international?.isValid() === true)
    return { score: 0.97, basis: "valid international number", country: international.country };
  if (written.startsWith("+") && digits.length >= 8)
    return told || international?.isPossible() === true
      ? { score: 0.75, basis: "form of an international number", country: international?.country }
      : undefined;
  return nationalVerdict(candidate) ?? unsignedVerdict(candidate);
}

function nationalVerdict({
  written,
  digits,
  told,
  labelled,
  isLine,
  followsName,
  regions,
}: Candidate): Verdict | undefined {
  const grouped = isGrouped(written);
  const isWhole = /^0\d{9,10}$/.test(written) && (isLine || followsName);
  const telling = isWhole || isTelling(written, digits);
  const formed = grouped && digits.length >= 9 && isFormed(written);
  const isSure = told || telling;
  const national = isSure || formed ? nationalNumber(written, digits, regions(), { inItsGroups: !isSure }) : undefined;
  if (national !== undefined && told)
    return { score: 0.93, basis: "valid national number and words around it", country: national.country };
  if (labelled && (grouped || digits.length >= 7) && digits.length >= 6)
    return { score: 0.75, basis: "form of a number and words around it", country: undefined };
  if (told && digits.length >= 9 && digits.length <= 12 && digits.startsWith("0"))
    return { score: 0.6, basis: "form of a number and words around it", country: undefined };
  if (national !== undefined)
    return { score: 0.7, basis: "valid national number as they are written", country: national.country };
  // Alone on its line, digits with an exit code or an extension can hardly be anything else.
  if (/(?:x|ext\.?)[ ]?\d{1,6}$/i.test(written) && grouped)
    return { score: 0.7, basis: "extension", country: undefined };
  return undefined;
}

// A country code without its sign counts in the groups that its plan has, or where words say that the digits are a number to dial.
function unsignedVerdict({ written, digits, told }: Candidate): Verdict | undefined {
  if (digits.length < 10 || digits.startsWith("0") || !(told || isFormed(written))) return undefined;
  const number = parsePhoneNumberFromString(`+${digits}`);
  if (number?.isValid() !== true) return undefined;
  if (!isWrittenAs(written, number.formatInternational())) return undefined;
  return { score: told ? 0.8 : 0.6, basis: "valid international number without its sign", country: number.country };
}

function internationalOf(written: string, digits: string): PhoneNumber | undefined {
  if (written.startsWith("+")) return parsePhoneNumberFromString(written);
  if (/^(?:00|011)/.test(digits)) return parsePhoneNumberFromString(`+${digits.replace(/^(?:011|00)/, "")}`);
  return undefined;
}

// At least three groups, set apart in one way, that are no thousands: only then do groups tell a number to dial from others.
function isFormed(written: string): boolean {
  const groups = written.match(/\d+/g) ?? [];
  if (groups.length < 3 || groups.slice(1).every((group) => group.length === 3)) return false;
  return new Set(written.replace(/^[+(]*\d+\)?|\d+$/g, "").match(/\D+/g)).size === 1;
}

/** Written in groups as numbers to dial are: not two groups of years, nor thousands. */
function isGrouped(written: string): boolean {
  const groups = written.match(/\d+/g) ?? [];
  return groups.length > 1 && groups.length <= 8 && groups.every((group) => group.length <= 8);
}

// How numbers of the plans are written when nothing else says that they are: with an area code in brackets, with a trunk prefix in
// groups, or in the groups of North America.
function isTelling(written: string, digits: string): boolean {
  if (/^(?:[018][ -]?)?\(\d{2,5}\)[ -]?\d{3,5}(?:[ .-]?\d{3,4}|(?:-\d\d){2})/.test(written)) return true;
  if (/^(?:1[-. ])?[2-9]\d{2}[-.][2-9]\d{2}[-.]\d{4}(?:\D|$)/.test(written)) return true;
  if (/^(?:1 )?[2-9]\d{2} [2-9]\d{2} \d{4}$/.test(written)) return true;
  return digits.startsWith("0") && digits.length >= 9 && isGrouped(written) && !/\.\d?(?:\.|$)/.test(written);
}

// A bracket that was opened before the number, or is never closed, is no part of it.
function balanced(found: string): string {
  const open = found.indexOf("(");
  return open > 0 && !found.includes(")", open) ? found.slice(0, open).trimEnd() : found.trimEnd();
}
