// Overlays find what they say, in every script, and take nothing away.

import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { EvaluateRequestSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { compileEngine } from "../../../../runtime/engine/engine.ts";
import type { Overlay } from "../../../../runtime/engine/languages/overlay.ts";
import { parsePolicy } from "../../../../runtime/engine/policy/parse.ts";
import { context } from "../stream/sample-stream.ts";
import { overlay, term } from "./sample-overlay.ts";

const policy = [
  "apiVersion: policyguard/v1",
  "kind: Policy",
  "metadata: {name: p}",
  "detectors:",
  "  words: {use: keywords, from_packs: [custom]}",
  "  attacks: {use: injection, disguises: false}",
  "rules:",
  ...["words", "attacks", "toxicity"].map(
    (use) => `  - {id: ${use}, stages: [input, output], detect: ${use}, action: FLAG}`,
  ),
].join("\n");

function foundIn(text: string, ...overlays: readonly Overlay[]): string[] {
  const { policy: document, problems } = parsePolicy(policy);
  if (document === undefined) throw new Error(JSON.stringify(problems));
  const scope = { tenantId: "t", appId: "*", agentId: "*", env: "*" };
  const policies = [{ policyId: "p", name: "p", version: 1, scope, document }];
  const engine = compileEngine({ policies, environment: "prod", projectId: "p", overlays });
  const { segments, findings } = engine.evaluate(create(EvaluateRequestSchema, { text }), context);
  return findings.map(({ start, end, category }) => `${category}: ${segments[0]?.text.slice(start, end)}`);
}

/** What an overlay with this one custom term finds. */
function custom(language: string, text: string, wanted: Parameters<typeof term>, matching?: Overlay["matching"]) {
  const terms = { custom: [term(...wanted)] };
  return foundIn(text, overlay(language, { terms, ...(matching !== undefined && { matching }) })).map((each) =>
    each.replace("keywords: ", ""),
  );
}

describe("a term", () => {
  it.each([
    ["pl", "To jest Zielony Słoń!", "zielony słoń", ["Zielony Słoń"]],
    ["pl", "to jest zielony slon", "zielony słoń", ["zielony slon"]],
    ["pl", "zielony słonik", "zielony słoń", []],
    ["de", "ein gruener elefant", "grüner elefant", ["gruener elefant"]],
    ["de", "GROSSE STRASSE", "große straße", ["GROSSE STRASSE"]],
    ["ru", "зеленый слон", "зелёный слон", ["зеленый слон"]],
    ["tr", "YESIL FIL", "yeşil fıl", ["YESIL FIL"]],
    ["zh", "我看到绿色大象了", "绿色大象", ["绿色大象"]],
    ["ja", "みどりの象を見た", "みどりの象", ["みどりの象"]],
    ["th", "ฉันเห็นช้างเขียวตัวหนึ่ง", "ช้างเขียว", ["ช้างเขียว"]],
    ["ar", "رأيت الفِيل الأَخضر", "الفيل الاخضر", ["الفِيل الأَخضر"]],
    ["ar", "فـــيل أخضر", "فيل اخضر", ["فـــيل أخضر"]],
    ["ar", "الفيلم أخضر", "فيل", []],
    ["he", "רָאִיתִי פִּיל יָרֹק", "פיל ירק", ["פִּיל יָרֹק"]],
    ["hi", "मैंने हरा हाथी देखा", "हरा हाथी", ["हरा हाथी"]],
    ["hi", "हिन्दी", "हिंदी", ["हिन्दी"]],
    ["hi", "हाथीदांत", "हाथी", []],
    ["ko", "초록코끼리를 보았다", "초록코끼리", ["초록코끼리"]],
  ])("of %s is found in %j", (language, text, wanted, expected) => {
    expect(custom(language, text, [wanted])).toEqual(expected);
  });

  it("is found after words that are written together with it", () => {
    const matching = { boundary: "word", suffixes: [], prefixes: ["ال", "و", "وال"] } as const;
    expect(custom("ar", "والفيل هنا", ["فيل"], matching)).toEqual(["والفيل"]);
    expect(custom("ar", "كالفيل هنا", ["فيل"], matching)).toEqual([]);
  });

  it("is a stem with the endings of its language, or with any letters where words grow", () => {
    const closed = { boundary: "word", suffixes: ["a", "em"], prefixes: [] } as const;
    expect(custom("pl", "słonem słona słonie", ["słon", { match: "stem" }], closed)).toEqual(["słonem", "słona"]);
    const open = { boundary: "open", suffixes: [], prefixes: [] } as const;
    expect(custom("fi", "norsuillekin norsu", ["norsu", { match: "stem" }], open)).toEqual(["norsuillekin", "norsu"]);
    expect(custom("fi", "aanorsu norsuxxxxxxxxxxxxx", ["norsu", { match: "stem" }], open)).toEqual([]);
  });

  it("is no finding within its exceptions or an allowed phrase", () => {
    const one = ["elefant", { match: "substring", unless: ["elefantenhaus", "weißer elefant"] }] as const;
    expect(custom("de", "Das Elefantenhaus, ein weisser Elefant, Babyelefant", [...one])).toEqual(["elefant"]);
    const allowed = overlay("de", { terms: { custom: [term("elefant")] }, allow: ["rosa  Elefant"] });
    expect(foundIn("ein rosa Elefant, ein Elefant", allowed)).toEqual(["keywords: Elefant"]);
    const arabic = overlay("ar", { terms: { custom: [term("فيل")] }, allow: ["فيل ازرق"] });
    expect(foundIn("فِيل أزرق و فيل", arabic)).toEqual(["keywords: فيل"]);
  });
});

describe("allowed phrases", () => {
  const of = (count: number, text: string) =>
    overlay("pl", {
      terms: { custom: [term("aa"), term("فيل")] },
      allow: Array.from({ length: count }, (_, index) => `${text} ${index}`),
    });

  it("that a term occurs in are limited, since all are compared wherever it stands", () => {
    expect(foundIn("aa", of(200, "nothing of it"))).toEqual(["keywords: aa"]);
    for (const text of ["aa ".repeat(40), "فيل ".repeat(30)])
      expect(() => foundIn("aa", of(200, text))).toThrow("have fewer or shorter ones");
  });

  it("and phrases of exceptions have a bound together, wherever the terms stand in them", () => {
    const terms = Array.from({ length: 320 }, (_, index) => {
      const char = String.fromCharCode(0x4e00 + index);
      return term(char + char, { unless: Array.from({ length: 20 }, (_, less) => `${char.repeat(63 - less)}.`) });
    });
    expect(() => foundIn("x", overlay("zh", { terms: { custom: terms } }))).toThrow("more than 300,000 places");
    expect(foundIn("一一 一一.", overlay("zh", { terms: { custom: terms.slice(0, 20) } }))).toEqual([
      "keywords: 一一",
      "keywords: 一一",
    ]);
  });

  it("are exceptions of patterns in every spelling", () => {
    const patterns = [{ id: "pl.x", category: "injection", pattern: "zignoruj\\s+słonia", score: 0.9 }];
    const allowing = overlay("pl", { patterns, allow: ["Nigdy  nie ZIGNORUJ słonia"] });
    expect(foundIn("nigdy nie zignoruj  słonia; zignoruj słonia", allowing)).toEqual([
      "injection.wording: zignoruj słonia",
    ]);
  });
});

describe("an overlay", () => {
  it("feeds the detector of its category, with a pattern too, and says where a finding comes from", () => {
    const patterns = [{ id: "pl.x", category: "injection", pattern: "zignoruj\\s+słonia", score: 0.9 }];
    const terms = { toxicity: [term("ty słoniu")], drugs: [term("zielone słonie")] };
    const found = foundIn("Zignoruj  słonia, ty słoniu, zielone słonie", overlay("pl", { terms, patterns }));
    expect(found).toEqual(["injection.wording: Zignoruj  słonia", "toxicity.offensive: ty słoniu"]);
  });
});
