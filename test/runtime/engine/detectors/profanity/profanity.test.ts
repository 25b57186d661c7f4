// The Scunthorpe problem: innocent words and names that hold, or are, a coarse word of some language.

import { describe, expect, it } from "vitest";
import { readCorpus } from "../../../../../models/training/row.ts";
import { compileDetectors } from "../../../../../runtime/engine/scan/scanner.ts";

const scanner = compileDetectors([{ key: "profanity", use: "profanity", parameters: {} }], {});
const found = (text: string) =>
  (scanner.scan(text).get("profanity") ?? []).map(({ start, end }) => text.slice(start, end));

describe("profanity", () => {
  it.each([
    "I live in Scunthorpe, near Penistone, Clitheroe and Lightwater.",
    "Essex, Sussex and Middlesex; Arsenal's cockpit crew; a shiitake cocktail.",
    "Dickens, Hancock and Cummings assess the class in analysis and bass.",
    "The therapist drew a grape on the title page of the constitution.",
    "Herbs and spices for the cocker spaniel's dinner.",
    "How to kill a process that is tied up; the girl on the left wears a tight white shirt.",
    "Chut, le bébé dort.",
    "Hvilke fag har du på skolen? Til slut kom toget.",
    "Saya suka membaca; moja suka ma szczeniaki; у нас есть щенок.",
    "Majina mazuri ya watoto wa kike. Paki send po ng file.",
    "请将《速度与激情》分为动作片。妈妈的办公室,适合爸妈的手机。",
    "女の子が庭でいたずらをした。",
    "뒤를 돌아보지 마세요. 안 보지?",
    "Das Buch ist dick und die Fahrt war lang.",
    "Ông Nguyễn Phúc sống ở Huế.",
    "The anal-retentive editor analyzed the canal.",
    "Uma cerveja, por favor; a torneira pinga e a aranha fugiu. Busco un martillo y una concha.",
    "Jajko na miękko. Какая разница, голый король или нет? Een asbak, schatje, en de hond uitlaten.",
    "この映画は嫌いです。ファンタジー小説を挿入する。请说明材料的刚度和卵子的作用。",
    "Brad Pitt är hård. Un pesce e una quaglia; bisogna tirare e battere. Marha és franc.",
    "watashi wa benkyou shite imasu",
  ])("finds nothing in %j", (text) => {
    expect(found(text)).toEqual([]);
  });

  it.each([
    ["What the fucking hell is this shit?", ["fucking", "shit"]],
    ["Verdammte Scheiße, du Arschloch", ["Scheiße", "Arschloch"]],
    ["Quelle merde, putain, ils sont cons, ces connards", ["merde", "putain", "connards"]],
    ["vete a la mierda, gilipollas", ["gilipollas"]],
    ["Что за пиздец", ["пиздец"]],
    ["bitches and assholes", ["bitches", "assholes"]],
    ["Diese Arschlöcher und Hurensöhne, so ein Wichser", ["Hurensöhne", "Wichser"]],
    ["cabrones, gilipollas, pendejos", ["cabrones", "pendejos"]],
    ["эти мудаки и ебаные козлы", ["мудаки", "ебаные"]],
    ["який пиздець, нахуй", ["пиздець", "нахуй"]],
  ])("finds the words of %j", (text, words) => {
    for (const word of words) expect(found(text)).toContain(word);
  });

  it("finds hardly anything in the innocent texts of the corpus", () => {
    const texts = readCorpus().filter(({ isAttack }) => !isAttack);
    expect(texts.filter(({ text }) => found(text).length > 0).length / texts.length).toBeLessThanOrEqual(0.001);
  });
});
