// Numbers that states and institutions assign to people. A number is identified by its printed form, its check digits,
// and words around it where these do not suffice. The formats are in the folder `identity`.

import type { Sweep } from "../detector-plan.ts";
import type { Finding } from "../finding.ts";
import { plainSeparators } from "./border.ts";
import { isUniform } from "./check-digit.ts";
import { hasContext, standsAlone } from "./context.ts";
import { announcesGoods } from "./other-number.ts";
import { minDigits, parseShape } from "./shape.ts";

/** One kind of number. */
export interface IdentityFormat {
  /** The entity name in policies. */
  readonly entity: string;
  /** The kind of number, reported as an attribute, such as "es_dni". */
  readonly kind: string;
  /** Its printed forms, as a pattern of bounded length. */
  readonly shape: string;
  /** Whether the number is valid, given without separators and in upper case. */
  readonly check: (compact: string) => boolean;
  /** Words that identify it. */
  readonly words: RegExp;
  /** The score without such words, from check digits and form alone. */
  readonly alone: number;
  /** Whether a number, given without separators, counts only next to such words. Default: never. */
  readonly onlyAnnounced?: (compact: string) => boolean;
  /**
   * Words before a number that announce another kind with the same form: then only this kind's own words identify it.
   */
  readonly others?: RegExp;
  readonly reference: string;
}

interface CompiledFormat extends IdentityFormat {
  readonly pattern: RegExp;
  readonly minDigitCount: number;
}

/** Where a number may begin: at a digit, or at a few letters before one. */
const beginning = /(?<![A-Za-z0-9_])(?:[A-Za-z]{1,9}[ .-]?)?\d/g;
/** Characters that Mexican numbers use as letters. Elsewhere they separate words. */
const rareLetter = /[&\u00d1\u00f1]/;
const rarePrefix = /[A-Za-z&\u00d1\u00f1]{1,4}$/;
const maxRarePrefixLength = 4;
const separators = /[ \u00a0./-]/g;
const certainWithWords = 0.95;
const minCertain = 0.3;

/** Finds numbers of some kinds in one pass over the text. */
export function identitySweep(formats: readonly IdentityFormat[]): Sweep {
  const compiled = formats.map(compile).sort((a, b) => a.minDigitCount - b.minDigitCount);
  const maxDigitCount = compiled.at(-1)?.minDigitCount ?? 0;
  return (given) => {
    const text = plainSeparators(given);
    const findings: Finding[] = [];
    for (const { 0: start, index } of text.matchAll(beginning)) {
      const digit = index + start.length - 1;
      const digits = digitsFrom(text, digit, maxDigitCount);
      findAll(compiled, text, index, digits, findings);
      // A word before the digits may or may not belong to the number.
      if (start.length > 1 && /[ .-]/.test(start)) findAll(compiled, text, digit, digits, findings);
      if (rareLetter.test(text.charAt(index - 1))) findAll(compiled, text, rareStart(text, index), digits, findings);
    }
    return findings;
  };
}

function compile(format: IdentityFormat): CompiledFormat {
  const minDigitCount = minDigits(parseShape(format.shape));
  return { ...format, pattern: new RegExp(format.shape, "iy"), minDigitCount };
}

/** The minimum number of digits of these kinds. */
export function minDigitsOf(formats: readonly IdentityFormat[]): number {
  return Math.min(...formats.map(({ shape }) => minDigits(parseShape(shape))));
}

const maxNumberLength = 30;
/** No number has this many letters after its first digit. */
const manyLetters = 14;

// How many digits one number could have from its first digit, counted up to a limit.
function digitsFrom(text: string, from: number, limit: number): number {
  let digits = 0;
  let letters = 0;
  const to = Math.min(text.length, from + maxNumberLength);
  for (let i = from; i < to && letters < manyLetters && digits < limit; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x30 && unit <= 0x39) digits++;
    else if ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a) letters++;
    else if (!isJoint(unit)) break;
  }
  return digits;
}

// The space, the no-break space, and "(", "+", "-", ".", "/".
function isJoint(unit: number): boolean {
  return unit === 0x20 || unit === 0xa0 || unit === 0x28 || unit === 0x2b || (unit >= 0x2d && unit <= 0x2f);
}

function rareStart(text: string, index: number): number {
  const prefix = rarePrefix.exec(text.slice(Math.max(0, index - maxRarePrefixLength), index));
  return index - (prefix?.[0].length ?? 0);
}

// Formats are ordered by their minimum digits, since most numbers of a text have too few for most formats.
function findAll(
  formats: readonly CompiledFormat[],
  text: string,
  start: number,
  digits: number,
  findings: Finding[],
): void {
  for (const format of formats) {
    if (format.minDigitCount > digits) return;
    const finding = findAt(format, text, start);
    if (finding !== undefined) findings.push(finding);
  }
}

const maxOtherLength = 32;
/** Numbers of things hardly ever have such a form. */
const distinctAlone = 0.85;
/** Numbers of things often have such a form. */
const commonAlone = 0.6;
const plainDigits = /^[\d ]*(?:[./-][\d ]*)?$/;

function isOther({ others, alone }: IdentityFormat, text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - maxOtherLength), start);
  if (others?.test(before) === true) return true;
  // People's numbers stand on invoices too, so that a word for one hides only what looks like its own number.
  const isCommon = alone < commonAlone || (alone < distinctAlone && plainDigits.test(text.slice(start, end)));
  return isCommon && announcesGoods(before);
}

function findAt(format: CompiledFormat, text: string, start: number): Finding | undefined {
  format.pattern.lastIndex = start;
  const match = format.pattern.exec(text);
  if (match === null) return undefined;
  const end = start + match[0].length;
  if (!standsAlone(text, start, end)) return undefined;
  const compact = match[0].replace(separators, "").toUpperCase();
  if (isUniform(compact) || !format.check(compact)) return undefined;
  const announced = hasContext(text, start, end, format.words);
  if (!announced && (format.onlyAnnounced?.(compact) === true || isOther(format, text, start, end))) return undefined;
  const score = announced ? certainWithWords : format.alone;
  if (score < minCertain) return undefined;
  const basis = announced ? "form, check and words around it" : "form and check";
  return {
    category: `pii.${format.entity.toLowerCase()}`,
    start,
    end,
    score,
    attributes: { kind: format.kind, country: format.kind.slice(0, 2).toUpperCase(), basis },
  };
}
