// Numbers that states and institutions give to people. What a number is follows from its printed form, its check digits, and words around
// it where these do not suffice. The table lies in the folder `identity`.

import type { Finding, Sweep } from "../../plan.ts";
import { isUniform } from "./check-digit.ts";
import { hasContext, standsAlone } from "./context.ts";

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
}

/** Where a number may begin: at a digit, or at few letters before one. */
const beginning = /(?<![A-Za-z0-9_])(?:[A-Za-z]{1,8}[ .-]?)?\d/g;
const separators = /[ \u00a0./-]/g;
const certainWithWords = 0.95;
const leastCertain = 0.3;

/** Finds numbers of some kinds in one pass over the text. */
export function identitySweep(formats: readonly IdentityFormat[]): Sweep {
  const compiled = formats.map((format) => ({ ...format, pattern: new RegExp(format.shape, "iy") }));
  return (text) => {
    const findings: Finding[] = [];
    for (const { 0: lead, index } of text.matchAll(beginning)) {
      if (!hasDigits(text, index)) continue;
      const digit = index + lead.length - 1;
      findAll(compiled, text, index, findings);
      // A word before the digits may belong to the number, or not.
      if (/[ .-]/.test(lead)) findAll(compiled, text, digit, findings);
    }
    return findings;
  };
}

const fewestDigits = 5;
const longestNumber = 30;

// Whether enough digits follow for any number, before a word does.
function hasDigits(text: string, from: number): boolean {
  let digits = 0;
  let letters = 0;
  const to = Math.min(text.length, from + longestNumber);
  for (let i = from; i < to && letters < 14; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x30 && unit <= 0x39) {
      if (++digits === fewestDigits) return true;
    } else if ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a) letters++;
    else if (unit !== 0x20 && unit !== 0xa0 && unit !== 0x2d && unit !== 0x2e && unit !== 0x2f) return false;
  }
  return false;
}

function findAll(formats: readonly CompiledFormat[], text: string, start: number, findings: Finding[]): void {
  for (const format of formats) {
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
