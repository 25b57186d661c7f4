// What of a growing text is settled for numbers: chains of digits that may be one number, with what may stand before and behind them.

import type { OpenEdge, Sweep } from "../../plan.ts";
import { edgedSweep } from "../sweep.ts";

/** How numbers of one kind are written. */
interface NumberForm {
  /** The fewest digits that a number has. */
  readonly fewestDigits: number;
  /** The most units from one digit to the next. */
  readonly widestGap: number;
  /** What is read behind the last digit. */
  readonly behind: number;
  /** What may stand before the first digit and belong to the number, at the end of a text. */
  readonly lead: RegExp | undefined;
}

/** Payment cards: single separators, and words of up to 32 units behind. */
const cardForm: NumberForm = { fewestDigits: 12, widestGap: 2, behind: 36, lead: undefined };
/** Phone numbers: up to three separators, an extension of up to 20 units, and words of up to 32 units behind. */
const phoneForm: NumberForm = { fewestDigits: 6, widestGap: 4, behind: 60, lead: /(?:\+[ (]?|\()$/ };
/** Numbers of states: up to 14 letters between digits, and few before the first. How many digits they have depends on their kinds. */
const identityForm: NumberForm = {
  ...{ fewestDigits: 1, widestGap: 16, behind: 64 },
  lead: /(?<![A-Za-z0-9_])(?:[A-Za-z]{1,9}[ .-]?|[A-Za-z&\u00d1\u00f1]{1,4})$/,
};
const forms = { card: cardForm, phone: phoneForm, identity: identityForm } as const;

/** The longest that may stand before the first digit. */
const widestLead = 24;
/** No number is longer, with all that is read to tell it from a table. */
const longestNumbers = 640;
/** A row of digits that is longer is settled in steps of so many units, so that small chunks do not have it searched over and over. */
const leastStep = 256;
const digit = /\d/;

/** A sweep that finds numbers of some kind, which may have more digits at least than the kind says. Where there is no digit it is not asked. */
export function numberSweep(
  find: Sweep,
  kind: keyof typeof forms,
  fewestDigits: number = forms[kind].fewestDigits,
): Sweep {
  return edgedSweep(find, { open: openNumber({ ...forms[kind], fewestDigits }), hint: digit, hintReach: widestLead });
}

// Follows chains of digits that may be one number; the first that is not over is open, from what stands before it.
function openNumber({ fewestDigits, widestGap, behind, lead }: NumberForm): OpenEdge {
  return (text, from) => {
    const { length } = text;
    let chainStart = -1;
    let lastDigit = -1;
    let count = 0;
    const isOver = () => length > lastDigit + behind || (count < fewestDigits && length >= lastDigit + widestGap + 1);
    const least = length - longestNumbers;
    for (let at = least < from + leastStep ? from : least; at < length; at++) {
      const unit = text.charCodeAt(at);
      if (unit < 0x30 || unit > 0x39) continue;
      if (chainStart >= 0 && at - lastDigit > widestGap) {
        if (!isOver()) break;
        chainStart = -1;
        count = 0;
      }
      if (chainStart < 0) chainStart = at;
      lastDigit = at;
      count++;
    }
    const start = chainStart >= 0 && !isOver() ? chainStart : length;
    return Math.max(from, beforeDigits(text, start, lead));
  };
}

function beforeDigits(text: string, at: number, lead: RegExp | undefined): number {
  if (lead === undefined) return at;
  const context = Math.max(0, at - widestLead);
  const match = lead.exec(text.slice(context, at));
  return match === null ? at : context + match.index;
}
