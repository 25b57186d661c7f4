// Phone numbers. Candidates are found by their digits and separators; the numbering plans of libphonenumber (E.164, national plans)
// decide. What no plan knows is taken for a number only where words say so. Dates, decimal numbers, versions and ids are none.

import {
  type CountryCode,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max";
import type { Finding, Sweep } from "../../plan.ts";
import { hasContext } from "./context.ts";

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
const gap = /^[ \u00a0().\u2010\u2011\u2013/-]{1,3}$/;
const opening = /(?:\+[ (]?|\()$/;
const closing = /^(?: ?(?:x|ext\.?|extension|durchwahl|poste) ?| ?#)\d{1,6}(?!\d)/i;
/** A letter of a script that sets words apart: numbers stand right beside others. */
const spacedLetter = String.raw`(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}])\p{L}`;
const forbiddenBefore = new RegExp(String.raw`(?:${spacedLetter}|[\p{N}_./#$€£%+-])$|\d[,:\\]$`, "u");
const forbiddenBehind = new RegExp(String.raw`^(?:${spacedLetter}|[\p{N}_])|^[.,:/-]\d|^%`, "u");
const runContext = 40;
const runContextBehind = 24;
const mostGroups = 8;
const mostDigits = 15;
const kinds =
  "phone|phones|tel|telephone|telepono|telefono|teléfono|telefon\\p{L}*|telefoon\\p{L}*|téléphone|telefone|mobile|mobil|mobiel|mobiele|mobil(?:nummer|nr|telefon|numret)\\p{L}*|móvil|movil|cell|cellphone|cellulare|handy|handy(?:nummer|nr)|portable|fax|office|desk|landline|número|numero|numéro|nummer|celular|gsm|komórk\\p{L}*|puhelin|tlf|mob|phn|ph|whatsapp|viber|signal|hotline|contact|contacto|contatto|contato|kontakt|numer|numara\\p{L}*|rufnummer|zap|home|work|call";
const words = new RegExp(
  `\\b(?:${kinds}|calls|calling|called|contact\\p{L}*|kontakt\\p{L}*|contat\\p{L}*|dial|text|sms|messages?|messaging|ring|rang|reach|llam\\p{L}*|appel\\p{L}*|anruf\\p{L}*|ruf\\p{L}*|ligue|ligar|liga|chiam\\p{L}*|bel|bell|bereik\\p{L}*|marca|marque|joindre|joign\\p{L}*|texto|avís\\p{L}*|dzwoni\\p{L}*|zadzwo\\p{L}*|ring\\p{L}*|arayın|arayabilir\\p{L}*|ulaş\\p{L}*)\\b|电话|手机|電話|携帯|拨打|撥打|联系|聯絡|連絡|微信|전화|휴대폰|телефон|(?<!\\p{L})тел(?!\\p{L})|звони|номер|هاتف|جوال|טלפון|फ़ोन|फोन|मोबाइल|โทร|(?:phone|contact|my|[a-z]{4,12}i) number|number is`,
  "iu",
);
/** A name right before the number, as in a form. */
const label = new RegExp(
  `(?:\\b(?:${kinds})(?: (?:number|no|nr|#))?|电话|手机|電話|携帯|전화|휴대폰|телефон|тел\\.?|номер|هاتف|جوال|טלפון|फ़ोन|โทร|(?:phone|contact|my|my \\p{L}{2,12}|[a-z]{4,12}i) number)(?: (?:is|at|on|me at|us at|me on))?[\\s:.=)#*\\\\,-]{0,8}$`,
  "iu",
);
/** A number with a country code shortly before: the next one is hardly anything else. */
const beside = /\+\d{9,15}\D{1,20}$/;
const labelBehind = new RegExp(`^[-\\s(,]{1,3}(?:${kinds})\\b`, "iu");
const otherNumbers =
  /(?<![\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{N}_])(?:account|acct|card|order|invoice|ticket|tracking|routing|reference|ref|id|case|claim|passport|licen[cs]e|isbn|issn|ssn|social|policy|serial|version|build|port|zip|cep|cap|postal|iban|bic|swift|vat|tax|ein|imei|license plate|pin|code|konto|bestell\p{L}*|rechnung\p{L}*|kunden(?:nummer|nr)|auftrag\p{L}*|vorgang\p{L}*|vertrag\p{L}*|booking|contract|shipment|parcel|commande|contrat|dossier|facture|pedido|expediente|reserva|factura|ordine|pratica|fattura|bestelling|factuur|klantnummer|ordernummer|zamówieni\p{L}*|klienta|faktur\p{L}*|protocolo|nota fiscal|fatura|sipariş|beställning|kundnummer|заказ\p{L}*|договор\p{L}*|счет\p{L}*|счёт\p{L}*|population|year|years|date|flight|room|page|pages|score|€|usd|eur|\$)[ :#.=n°º]{0,6}(?:(?:number|num|no|nr|is|id)[ :#.]{0,4}){0,2}$/iu;
const otherDense =
  /(?:订单|訂單|单号|單號|编号|編號|快递|注文|商品|製品|品番|口座|受付|주문|송장|운송장|계좌)(?:番号|번호|号码|号|碼|码)?[是は：:#\s]{0,3}$/u;
const notPhone =
  /^(?:1[5-9]|20)\d\d[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:0?[1-9]|[12]\d|3[01])(?:\D|$)|^(?:0?[1-9]|[12]\d|3[01])[-./](?:0?[1-9]|[12]\d|3[01])[-./](?:1[5-9]|20)?\d\d(?: \d\d)?$|^(?:1[5-9]|20)\d\d ?[-–/] ?(?:1[5-9]|20)\d\d$|^\d{3}-\d{2}-\d{4}$|^\d{1,3}(?:\.\d{1,3}){3}$/;

/** Finds phone numbers; those without a country code are read as numbers of the regions. */
export function phoneSweep(regions: readonly string[]): Sweep {
  const countries = regions.filter((region): region is CountryCode => isSupportedCountry(region));
  return (text) => {
    const findings: Finding[] = [];
    for (const { start, end } of candidates(text)) {
      const finding = judge(text, start, end, countries);
      if (finding !== undefined) findings.push(finding);
    }
    return findings;
  };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

// Runs of digits with at most three separators between them, as long as they can be one number. Longer rows are tables.
function* candidates(text: string): Generator<Span> {
  let chain: Span[] = [];
  for (const { index, 0: digits } of text.matchAll(digitRun)) {
    const run = { start: index, end: index + digits.length };
    if (digits.length > mostDigits) {
      yield* numbersIn(text, chain);
      chain = [];
      continue;
    }
    const last = chain.at(-1);
    if (last !== undefined && !(run.start - last.end <= 3 && gap.test(text.slice(last.end, run.start)))) {
      yield* numbersIn(text, chain);
      chain = [];
    }
    chain.push(run);
  }
  yield* numbersIn(text, chain);
}

function* numbersIn(text: string, chain: readonly Span[]): Generator<Span> {
  const total = chain.reduce((sum, { start, end }) => sum + end - start, 0);
  if (total < 6 || chain.length > 3 * mostGroups) return;
  for (let first = 0; first < chain.length; ) {
    let count = 0;
    let next = first;
    for (; next < chain.length && next - first < mostGroups; next++) {
      const { start, end } = chain[next] ?? { start: 0, end: 0 };
      if (count + end - start > mostDigits) break;
      count += end - start;
    }
    if (next > first && count >= 6) {
      const start = chain[first]?.start ?? 0;
      const end = chain[next - 1]?.end ?? 0;
      const lead = opening.exec(text.slice(Math.max(0, start - 3), start))?.[0].length ?? 0;
      yield { start: start - lead, end: end + (closing.exec(text.slice(end, end + 20))?.[0].length ?? 0) };
    }
    first = Math.max(next, first + 1);
  }
}

function judge(text: string, start: number, reach: number, countries: readonly CountryCode[]): Finding | undefined {
  const written = balanced(text.slice(start, reach));
  const end = start + written.length;
  if (forbiddenBefore.test(text.slice(Math.max(0, start - 2), start))) return undefined;
  if (forbiddenBehind.test(text.slice(end, end + 2))) return undefined;
  const digits = written.replace(/(?:x|ext|#).*$/i, "").replace(/\D/g, "");
  if (digits.length < 6 || digits.length > 15 || notPhone.test(written.replace(/^\(|\)$/g, ""))) return undefined;
  if (/^(?:(\d)\1+|[01]+)$/.test(digits)) return undefined;
  const before = text.slice(Math.max(0, start - 32), start);
  if (otherNumbers.test(before) || otherDense.test(before)) return undefined;
  const labelled = label.test(before) || labelBehind.test(text.slice(end, end + 24));
  const isRun = /^\d+$/.test(written) && !written.startsWith("0");
  const told =
    labelled || beside.test(before) || (isRun ? isToldNear(text, start, end) : hasContext(text, start, end, words));
  const isLine = /^$|\n/.test(text[start - 1] ?? "") && /^$|[\r\n]/.test(text[end] ?? "");
  const verdict = verdictOf(written, digits, { told, labelled, isLine }, countries);
  if (verdict === undefined) return undefined;
  const { score, basis, country } = verdict;
  const attributes: Record<string, string> = country === undefined ? { basis } : { country, basis };
  return { category: phoneCategory, start, end, score, attributes };
}

// Digits without any sign of a number to dial need words with no other number between: an order stands in the sentence of a call too.
function isToldNear(text: string, start: number, end: number): boolean {
  const before = /[^\d]*$/.exec(text.slice(Math.max(0, start - runContext), start))?.[0] ?? "";
  const after = /^[^\d\n]*/.exec(text.slice(end, end + runContextBehind))?.[0] ?? "";
  return words.test(before) || words.test(after);
}

interface Verdict {
  readonly score: number;
  readonly basis: string;
  readonly country: string | undefined;
}

interface Context {
  readonly told: boolean;
  readonly labelled: boolean;
  /** Whether nothing else stands on its line. */
  readonly isLine: boolean;
}

function verdictOf(
  written: string,
  digits: string,
  { told, labelled, isLine }: Context,
  countries: readonly CountryCode[],
): Verdict | undefined {
  const international = internationalOf(written, digits);
  if (international?.isValid() === true)
    return { score: 0.97, basis: "valid international number", country: international.country };
  if (written.startsWith("+") && digits.length >= 8)
    return told || international?.isPossible() === true
      ? { score: 0.75, basis: "form of an international number", country: international?.country }
      : undefined;
  const grouped = isGrouped(written);
  const telling = isTelling(written, digits) || (isLine && /^0\d{9,10}$/.test(written));
  const national = told || telling ? nationalOf(written, digits, countries) : undefined;
  if (national !== undefined && told)
    return { score: 0.93, basis: "valid national number and words around it", country: national };
  if (labelled && (grouped || digits.length >= 7) && digits.length >= 6)
    return { score: 0.75, basis: "form of a number and words around it", country: undefined };
  if (told && digits.length >= 9 && digits.length <= 12 && digits.startsWith("0"))
    return { score: 0.6, basis: "form of a number and words around it", country: undefined };
  if (national !== undefined && telling)
    return { score: 0.7, basis: "valid national number as they are written", country: national };
  // Alone on its line, digits with an exit code or an extension can hardly be anything else.
  if (/(?:x|ext\.?)[ ]?\d{1,6}$/i.test(written) && grouped)
    return { score: 0.7, basis: "extension", country: undefined };
  return undefined;
}

function internationalOf(written: string, digits: string): PhoneNumber | undefined {
  if (written.startsWith("+")) return parsePhoneNumberFromString(written);
  if (/^(?:00|011)/.test(digits)) return parsePhoneNumberFromString(`+${digits.replace(/^(?:011|00)/, "")}`);
  return undefined;
}

function nationalOf(written: string, digits: string, countries: readonly CountryCode[]): string | undefined {
  if (digits.length < 7 || digits.length > 12) return undefined;
  const plain = written.replace(/\(0\)/, "");
  return countries.find((country) => parsePhoneNumberFromString(plain, country)?.isValid() === true);
}

/** Written in groups as numbers to dial are: not two groups of years, nor thousands. */
function isGrouped(written: string): boolean {
  const groups = written.match(/\d+/g) ?? [];
  return groups.length > 1 && groups.length <= 8 && groups.every((group) => group.length <= 8);
}

// How numbers of the plans are written when nothing else says that they are: with an area code in brackets, with a trunk prefix in
// groups, or in the groups of North America.
function isTelling(written: string, digits: string): boolean {
  if (/^\(\d{2,5}\)[ -]?\d{3,5}[ .-]?\d{3,4}/.test(written)) return true;
  if (/^(?:1[-. ])?[2-9]\d{2}[-.][2-9]\d{2}[-.]\d{4}(?:\D|$)/.test(written)) return true;
  if (/^(?:1 )?[2-9]\d{2} [2-9]\d{2} \d{4}$/.test(written)) return true;
  return digits.startsWith("0") && digits.length >= 9 && isGrouped(written) && !/[.]/.test(written);
}

// A bracket that was opened before the number, or is never closed, is no part of it.
function balanced(found: string): string {
  const open = found.indexOf("(");
  return open > 0 && !found.includes(")", open) ? found.slice(0, open).trimEnd() : found.trimEnd();
}
