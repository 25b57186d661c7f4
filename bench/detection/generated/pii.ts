// Texts with personal data whose places are known, made up for the bench: numbers of the numbering plans of 240
// countries, accounts, cards and addresses in sentences of 15 languages, and sentences with other numbers.

import { type Draw, drawOf } from "./draw.ts";
import { innocent, templates } from "./pii-template.ts";
import { card, email, iban, ip, phone, ssn, url } from "./pii-value.ts";

/** A text and what is in it. */
export interface SpannedText {
  readonly text: string;
  readonly spans: readonly { readonly type: string; readonly start: number; readonly end: number }[];
}

/** Kinds of draws: one for tuning, one that is only measured. */
export type DrawName = keyof typeof templates;

const seeds = { dev: 4_711, test: 20_261_120 };
const rounds = { dev: 40, test: 25 };
const perRound = { innocent: 4 };

const others: Readonly<Record<string, (draw: Draw) => string>> = {
  ORDER: (draw) => draw.digits(6 + draw.below(6)),
  DATE: (draw) => draw.of(["2026-03-14", "14.03.2026", "03/14/2026", "14 March 2026", "2025-11-02 08:15"]),
  TIME: (draw) => draw.of(["17:30", "5 pm", "09.15", "8:00"]),
  PRICE: (draw) => draw.of(["1,249.00", "49.90", "1 200", "12.500,00", "$3,200"]),
  VERSION: (draw) => draw.of(["4.17.21", "10.2.1-rc3", "2026.11.0", "v1.0.33"]),
  YEARS: (draw) => draw.of(["1998-2004", "2019/2020", "1987"]),
  ROOM: (draw) => draw.digits(3 + draw.below(2)),
  ISBN: (draw) => draw.of(["978-3-16-148410-0", "0-306-40615-2"]),
  TRACKING: (draw) => draw.of([`1Z${draw.digits(16)}`, `RR${draw.digits(9)}DE`, draw.digits(12)]),
  EPOCH: (draw) => `17${draw.digits(11)}`,
};

/** The texts of a draw. */
export function generatedPii(name: DrawName): SpannedText[] {
  const draw = drawOf(seeds[name]);
  const texts: SpannedText[] = [];
  for (let round = 0; round < rounds[name]; round++) {
    for (const { country, sentences } of templates[name])
      for (const sentence of sentences)
        texts.push(
          filled(sentence, draw, {
            ...{ PHONE: () => phone(draw, country), EMAIL: () => email(draw), IBAN: () => iban(draw) },
            ...{ CREDIT_CARD: () => card(draw), SSN: () => ssn(draw), IP: () => ip(draw), URL: () => url(draw) },
          }),
        );
    for (let i = 0; i < perRound.innocent; i++)
      for (const sentence of innocent[name]) texts.push(filled(sentence, draw, {}));
  }
  return texts;
}

function filled(sentence: string, draw: Draw, kinds: Readonly<Record<string, () => string>>): SpannedText {
  const spans: { type: string; start: number; end: number }[] = [];
  let text = "";
  for (const part of sentence.split(/(\{[A-Z]+\})/)) {
    const slot = /^\{([A-Z]+)\}$/.exec(part)?.[1];
    const type = slot === "CARD" ? "CREDIT_CARD" : (slot ?? "");
    const value = slot === undefined ? part : (kinds[type]?.() ?? others[type]?.(draw));
    if (value === undefined) throw new Error(`nothing fills ${part}`);
    if (type in kinds) spans.push({ type, start: text.length, end: text.length + value.length });
    text += value;
  }
  return { text, spans };
}
