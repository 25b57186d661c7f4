// What people at risk say, and what only sounds so.

import { describe, expect, it } from "vitest";
import { selfHarmRows } from "../../../../../bench/detection/generated/self-harm.ts";
import { readCorpus } from "../../../../../models/training/row.ts";
import { scan } from "../scan.ts";

const isFound = (text: string): boolean => scan("self_harm", text).some(({ score }) => score >= 0.5);

const figures: readonly string[] = [
  "I want to die laughing every time she tells that story.",
  "I don't want to live in the city any more.",
  "Je ne veux plus vivre à Paris.",
  "No quiero vivir en Madrid.",
  "Não quero mais viver em São Paulo.",
  "Хочу умереть от смеха.",
  "Ankara'da yaşamak istemiyorum.",
  "لا أريد أن أعيش في القاهرة.",
  "Our school runs a suicide prevention week in September.",
  "In chapter three the villain says he wants to kill himself.",
];

describe("self-harm", () => {
  it.each(figures)("is not in %j", (text) => {
    expect(isFound(text)).toBe(false);
  });

  it("is found in the texts that it was tuned on, and in no harmless one of them", () => {
    const rows = selfHarmRows("dev");
    expect(rows.filter(({ text, isAttack }) => isFound(text) !== isAttack).map(({ text }) => text)).toEqual([]);
  });

  it("is found in nearly all of the texts that it was not tuned on, and in hardly a harmless one", () => {
    const rows = selfHarmRows("test");
    const shareOf = (isAttack: boolean): number => {
      const those = rows.filter((row) => row.isAttack === isAttack);
      return those.filter(({ text }) => isFound(text)).length / those.length;
    };
    expect(shareOf(true)).toBeGreaterThanOrEqual(0.97);
    expect(shareOf(false)).toBeLessThanOrEqual(0.01);
  });

  it("is hardly in the innocent texts of the corpus", () => {
    const texts = readCorpus().filter(({ isAttack }) => !isAttack);
    expect(texts.filter(({ text }) => isFound(text)).length).toBeLessThanOrEqual(5);
  });
});
