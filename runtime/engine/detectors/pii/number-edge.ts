// Edges of growing texts for numbers: chains of digits that may be one number, with the text that may precede and
// follow them.

import type { OpenEdge, Sweep } from "../detector-plan.ts";
import { edgedSweep } from "../sweep.ts";

/** How one kind of number is written. */
interface NumberForm {
  /** Minimum number of digits. */
  readonly minDigits: number;
  /** Maximum distance from one digit to the next, in code units. */
  readonly maxGap: number;
  /** Code units that are read after the last digit. */
  readonly unitsAfter: number;
  /** Text before the first digit that may belong to the number, as a pattern for the end of a text. */
  readonly before: RegExp | undefined;
}

/** Payment cards: up to three separators, and words of up to 32 units after the number. */
const cardForm: NumberForm = { minDigits: 12, maxGap: 4, unitsAfter: 36, before: undefined };
/**
 * Phone numbers: up to three separators, an extension of up to 20 units, and words of up to 32 units after the number.
 */
const phoneForm: NumberForm = { minDigits: 6, maxGap: 4, unitsAfter: 60, before: /(?:\+[ (]?|\()$/ };
/**
 * Identity numbers: up to 14 letters between digits, and a few before the first. The number of digits depends on their
 * kinds.
 */
const identityForm: NumberForm = {
  ...{ minDigits: 1, maxGap: 16, unitsAfter: 64 },
  before: /(?<![A-Za-z0-9_])(?:[A-Za-z]{1,9}[ .\u00a0\u2007\u2009-\u2015\u202f\u2212-]?|[A-Za-z&\u00d1\u00f1]{1,4})$/,
};
const forms = { card: cardForm, phone: phoneForm, identity: identityForm } as const;

/** Maximum length of the text before the first digit. */
const maxBeforeLength = 24;
/** Maximum length of a number, with the text that distinguishes it from a table. */
const maxNumbersLength = 640;
/**
 * A longer row of digits is settled in steps of this many units, so that small chunks do not cause repeated searches.
 */
const minStep = 256;
const digit = /\d/;

/** A sweep that finds numbers of one kind, whose minimum of digits may be raised. Text without digits is skipped. */
export function numberSweep(find: Sweep, kind: keyof typeof forms, minDigits: number = forms[kind].minDigits): Sweep {
  return edgedSweep(find, { open: openNumber({ ...forms[kind], minDigits }), hint: digit, hintReach: maxBeforeLength });
}

// Follows chains of digits that may be one number; the first chain that has not ended is open, from the text before it.
function openNumber({ minDigits, maxGap, unitsAfter, before }: NumberForm): OpenEdge {
  return (text, from) => {
    const { length } = text;
    let chainStart = -1;
    let lastDigit = -1;
    let count = 0;
    const isOver = () => length > lastDigit + unitsAfter || (count < minDigits && length >= lastDigit + maxGap + 1);
    const least = length - maxNumbersLength;
    for (let at = least < from + minStep ? from : least; at < length; at++) {
      const unit = text.charCodeAt(at);
      if (unit < 0x30 || unit > 0x39) continue;
      if (chainStart >= 0 && at - lastDigit > maxGap) {
        if (!isOver()) break;
        chainStart = -1;
        count = 0;
      }
      if (chainStart < 0) chainStart = at;
      lastDigit = at;
      count++;
    }
    const start = chainStart >= 0 && !isOver() ? chainStart : length;
    return Math.max(from, beforeDigits(text, start, before));
  };
}

function beforeDigits(text: string, at: number, before: RegExp | undefined): number {
  if (before === undefined) return at;
  const context = Math.max(0, at - maxBeforeLength);
  const match = before.exec(text.slice(context, at));
  return match === null ? at : context + match.index;
}
