// Values of personal data, made up, with the check digits of their kinds; written for this bench and not shared with
// the detector.

import examples from "libphonenumber-js/examples.mobile.json";
import { type CountryCode, getCountries, parsePhoneNumberFromString } from "libphonenumber-js/max";
import { hex } from "./alphabet.ts";
import type { Draw } from "./draw.ts";

/** A number of a country as people write it: with its country code, or as at home. */
export function phone(draw: Draw, country?: CountryCode): string {
  const chosen = country ?? draw.of(getCountries().filter((one) => one in examples));
  const number = numberOf(draw, chosen);
  if (country === undefined) {
    const written = number.formatInternational();
    return draw.of([written, written.replaceAll(" ", ""), written.replaceAll(" ", "-"), written.replaceAll(" ", ".")]);
  }
  const written = number.formatNational();
  return draw.of([
    written,
    written,
    number.formatInternational(),
    number.nationalNumber.length < 8 ? written : written.replaceAll("-", " "),
  ]);
}

function numberOf(draw: Draw, country: CountryCode) {
  const example = examples[country as keyof typeof examples];
  for (let attempt = 0; attempt < 40; attempt++) {
    const changed = example.slice(0, -4) + draw.digits(4);
    const number = parsePhoneNumberFromString(changed, country);
    if (number?.isValid() === true) return number;
  }
  const number = parsePhoneNumberFromString(example, country);
  if (number === undefined) throw new Error(`no number of ${country}`);
  return number;
}

/** A payment card of one of the large issuers, by Luhn. */
export function card(draw: Draw): string {
  const [prefix, length] = draw.of([
    ["4", 16],
    ["51", 16],
    ["55", 16],
    ["2221", 16],
    ["34", 15],
    ["37", 15],
    ["6011", 16],
    ["3528", 16],
  ] as const);
  const body = prefix + draw.digits(length - prefix.length - 1);
  const digits = body + luhnDigit(body);
  const groups =
    length === 15 ? [digits.slice(0, 4), digits.slice(4, 10), digits.slice(10)] : (digits.match(/.{4}/g) ?? []);
  return draw.of([digits, groups.join(" "), groups.join("-")]);
}

function luhnDigit(body: string): number {
  const sum = [...body].reverse().reduce((total, digit, i) => {
    const value = Number(digit) * (i % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return (10 - (sum % 10)) % 10;
}

/** Country, length of the account part, and letters at its beginning. */
const ibanForms: readonly (readonly [string, number, number])[] = [
  ["DE", 18, 0],
  ["AT", 16, 0],
  ["CH", 17, 0],
  ["ES", 20, 0],
  ["PL", 24, 0],
  ["NL", 14, 4],
  ["GB", 18, 4],
  ["BE", 12, 0],
  ["SE", 20, 0],
  ["NO", 11, 0],
  ["DK", 14, 0],
  ["FI", 14, 0],
  ["PT", 21, 0],
  ["IE", 18, 4],
  ["RO", 20, 4],
  ["CZ", 20, 0],
  ["HU", 24, 0],
  ["LT", 16, 0],
];

/** An account number by ISO 13616, with the check digits of ISO 7064. */
export function iban(draw: Draw): string {
  const [country, length, letters] = draw.of(ibanForms);
  const account = draw.text("ABCDEFGHIJKLMNOPRSTUVWXY", letters) + draw.digits(length - letters);
  const numeric = [...`${account}${country}00`].map((char) => Number.parseInt(char, 36)).join("");
  const check = String(98n - (BigInt(numeric) % 97n)).padStart(2, "0");
  const whole = `${country}${check}${account}`;
  return draw.of([whole, (whole.match(/.{1,4}/g) ?? []).join(" ")]);
}

/** A social security number of the United States, in groups that are given out. */
export function ssn(draw: Draw): string {
  const area = draw.of(["219", "401", "523", "587", "612", "701", "433"]);
  return `${area}-${String(10 + draw.below(89))}-${String(1000 + draw.below(8999))}`;
}

/** An address of a mailbox. */
export function email(draw: Draw): string {
  const name = draw.of(
    [
      "ann.meyer",
      "j_ortiz",
      "li.wei",
      "o'brien",
      "k.nowak+news",
      "Info",
      "maria-luisa",
      "x7",
      "sales.dept",
      "émile.b",
    ].slice(0, 9),
  );
  const host = draw.of([
    "posteo.example.org",
    "mail.co.uk",
    "firma-nord.de",
    "uni.edu",
    "shop.io",
    "gov.br",
    "correo.es",
    "sub.domain.company",
    "netz.museum",
  ]);
  return `${name}${draw.of(["", "", draw.digits(2)])}@${host}`;
}

/** An address of the network. */
export function ip(draw: Draw): string {
  const part = (): string => String(draw.below(256));
  const group = (): string => draw.text(hex, 4);
  return draw.of([
    `${1 + draw.below(223)}.${part()}.${part()}.${part()}`,
    `${1 + draw.below(223)}.${part()}.${part()}.${part()}`,
    `2001:db8:${group()}:${group()}::${group()}`,
    `fe80::${group()}:${group()}:${group()}:${group()}`,
  ]);
}

/** An address of the web. */
export function url(draw: Draw): string {
  const host = draw.of([
    "www.example-shop.com",
    "docs.firma.de",
    "xn--bcher-kva.example",
    "sub.site.co.uk",
    "news.example.jp",
  ]);
  return `${draw.of(["https://", "https://", "http://"])}${host}${draw.of(["", "/", "/a/b?c=d&e=1", "/path_(x)", "/q#top", ":8443/login"])}`;
}
