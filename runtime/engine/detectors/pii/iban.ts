// International bank account numbers: ISO 13616, lengths from the SWIFT registry, check digits by ISO 7064 (mod 97).

import type { OpenEdge } from "../detector-plan.ts";
import type { Finding } from "../finding.ts";
import { continuesCode } from "./border.ts";

/** The category of IBANs. */
export const ibanCategory = "pii.iban";

const lengths: ReadonlyMap<string, number> = new Map(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 " +
    "GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 " +
    "MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 " +
    "TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

const ibanStart = /[A-Za-z]{2}[0-9]{2}/g;
/** Separators of groups: spaces (two spaces or a line end count as one), dots, or dashes. One number has one kind. */
const gaps: readonly RegExp[] = [
  /(?:[ \u00a0\u2007\u2009\u202f]{1,2}|[ \u00a0]?\r?\n)(?=[A-Za-z0-9])/y,
  /\.(?=[A-Za-z0-9])/y,
  /[-\u2010-\u2015\u2212](?=[A-Za-z0-9])/y,
];
const usualGroup = 4;
/** A group of letters is valid only directly after the country: the bank, as in GB29 NWBK. */
const bankGroup = 1;

/** Finds IBANs, written without separators or in groups. */
export function findIbans(text: string): Finding[] {
  const findings: Finding[] = [];
  ibanStart.lastIndex = 0;
  for (const match of text.matchAll(ibanStart)) {
    const country = match[0].slice(0, 2).toUpperCase();
    const length = lengths.get(country);
    if (length === undefined || continuesCode.test(text[match.index - 1] ?? "")) continue;
    const end = numberEnd(text, match.index, length);
    if (end < 0) continue;
    const compact = text
      .slice(match.index, end)
      .replace(/[^A-Za-z0-9]/g, "")
      .toUpperCase();
    if (remainder97(compact) !== 1) continue;
    const attributes = { country, basis: "form, length and check digits" };
    findings.push({ category: ibanCategory, start: match.index, end, score: 0.99, attributes });
  }
  return findings;
}

/** Maximum length: with a gap of three units after each character, and the text that is read after it. */
const maxWrittenLength = 34 * 4 + 4;
const begun =
  /(?<![\p{sc=Latn}\p{N}_])[A-Za-z](?:[A-Za-z](?:[0-9](?:[0-9](?:[ \u00a0\u2007\u2009\u202f.\u2010-\u2015\u2212\r\n-]{0,3}[A-Za-z0-9])*[ \u00a0\u2007\u2009\u202f.\u2010-\u2015\u2212\r\n-]{0,3})?)?)?$/u;

/** The edge in a growing text: the start of a number that has begun. */
export const openIban: OpenEdge = (text, from) => {
  const context = Math.max(0, text.length - maxWrittenLength);
  const match = begun.exec(text.slice(context));
  return match === null ? text.length : Math.max(from, context + match.index);
};

// The end of a number of this length, or -1.
function numberEnd(text: string, start: number, length: number): number {
  let at = start;
  let kind: RegExp | undefined;
  /** Start and end of each group. */
  const groups: [number, number][] = [[start, start]];
  for (let count = 0; count < length; count++) {
    const gap = count < usualGroup ? 0 : gapAt(text, at, kind);
    if (gap > 0) {
      kind ??= gaps.find((each) => lengthOf(each, text, at) > 0);
      at += gap;
      groups.push([at, at]);
    }
    if (!/^[A-Za-z0-9]$/.test(text[at] ?? "")) return -1;
    at++;
    const last = groups.at(-1);
    if (last !== undefined) last[1] = at;
  }
  return continuesCode.test(text[at] ?? "") || !isWritten(text, groups) ? -1 : at;
}

function gapAt(text: string, at: number, kind: RegExp | undefined): number {
  if (kind !== undefined) return lengthOf(kind, text, at);
  return Math.max(...gaps.map((each) => lengthOf(each, text, at)));
}

function lengthOf(gap: RegExp, text: string, at: number): number {
  gap.lastIndex = at;
  return gap.exec(text)?.[0].length ?? 0;
}

// In groups of four, or of digits and capitals as banks print them; a word among digits is not a group.
function isWritten(text: string, groups: readonly (readonly [number, number])[]): boolean {
  const written = groups.map(([from, to]) => text.slice(from, to));
  if (written.slice(0, -1).every((group) => group.length === usualGroup)) return true;
  return written.every(
    (group, index) => /^[A-Z0-9]*\d[A-Z0-9]*$/.test(group) || (index === bankGroup && /^[A-Z]+$/.test(group)),
  );
}

function remainder97(compact: string): number {
  let remainder = 0;
  for (const char of compact.slice(4) + compact.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}
