// Edges of growing texts for codes without white space: runs of certain characters, and the text that is read after
// them.

import type { OpenEdge, Sweep } from "../detector-plan.ts";
import { edgedSweep } from "../sweep.ts";

/** How one kind of code is written. */
interface CodeForm {
  /** The characters of a code, and those that join it to others. */
  readonly units: RegExp;
  readonly minLength: number;
  readonly maxLength: number;
  /** Code units that are read after a code. */
  readonly unitsAfter: number;
  /** A pattern that every code matches. */
  readonly hint: RegExp;
}

const context = 34;
const forms = {
  ip: { units: /[0-9A-Fa-f.:]/, minLength: 2, maxLength: 64, unitsAfter: 2, hint: /\d/ },
  mac: { units: /[0-9A-Fa-f.:-]/, minLength: 14, maxLength: 18, unitsAfter: 2, hint: /[0-9A-Fa-f][.:-]/ },
  vin: { units: /[A-HJ-NPR-Z0-9]/, minLength: 17, maxLength: 17, unitsAfter: context, hint: /\d/ },
  bic: { units: /[A-Z0-9]/, minLength: 8, maxLength: 11, unitsAfter: context, hint: /[A-Z]{4}/ },
  crypto: { units: /[0-9A-Za-z]/, minLength: 14, maxLength: 84, unitsAfter: context, hint: /\d/ },
  // A number has up to three groups, of which the first has two digits: " 09 № 123456" may follow it, and the text that
  // shows its end.
  passport: { units: /[0-9A-Za-z]/, minLength: 2, maxLength: 10, unitsAfter: 16, hint: /\d/ },
} as const satisfies Readonly<Record<string, CodeForm>>;

/** A sweep that finds codes of one kind. Text without the hint is skipped. */
export function codeSweep(find: Sweep, kind: keyof typeof forms): Sweep {
  const form: CodeForm = forms[kind];
  return edgedSweep(find, { open: openCode(form), hint: form.hint, hintReach: form.maxLength });
}

// The first run that may contain a code, or become one.
function openCode({ units, minLength, maxLength, unitsAfter, hint }: CodeForm): OpenEdge {
  const isUnit = Uint8Array.from({ length: 128 }, (_, unit) => (units.test(String.fromCharCode(unit)) ? 1 : 0));
  return (text, from) => {
    const { length } = text;
    let at = Math.max(from, length - maxLength - unitsAfter);
    while (at < length) {
      while (at < length && isUnit[text.charCodeAt(at)] !== 1) at++;
      const start = at;
      while (at < length && isUnit[text.charCodeAt(at)] === 1) at++;
      if (at === length) return start;
      if (length - at < unitsAfter && at - start >= minLength && hint.test(text.slice(start, at))) return start;
    }
    return length;
  };
}
