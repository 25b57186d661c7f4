// International bank account numbers: ISO 13616, lengths from the SWIFT registry, check digits by ISO 7064 (mod 97).

import type { Finding, OpenEdge } from "../../plan.ts";

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

const candidate = /[A-Za-z]{2}[0-9]{2}/g;
const groupLength = 4;

/** Finds IBANs, written in one piece or in groups of four. */
export function findIbans(text: string): Finding[] {
  const findings: Finding[] = [];
  candidate.lastIndex = 0;
  for (const match of text.matchAll(candidate)) {
    const country = match[0].slice(0, 2).toUpperCase();
    const length = lengths.get(country);
    if (length === undefined || /[\p{L}\p{N}_]/u.test(text[match.index - 1] ?? "")) continue;
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

/** The longest, with a separator after each fourth character and what is read behind it. */
const longestWritten = 34 + 8 + 2;
const begun = /(?<![\p{L}\p{N}_])[A-Za-z](?:[A-Za-z](?:[0-9](?:[0-9](?:[ \u00a0-]?[A-Za-z0-9])*[ \u00a0-]?)?)?)?$/u;

/** What of a growing text is settled: all but a number that has begun. */
export const openIban: OpenEdge = (text, from) => {
  const context = Math.max(0, text.length - longestWritten);
  const match = begun.exec(text.slice(context));
  return match === null ? text.length : Math.max(from, context + match.index);
};

// The end of a number of this length, or -1. One separator may stand after each fourth character, the same throughout.
function numberEnd(text: string, start: number, length: number): number {
  const separator = text[start + groupLength] ?? "";
  const grouped = /^[ \u00a0-]$/.test(separator);
  let at = start;
  for (let count = 0; count < length; count++) {
    if (grouped && count > 0 && count % groupLength === 0) {
      if (text[at] !== separator) return -1;
      at++;
    }
    if (!/^[A-Za-z0-9]$/.test(text[at] ?? "")) return -1;
    at++;
  }
  return /[\p{L}\p{N}_]/u.test(text[at] ?? "") ? -1 : at;
}

function remainder97(compact: string): number {
  let remainder = 0;
  for (const char of compact.slice(4) + compact.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}
