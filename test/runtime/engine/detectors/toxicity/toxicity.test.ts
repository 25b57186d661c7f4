import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { readCorpus } from "../../../../../models/training/row.ts";
import { readToxicityModel } from "../../../../../runtime/engine/detectors/toxicity/model.ts";
import { WordReader } from "../../../../../runtime/engine/detectors/toxicity/word.ts";
import { compileDetectors } from "../../../../../runtime/engine/scan/scanner.ts";
import { shippedModels } from "../../../../../src/kit/process/model-file.ts";

function toxicity(parameters: JsonObject = {}) {
  const spec = { key: "toxicity", use: "toxicity", parameters };
  const scanner = compileDetectors([spec], { models: shippedModels() });
  return (text: string) => (scanner.scan(text).get("toxicity") ?? []).filter(({ score }) => score >= 0.5);
}

const scan = toxicity();
const offensive = "these stupid ass hoes ain't shit bruh, dumb bitches";

function wordsOf(text: string): string[] {
  const reader = new WordReader();
  const count = reader.read(text, 0, text.length);
  return Array.from({ length: count }, (_, i) => text.slice(reader.starts[i], reader.ends[i]));
}

describe("toxicity", () => {
  it("finds with its model what no list of words or sentences finds", () => {
    expect(scan(offensive).map(({ category }) => category)).toContain("toxicity.offensive");
    expect(toxicity({ model: false })(offensive)).toEqual([]);
    expect(toxicity({ languages: ["ja"] })(offensive)).toEqual([]);
    expect(toxicity({ exempt: ["hoes"] })(offensive)).toEqual([]);
  });

  it("marks the offensive words of a long text and not their surroundings", () => {
    const around = "The committee met on Tuesday and agreed on the budget for the coming year. ".repeat(4);
    const text = `${around}${offensive}. ${around}`;
    const found = scan(text).filter(({ category }) => category === "toxicity.offensive");
    expect(found.length).toBeGreaterThanOrEqual(1);
    for (const { start, end } of found) {
      expect(start).toBeGreaterThanOrEqual(around.length - 80);
      expect(end).toBeLessThanOrEqual(text.length - around.length + 80);
    }
  });

  it.each([
    "Le train est en retard de dix minutes, pardon pour le retard.",
    "Til slut kom toget. Filmen är slut.",
    "Connect to the mongo shell and list the collections.",
    "Wisata kuliner: saya suka nasi goreng.",
    "La guerra di Troia durò dieci anni.",
    "Sie fiel in Transe; ihr Arbeitgeber war nicht dabei.",
    "भारत ने आखिरी गेंद पर छक्का मारा।",
    "Pack out all your trash and leave no trace.",
    "Hoe oud ben je? Hoe kom ik hier?",
    "Frauen",
    "Was sagen Muslime zum Fasten?",
    "la camisa negra",
    "Hvor mange fag tar du?",
    "Here is a guitar tab: A D E A, A D E A, A D E A",
    "You'd only shoot yourself in the foot.",
    "My hoe broke while I was weeding; a chink of light fell through the shed.",
    "If you say that Jews are inferior, you are wrong.",
  ])("finds nothing in %j", (text) => {
    expect(scan(text)).toEqual([]);
  });

  it.each([
    ["en", "Those people should all be wiped out."],
    ["de", "Ausländer haben hier nichts verloren."],
    ["fr", "Les étrangers sont des parasites."],
    ["es", "Las mujeres no merecen votar."],
    ["it", "Gli zingari dovrebbero sparire."],
    ["pt", "Os imigrantes destroem o nosso país."],
    ["nl", "Vluchtelingen moeten oprotten."],
    ["pl", "Cyganie to pasożyty."],
    ["ru", "Мигранты — это паразиты."],
    ["tr", "Mültecilerden nefret ediyorum."],
    ["ar", "المهاجرون حثالة."],
    ["hi", "दलितों से नफरत है मुझे।"],
    ["zh", "移民都是寄生虫。"],
    ["ja", "移民は国に帰れ。"],
    ["ko", "난민은 다 추방해야 한다."],
  ])("finds contempt in %s: %j", (language, text) => {
    const found = toxicity({ model: false, languages: [language] })(text);
    expect(found.map(({ category }) => category)).toContain("toxicity.hate");
  });

  it.each([
    "Women are not inferior.",
    "It is wrong to call immigrants parasites.",
    "Ausländer sind keine Parasiten.",
    "Frauen dumm zu nennen ist falsch.",
    "Les étrangers ne sont pas des parasites.",
    "Los gitanos no son escoria.",
    "Мигранты не паразиты.",
    "移民不是垃圾。",
  ])("leaves out what denies or reports contempt: %j", (text) => {
    expect(toxicity({ model: false })(text)).toEqual([]);
  });

  it("finds hardly anything in the innocent texts of the corpus", () => {
    const texts = readCorpus().filter(({ isAttack }, index) => !isAttack && index % 5 === 0);
    expect(texts.length).toBeGreaterThan(2_000);
    expect(texts.filter(({ text }) => scan(text).length > 0).length / texts.length).toBeLessThanOrEqual(0.002);
  });

  it("reads words without addresses and names", () => {
    expect(wordsOf("Hey @someone, see https://example.com/you-idiot and f*ck it!")).toEqual([
      ..."Hey see and f*ck it".split(" "),
    ]);
  });

  it("reads a letter that is drawn out as one", () => {
    const reader = new WordReader();
    const featuresOf = (text: string) => [...reader.features.slice(0, reader.read(text, 0, text.length) * 3)];
    expect(featuresOf("fuuuuuck")).toEqual(featuresOf("fuck"));
    expect(featuresOf("ass")).not.toEqual(featuresOf("as"));
  });

  it("refuses weights that are none", () => {
    expect(() => readToxicityModel(Buffer.from("PGGM0000"))).toThrow("no model");
    const weights = shippedModels().get("toxicity");
    expect(() => readToxicityModel((weights ?? new Uint8Array()).subarray(0, 5_000))).toThrow("another version");
  });
});
