// What of a growing text is settled for codes without white space: runs of certain characters, and what is read behind them.

import type { OpenEdge, Sweep } from "../../plan.ts";
import { edgedSweep } from "../sweep.ts";

/** How codes of one kind are written. */
interface CodeForm {
  /** The characters of a code, and those that join it to others. */
  readonly units: RegExp;
  readonly shortest: number;
  readonly longest: number;
  /** What is read behind a code. */
  readonly behind: number;
  /** What every code has. */
  readonly hint: RegExp;
}

const context = 34;
const forms = {
  ip: { units: /[0-9A-Fa-f.:]/, shortest: 2, longest: 64, behind: 2, hint: /\d/ },
  mac: { units: /[0-9A-Fa-f.:-]/, shortest: 14, longest: 18, behind: 2, hint: /[0-9A-Fa-f][.:-]/ },
  vin: { units: /[A-HJ-NPR-Z0-9]/, shortest: 17, longest: 17, behind: context, hint: /\d/ },
  bic: { units: /[A-Z0-9]/, shortest: 8, longest: 11, behind: context, hint: /[A-Z]{4}/ },
  crypto: { units: /[0-9A-Za-z]/, shortest: 14, longest: 84, behind: context, hint: /\d/ },
  // A number is in up to three groups, of which the first has two digits: " 09 № 123456" may follow it, and what tells that it ends.
  passport: { units: /[0-9A-Za-z]/, shortest: 2, longest: 10, behind: 16, hint: /\d/ },
} as const satisfies Readonly<Record<string, CodeForm>>;

/** A sweep that finds codes of some kind. Where there is nothing that each of them has it is not asked. */
export function codeSweep(find: Sweep, kind: keyof typeof forms): Sweep {
  const form: CodeForm = forms[kind];
  return edgedSweep(find, { open: openCode(form), hint: form.hint, hintReach: form.longest });
}

// The first run that a code may be in, or that may become one.
function openCode({ units, shortest, longest, behind, hint }: CodeForm): OpenEdge {
  const isUnit = Uint8Array.from({ length: 128 }, (_, unit) => (units.test(String.fromCharCode(unit)) ? 1 : 0));
  return (text, from) => {
    const { length } = text;
    let at = Math.max(from, length - longest - behind);
    while (at < length) {
      while (at < length && isUnit[text.charCodeAt(at)] !== 1) at++;
      const start = at;
      while (at < length && isUnit[text.charCodeAt(at)] === 1) at++;
      if (at === length) return start;
      if (length - at < behind && at - start >= shortest && hint.test(text.slice(start, at))) return start;
    }
    return length;
  };
}
