// Obfuscations that attackers apply to a text. The same seed always gives the same result.

import { type Random, seededRandom } from "./seeded-random.ts";

/** The obfuscations. */
export const mutationNames = ["homoglyphs", "zero_width", "leetspeak", "base64", "spacing", "case"] as const;

/** An obfuscation. */
export type MutationName = (typeof mutationNames)[number];

/** Obfuscates a text. */
export function mutate(text: string, mutation: MutationName, seed: number): string {
  return mutations[mutation](text, seededRandom(seed));
}

const mutations: Readonly<Record<MutationName, (text: string, random: Random) => string>> = {
  homoglyphs: (text, random) => replaced(text, lookalikes, 0.6, random),
  zero_width: (text, random) =>
    text.replace(/(?<=\p{L})(?=\p{L})/gu, () => (random() < 0.4 ? oneOf(unseen, random) : "")),
  leetspeak: (text, random) => replaced(text, digits, 0.6, random),
  base64: (text) => Buffer.from(text).toString("base64"),
  spacing: (text) => text.replace(/\p{L}{4,}/gu, (word) => [...word].join(" ")),
  case: (text, random) =>
    text.replace(/\p{L}/gu, (letter) => (random() < 0.5 ? letter.toUpperCase() : letter.toLowerCase())),
};

/** Letters of other alphabets that look like Latin ones. */
const lookalikes: ReadonlyMap<string, string> = new Map(
  [..."aа cс eе iі jј oо pр sѕ xх yу hһ AА BВ CС EЕ HН IІ KК MМ OО PР SЅ TТ XХ".split(" ")].map((pair) => [
    pair[0] ?? "",
    pair[1] ?? "",
  ]),
);

const digits: ReadonlyMap<string, string> = new Map(Object.entries({ a: "4", e: "3", i: "1", o: "0", s: "5", t: "7" }));

const unseen = ["\u200b", "\u200c", "\u200d", "\u2060"];

function replaced(text: string, table: ReadonlyMap<string, string>, share: number, random: Random): string {
  return [...text].map((char) => (table.has(char) && random() < share ? table.get(char) : char)).join("");
}

function oneOf(items: readonly string[], random: Random): string {
  return items[Math.floor(random() * items.length)] ?? "";
}
