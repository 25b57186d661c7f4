// Numbers that states and institutions give to people. What a number is follows from its printed form, its check digits, and words around
// it where these do not suffice. The table lies in the folder `identity`.

import type { Finding, Sweep } from "../../plan.ts";
import { isUniform } from "./check-digit.ts";
import { hasContext, standsAlone } from "./context.ts";
import { fewestDigits, parseShape } from "./shape.ts";

/** One kind of number. */
export interface IdentityFormat {
  /** The entity by which policies ask for it. */
  readonly entity: string;
  /** What it is, told as an attribute, such as "es_dni". */
  readonly kind: string;
  /** Printed forms, as a pattern of a bounded length. */
  readonly shape: string;
  /** Whether it can be one, without separators and in upper case. */
  readonly check: (compact: string) => boolean;
  /** Words that say that it is one. */
  readonly words: RegExp;
  /** Certainty without such words: what check digits and form are worth by themselves. */
  readonly alone: number;
  readonly reference: string;
}

interface CompiledFormat extends IdentityFormat {
  readonly pattern: RegExp;
  readonly fewest: number;
}

/** Where a number may begin: at a digit, or at few letters before one. */
const beginning = /(?<![A-Za-z0-9_])(?:[A-Za-z]{1,9}[ .-]?)?\d/g;
/** Signs that Mexican numbers have among their letters. Elsewhere they part words. */
const rareLetter = /[&\u00d1\u00f1]/;
const rareLead = /[A-Za-z&\u00d1\u00f1]{1,4}$/;
const longestRareLead = 4;
const separators = /[ \u00a0./-]/g;
const certainWithWords = 0.95;
const leastCertain = 0.3;

/** Finds numbers of some kinds in one pass over the text. */
export function identitySweep(formats: readonly IdentityFormat[]): Sweep {
  const compiled = formats.map(compile).sort((a, b) => a.fewest - b.fewest);
  const most = compiled.at(-1)?.fewest ?? 0;
  return (text) => {
    const findings: Finding[] = [];
    for (const { 0: lead, index } of text.matchAll(beginning)) {
      const digit = index + lead.length - 1;
      const digits = digitsFrom(text, digit, most);
      findAll(compiled, text, index, digits, findings);
      // A word before the digits may belong to the number, or not.
      if (lead.length > 1 && /[ .-]/.test(lead)) findAll(compiled, text, digit, digits, findings);
      if (rareLetter.test(text.charAt(index - 1))) findAll(compiled, text, rareStart(text, index), digits, findings);
    }
    return findings;
  };
}

function compile(format: IdentityFormat): CompiledFormat {
  const fewest = fewestDigits(parseShape(format.shape));
  return { ...format, pattern: new RegExp(format.shape, "iy"), fewest };
}

/** The number of digits that a number of any of these kinds has at least. */
export function fewestDigitsOf(formats: readonly IdentityFormat[]): number {
  return Math.min(...formats.map(({ shape }) => fewestDigits(parseShape(shape))));
}

const longestNumber = 30;
/** No number has as many letters behind its first digit. */
const manyLetters = 14;

// How many digits one number could have from its first digit on, counted up to a limit.
function digitsFrom(text: string, from: number, limit: number): number {
  let digits = 0;
  let letters = 0;
  const to = Math.min(text.length, from + longestNumber);
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
  const lead = rareLead.exec(text.slice(Math.max(0, index - longestRareLead), index));
  return index - (lead?.[0].length ?? 0);
}

// Formats in the order of their fewest digits: most numbers of a text have too few for most of them.
function findAll(
  formats: readonly CompiledFormat[],
  text: string,
  start: number,
  digits: number,
  findings: Finding[],
): void {
  for (const format of formats) {
    if (format.fewest > digits) return;
    const finding = findAt(format, text, start);
    if (finding !== undefined) findings.push(finding);
  }
}

function findAt(format: CompiledFormat, text: string, start: number): Finding | undefined {
  format.pattern.lastIndex = start;
  const match = format.pattern.exec(text);
  if (match === null) return undefined;
  const end = start + match[0].length;
  if (!standsAlone(text, start, end)) return undefined;
  const compact = match[0].replace(separators, "").toUpperCase();
  if (isUniform(compact) || !format.check(compact)) return undefined;
  const told = hasContext(text, start, end, format.words);
  const score = told ? certainWithWords : format.alone;
  if (score < leastCertain) return undefined;
  const basis = told ? "form, check and words around it" : "form and check";
  return {
    category: `pii.${format.entity.toLowerCase()}`,
    start,
    end,
    score,
    attributes: { kind: format.kind, country: format.kind.slice(0, 2).toUpperCase(), basis },
  };
}
