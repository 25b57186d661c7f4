// Personal data is found right beside the letters of every script that sets numbers next to words, and in the digits of
// every script.

import { describe, expect, it } from "vitest";
import { type Draw, drawOf } from "../../../../../bench/detection/generated/draw.ts";
import { card, email, iban, ip, phone, ssn } from "../../../../../bench/detection/generated/pii-value.ts";
import { reportSample, sampleOf } from "../../../../../scripts/assurance/sample.ts";
import { scan } from "../scan.ts";
import { drawNumber, formats, labels } from "./sample-identity.ts";

interface Kind {
  readonly entity: string;
  /** What stands before a value, so that it counts. */
  readonly label: string;
  readonly value: (draw: Draw) => string;
}

const fixed = (entity: string, label: string, ...values: string[]): Kind => ({
  ...{ entity, label },
  value: (draw) => draw.of(values),
});

/** Every entity that has a form of its own. */
const kinds: readonly Kind[] = [
  { entity: "EMAIL", label: "", value: email },
  { entity: "PHONE", label: "", value: (draw) => phone(draw) },
  { entity: "CREDIT_CARD", label: "", value: card },
  { entity: "CREDIT_CARD", label: "", value: (draw) => separated(card(draw).replace(/\D/g, ""), draw) },
  { entity: "IBAN", label: "", value: iban },
  { entity: "IBAN", label: "", value: (draw) => regrouped(iban(draw).replaceAll(" ", ""), draw) },
  { entity: "SSN", label: "", value: ssn },
  { entity: "IP", label: "", value: ip },
  fixed("URL", "", "https://example.com/a?b=1", "http://[2001:db8::1]/x", "https://shop.example.org"),
  fixed("MAC", "", "00:1A:2B:3C:4D:5E", "001a.2b3c.4d5e"),
  fixed("BIC", "BIC: ", "DEUTDEFF500", "COBADEFF"),
  fixed("CRYPTO", "", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"),
  fixed("VIN", "VIN ", "1HGCM82633A004352"),
  fixed("COORDINATES", "gps: ", "52.520008, 13.404954"),
  fixed("PASSPORT", "passport no. ", "C01X00T47"),
  fixed("DRIVING_LICENCE", "driver's license ", "D1234567"),
  fixed("DATE_OF_BIRTH", "born ", "1984-05-17", "17.05.1984"),
  ...formats.map((format): Kind => {
    const { entity, kind } = format;
    return { entity, label: `${labels.get(kind)}: `, value: (draw) => drawNumber(format, draw) };
  }),
];

/** Letters of scripts without spaces, and of those that set particles right before or behind a word. */
const letters = "的 です カ 로 는 กา ไทย ລາ ក က བ ㄅ و في ל का ক க క ಕ മ ක ት ܐ ᠠ ߊ ދ".split(" ");
const zeros = Array.from({ length: 0x20000 }, (_, point) => point).filter(
  (point) => point > 0x80 && (point < 0xd800 || point > 0xdfff) && isZero(String.fromCodePoint(point)),
);

function isZero(char: string): boolean {
  return /^\p{Nd}$/u.test(char) && char.normalize("NFKC") !== "1" && !/^\p{Nd}$/u.test(before(char));
}

function before(char: string): string {
  return String.fromCodePoint((char.codePointAt(0) ?? 1) - 1);
}

function inDigits(text: string, zero: number): string {
  return text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}

/** The digits of a card in groups, with any of the separators that people and programs put. */
function separated(digits: string, draw: Draw): string {
  const groups =
    digits.length === 15
      ? [digits.slice(0, 4), digits.slice(4, 10), digits.slice(10)]
      : draw.of([digits.match(/.{4}/g), digits.match(/.{8}/g), digits.match(/.{4}/g), [...digits]]);
  const gap = draw.of([" ", "\u00a0", "\u202f", "-", "\u2010", "\u2011", "\u2013", "\u2212", ".", "  ", " - "]);
  const written = (groups ?? []).join(gap);
  return draw.below(4) === 0 && gap !== "." ? written.replace(gap, "\n") : written;
}

/** The number of an account in odd groups. */
function regrouped(whole: string, draw: Draw): string {
  const gap = draw.of([" ", "\u00a0", ".", "-", "\u2011", "\u2013", "  "]);
  // The bank's letters stay together.
  const head = /^..\d\d[A-Z]*/.exec(whole)?.[0] ?? "";
  const size = 2 + draw.below(6);
  const rest = whole.slice(head.length).match(new RegExp(`.{1,${size}}`, "g")) ?? [];
  return [head.slice(0, 4), ...(head.length > 4 ? [head.slice(4)] : []), ...rest].join(gap);
}

describe("personal data of every kind", () => {
  const sample = sampleOf({ n: 1_000, seed: 31 });

  function failuresOf(text: (kind: Kind, value: string, draw: Draw) => readonly [string, string]): string[] {
    const failures: string[] = [];
    for (let run = 0; run < sample.n; run++) {
      const draw = drawOf(sample.seed * 1_000_003 + run);
      const kind = kinds[run % kinds.length];
      if (kind === undefined) continue;
      const [lead, value] = text(kind, kind.value(draw), draw);
      const whole = lead + value + draw.of([...letters, " ", ".", ""]);
      const covers = scan("pii", whole, { entities: [kind.entity] }).some(
        ({ start, end, score }) => score >= 0.5 && start === lead.length && end >= lead.length + value.length,
      );
      if (!covers) failures.push(JSON.stringify({ run, entity: kind.entity, whole }));
    }
    reportSample({ n: sample.n, failures: failures.length });
    return failures.slice(0, 5);
  }

  it("is found directly next to the letters of every script", () => {
    expect(failuresOf(({ label }, value, draw) => [label + draw.of(letters), value])).toEqual([]);
  });

  it("is found in the digits of every script", () => {
    expect(zeros.length).toBeGreaterThan(60);
    const isNumber = /\d/;
    expect(
      failuresOf(({ label, entity }, value, draw) => [
        label + draw.of([" ", "(", ...letters]),
        isNumber.test(value) && entity !== "EMAIL" && entity !== "URL" ? inDigits(value, draw.of(zeros)) : value,
      ]),
    ).toEqual([]);
  });
});
