// Phone numbers. Possible numbers are found by their digits and separators, and the numbering plans of libphonenumber
// (E.164, national plans) decide. A number in no plan counts only when words identify it. Dates, decimal numbers,
// versions and ids are excluded.

import { type CountryCode, type PhoneNumber, parsePhoneNumberFromString } from "libphonenumber-js/max";
import type { Sweep } from "../detector-plan.ts";
import type { Finding } from "../finding.ts";
import { spacedLetters } from "./border.ts";
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
const gap = /^(?:[ \u00a0().\u2010-\u2015\u2212/-]{1,3}|[\u00b7\u2022])$/;
const spacedStroke = /^ [\u2010-\u2015\u2212/-] $/;
const stroke = /^[\u00b7\u2010-\u2015\u2022\u2212./-]$/;
/** Numbers with more groups are a row of numbers, whatever the separators. */
const maxWholeGroups = 5;
/** Minimum digits of a number with its area code. */
const minWhole = 10;
/** Maximum digits of an area code with country code and trunk prefix. */
const maxAreaLength = 7;
const opening = /(?:\+[ (]?|\()$/;
const closing = /^(?: ?(?:x|ext\.?|extension|durchwahl|poste) ?| ?#)\d{1,6}(?!\d)/i;
const forbiddenBefore = new RegExp(String.raw`(?:${spacedLetters}|[\p{N}_./#$€£%+]|(?<!\p{sc=Hebr})-)$|\d[,:\\]$`, "u");
const forbiddenBehind = new RegExp(String.raw`^(?:${spacedLetters}|[\p{N}_])|^[.,:/-]\d|^%`, "u");
const runContext = 40;
const runContextBehind = 24;
const regionContext = 72;
const maxGroups = 8;
const maxDigits = 15;
/** A number with a country code shortly before: the next number is probably a phone number too. */
const beside = /\+\d{9,15}\D{1,20}$/;
/**
 * Finds phone numbers. Numbers without a country code are read as numbers of the given regions, or of the usual ones
 * and those that the words around them indicate.
 */
export function phoneSweep(regions: readonly string[] | undefined): Sweep {
  const countries = supportedRegions(regions ?? usualRegions);
  const plans: Plans = { countries, followsWords: regions === undefined };
  return (text) => {
    const findings: Finding[] = [];
    for (const { start, end } of matches(text)) {
      const finding = judge(text, start, end, plans);
      if (finding !== undefined) findings.push(finding);
    }
    return findings;
  };
}

/** The regions whose national numbers are recognised. */
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
function* matches(text: string): Generator<Span> {
  let chain: Span[] = [];
  for (const { index, 0: digits } of text.matchAll(digitRun)) {
    const run = { start: index, end: index + digits.length };
    if (digits.length > maxDigits) {
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

// A hyphen between spaces separates an area code, or two numbers; a space after groups with hyphens begins the next
// number.
function goesOn(text: string, chain: readonly Span[], start: number): boolean {
  const end = chain.at(-1)?.end ?? start;
  const between = text.slice(end, start);
  if (between.length > 3 || !gap.test(between)) return false;
  if (spacedStroke.test(between)) return digitsIn(chain) <= maxAreaLength || chain.length > maxWholeGroups;
  return (
    between !== " " ||
    digitsIn(chain) < minWhole ||
    !stroke.test(text.slice(chain.at(-2)?.end ?? end, chain.at(-1)?.start))
  );
}

function digitsIn(chain: readonly Span[]): number {
  return chain.reduce((sum, { start, end }) => sum + end - start, 0);
}

function* numbersIn(text: string, chain: readonly Span[]): Generator<Span> {
  if (digitsIn(chain) < 6 || chain.length > 3 * maxGroups) return;
  for (let first = 0; first < chain.length; ) {
    let count = 0;
    let next = first;
    for (; next < chain.length && next - first < maxGroups; next++) {
      const { start, end } = chain[next] ?? { start: 0, end: 0 };
      if (count + end - start > maxDigits) break;
      count += end - start;
    }
    if (next > first && count >= 6) {
      const start = chain[first]?.start ?? 0;
      const end = chain[next - 1]?.end ?? 0;
      const openingLength = opening.exec(text.slice(Math.max(0, start - 3), start))?.[0].length ?? 0;
      yield { start: start - openingLength, end: end + (closing.exec(text.slice(end, end + 20))?.[0].length ?? 0) };
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
  const isAnnounced = () => (isRun ? isAnnouncedNear(text, start, end) : hasContext(text, start, end, phoneWords));
  const regions = function* () {
    yield* countries;
    if (!followsWords) return;
    const around = regionsOfWords(text.slice(Math.max(0, start - regionContext), end + runContextBehind));
    yield* new Set(around).difference(new Set(countries));
  };
  return {
    announced: labelled || beside.test(before) || phoneLetter.test(before) || isAnnounced(),
    isLine: /^$|\n/.test(text[start - 1] ?? "") && /^$|[\r\n]/.test(text[end] ?? ""),
    followsName: /\p{Lu}\p{L}+[,،、] ?$|(?:^|\n)\p{Lu}\p{L}+(?: \p{Lu}\p{L}+){0,2}\n$/u.test(before),
    regions,
  };
}

// Digits without any sign of a phone number need words with no other number between them: an order number may occur in
// the sentence of a call too.
function isAnnouncedNear(text: string, start: number, end: number): boolean {
  const before = /[^\d]*$/.exec(text.slice(Math.max(0, start - runContext), start))?.[0] ?? "";
  const after = /^[^\d\n]*/.exec(text.slice(end, end + runContextBehind))?.[0] ?? "";
  return phoneWords.test(before) || phoneWords.test(after);
}

interface Verdict {
  readonly score: number;
  readonly basis: string;
  readonly country: string | undefined;
}

/** A possible number with its context. */
interface PhoneMatch {
  readonly written: string;
  readonly digits: string;
  /** Whether words around it identify it as a phone number. */
  readonly announced: boolean;
  /** Whether such a word is directly next to it. */
  readonly labelled: boolean;
  /** Whether it is alone on its line. */
  readonly isLine: boolean;
  /** Whether a name with a comma precedes it, or is alone on the line above. */
  readonly followsName: boolean;
  readonly regions: () => Iterable<CountryCode>;
}

function verdictOf(found: PhoneMatch): Verdict | undefined {
  const { written, digits, announced } = found;
  const international = internationalOf(written, digits);
  if (international?.isValid() === true)
    return { score: 0.97, basis: "valid international number", country: international.country };
  if (written.startsWith("+") && digits.length >= 8)
    return announced || international?.isPossible() === true
      ? { score: 0.75, basis: "form of an international number", country: international?.country }
      : undefined;
  return nationalVerdict(found) ?? unsignedVerdict(found);
}

function nationalVerdict({
  written,
  digits,
  announced,
  labelled,
  isLine,
  followsName,
  regions,
}: PhoneMatch): Verdict | undefined {
  const grouped = isGrouped(written);
  const isWhole = /^0\d{9,10}$/.test(written) && (isLine || followsName);
  const telling = isWhole || isTelling(written, digits);
  const formed = grouped && digits.length >= 9 && isFormed(written);
  const isSure = announced || telling;
  const national = isSure || formed ? nationalNumber(written, digits, regions(), { inItsGroups: !isSure }) : undefined;
  if (national !== undefined && announced)
    return { score: 0.93, basis: "valid national number and words around it", country: national.country };
  if (labelled && (grouped || digits.length >= 7) && digits.length >= 6)
    return { score: 0.75, basis: "form of a number and words around it", country: undefined };
  if (announced && digits.length >= 9 && digits.length <= 12 && digits.startsWith("0"))
    return { score: 0.6, basis: "form of a number and words around it", country: undefined };
  if (national !== undefined)
    return { score: 0.7, basis: "valid national number as they are written", country: national.country };
  // Alone on its line, digits with an exit code or an extension are almost certainly a phone number.
  if (/(?:x|ext\.?)[ ]?\d{1,6}$/i.test(written) && grouped)
    return { score: 0.7, basis: "extension", country: undefined };
  return undefined;
}

// A country code without "+" counts in the groups of its plan, or when words identify the digits as a phone number.
function unsignedVerdict({ written, digits, announced }: PhoneMatch): Verdict | undefined {
  if (digits.length < 10 || digits.startsWith("0") || !(announced || isFormed(written))) return undefined;
  const number = parsePhoneNumberFromString(`+${digits}`);
  if (number?.isValid() !== true) return undefined;
  if (!isWrittenAs(written, number.formatInternational())) return undefined;
  return {
    score: announced ? 0.8 : 0.6,
    basis: "valid international number without its sign",
    country: number.country,
  };
}

function internationalOf(written: string, digits: string): PhoneNumber | undefined {
  if (written.startsWith("+")) return parsePhoneNumberFromString(written);
  if (/^(?:00|011)/.test(digits)) return parsePhoneNumberFromString(`+${digits.replace(/^(?:011|00)/, "")}`);
  return undefined;
}

// At least three groups with one kind of separator that are not thousands: only then do groups distinguish phone
// numbers from others.
function isFormed(written: string): boolean {
  const groups = written.match(/\d+/g) ?? [];
  if (groups.length < 3 || groups.slice(1).every((group) => group.length === 3)) return false;
  return new Set(written.replace(/^[+(]*\d+\)?|\d+$/g, "").match(/\D+/g)).size === 1;
}

/** Written in groups as phone numbers are: not two groups of years, nor thousands. */
function isGrouped(written: string): boolean {
  const groups = written.match(/\d+/g) ?? [];
  return groups.length > 1 && groups.length <= 8 && groups.every((group) => group.length <= 8);
}

// Forms that suffice without words: an area code in brackets, a trunk prefix in groups, or the groups of North America.
function isTelling(written: string, digits: string): boolean {
  if (/^(?:[018][ -]?)?\(\d{2,5}\)[ -]?\d{3,5}(?:[ .-]?\d{3,4}|(?:-\d\d){2})/.test(written)) return true;
  if (/^(?:1[-. ])?[2-9]\d{2}[-.][2-9]\d{2}[-.]\d{4}(?:\D|$)/.test(written)) return true;
  if (/^(?:1 )?[2-9]\d{2} [2-9]\d{2} \d{4}$/.test(written)) return true;
  return digits.startsWith("0") && digits.length >= 9 && isGrouped(written) && !/\.\d?(?:\.|$)/.test(written);
}

// A bracket that was opened before the number, or is never closed, is not part of it.
function balanced(found: string): string {
  const open = found.indexOf("(");
  return open > 0 && !found.includes(")", open) ? found.slice(0, open).trimEnd() : found.trimEnd();
}
