// Overlays for tests: of a few words, and random ones.

import type { Random } from "../../../../runtime/engine/authoring/seeded-random.ts";
import type { Overlay, OverlayTerm } from "../../../../runtime/engine/languages/overlay.ts";
import { oneOf } from "../stream/sample-stream.ts";

/** A term with the usual settings. */
export function term(text: string, more: Partial<OverlayTerm> = {}): OverlayTerm {
  return { term: text, match: "word", score: 0.8, unless: [], layer: "pack", ...more };
}

/** An overlay with some terms. */
export function overlay(language: string, more: Partial<Overlay> = {}): Overlay {
  return {
    ...{ api_version: "policyguard/v1", kind: "LanguageOverlay", language, version: "1.0.0", scripts: ["Latn"] },
    matching: { boundary: "word", suffixes: [], prefixes: [] },
    ...{ terms: {}, patterns: [], allow: [] },
    ...more,
  };
}

const words = [
  ..."kill|secret|bird|skill|new york|casino|the quick|dog|über|STRASSE|straße|и|Москва|пароль|день|café|quiz".split(
    "|",
  ),
  ..."秘密|今日|日は|안녕|ждать|قتل|سلاح|אקדח|हथियार|हिंदी|กัญชา|jumps over|lazy dog. and|x|1 22|o'brien|ann@".split("|"),
];
const around = ["the ", " now", "  x", "in ", "er", "ing", "。", " den"];
const categories = ["toxicity", "injection", "profanity", "self_harm", "custom", "drugs"];
const languages = ["de", "fi", "ar", "hi", "ja", "ru", "tr", "th"];

/** A random overlay. Its terms occur in the texts of `sampleText`, whole and in part. */
export function randomOverlay(random: Random): Overlay {
  const terms: Record<string, OverlayTerm[]> = {};
  for (let i = 0; i < 8; i++) {
    const text = oneOf(words, random);
    const unless = random() < 0.4 ? [`${oneOf(["", ...around], random)}${text}${oneOf(around, random)}`] : [];
    const match = oneOf(["word", "stem", "substring"] as const, random);
    const layer = oneOf(["pack", "custom"] as const, random);
    const category = oneOf(categories, random);
    const one = term(text, { unless, match, layer, score: oneOf([0.5, 0.8, 0.9], random) });
    terms[category] = [...(terms[category] ?? []), one];
  }
  return overlay(oneOf(languages, random), {
    terms,
    matching: { boundary: oneOf(["word", "open"] as const, random), suffixes: ["s", "er", "ы"], prefixes: ["ال", "و"] },
    patterns:
      random() < 0.5
        ? [{ id: "x.one", category: "injection", pattern: "quick\\s+brown\\s+(?:fox|dog)", score: 0.9 }]
        : [],
    allow: random() < 0.3 ? [`${oneOf(words, random)} ${oneOf(words, random)}`] : [],
  });
}

const pieces = [...around, " ", "  ", "\n", ".", "ِ", "ـ", "ּ", "़", "و", "ال", "ह", "s", "'", "ß", "", "      "];

/** A text of the words of random overlays, whole, in part and in disguise, between other texts. */
export function overlayText(random: Random, other: string): string {
  let text = other.slice(0, Math.floor(random() * other.length));
  const count = Math.floor(random() * 24);
  for (let i = 0; i < count; i++) {
    const word = oneOf(words, random);
    const kind = random();
    if (kind < 0.5) text += word;
    else if (kind < 0.6) text += word.slice(0, 1 + Math.floor(random() * word.length));
    else if (kind < 0.7) text += word.slice(0, 2) + oneOf(pieces, random) + word.slice(2);
    else text += oneOf(pieces, random);
    if (random() < 0.3) text += " ";
  }
  return text + other.slice(Math.floor(random() * other.length));
}
