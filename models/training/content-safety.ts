// The texts of the detector "content_safety" for training and measuring: wishes to do harm in models/safety, beside
// innocent texts in the same words.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { damping, kindFeatureCount, kindFeatureOf } from "../../runtime/engine/detectors/content-safety/model.ts";
import { WordReader } from "../../runtime/engine/detectors/content-safety/word.ts";
import { spansOf, spanWords } from "../../runtime/engine/detectors/toxicity/model.ts";
import { type Row, readRows } from "./row.ts";
import { type KindWeights, learnKinds } from "./softmax.ts";
import type { StretchExample, StretchWeights } from "./stretch.ts";

/** The texts of this repository. */
export const safetyFolder = fileURLToPath(new URL("../safety/", import.meta.url));

/**
 * The category of each family of wishes. Families without one are not offered: of contempt for groups and of dangerous
 * advice too little is found for what is found wrongly. Their innocent texts teach all the same.
 */
export const categoryOfFamily: Readonly<Record<string, string | undefined>> = {
  cyber_abuse: "content_safety.code_abuse",
  fraud_scam: "content_safety.illicit",
  harassment_insult: "content_safety.harassment",
  illegal_drugs: "content_safety.illicit",
  privacy_violation: "content_safety.privacy",
  misinformation_election: "content_safety.elections",
  regulated_goods: "content_safety.illicit",
  self_harm: "content_safety.self_harm",
  sexual_explicit: "content_safety.sexual",
  violence_threat: "content_safety.violence",
  weapons: "content_safety.weapons",
};

/** The family of plain wishes to do harm in the corpus: innocent to the detector "injection". */
export const harmfulQuestion = "harmful_question";

/** How much texts count: innocent ones that look like wishes most. */
const weights = { harmful: 1, alike: 3, innocent: 0.7 } as const;
const longest = 4_000;
const reader = new WordReader();

/** The language in which wishes are found. */
export const offeredLanguage = "en";

/** The wishes of a folder in the families and the language that are offered, and all of its innocent texts. */
export function readSafety(folder = safetyFolder): Row[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  return files
    .sort()
    .flatMap((name) => readRows(join(folder, name), "flagged"))
    .filter(isOffered);
}

/** Whether the model may learn from a text: from all innocent ones, and from wishes of what is offered. */
export function isOffered({ isAttack, kind, lang }: Pick<Row, "isAttack" | "kind" | "lang">): boolean {
  return !isAttack || (lang === offeredLanguage && categoryOfFamily[kind] !== undefined);
}

/** Whether an innocent text was written to look like a wish to do harm. */
export function isAlike({ isAttack, kind }: Pick<Row, "isAttack" | "kind">): boolean {
  return !isAttack && kind !== "general";
}

/** Whether a text of the corpus, whose labels are about injection, asks for no harm. */
export function isInnocent({ isAttack, kind }: Pick<Row, "isAttack" | "kind">): boolean {
  return !isAttack && kind !== harmfulQuestion;
}

/** A text as the training reads it. */
export function safetyExample(row: Row): StretchExample {
  const weight = row.isAttack ? weights.harmful : isAlike(row) ? weights.alike : weights.innocent;
  return { stretches: stretchesIn(row.text), isFound: row.isAttack, weight };
}

/** The evidence of the span of an example that looks most harmful. */
export function evidenceOf({ stretches }: StretchExample, { weights: learned, bias }: StretchWeights): number {
  return stretches.reduce((most, features) => {
    let sum = 0;
    for (const feature of features) sum += learned[feature] ?? 0;
    return Math.max(most, bias + sum / Math.sqrt(features.length + damping));
  }, Number.NEGATIVE_INFINITY);
}

/** Learns what the categories look like, in the order of `names`. */
export function learnCategories(rows: readonly Row[], names: readonly string[], seed: number): KindWeights {
  const lessons = rows.flatMap((row) => {
    const kind = names.indexOf(categoryOfFamily[row.kind] ?? "");
    return stretchesIn(row.text).map((features) => ({
      kind,
      features: features.map(kindFeatureOf),
      share: 1 / Math.sqrt(features.length + damping),
    }));
  });
  return learnKinds(lessons, { seed, kinds: names.length, featureCount: kindFeatureCount });
}

function stretchesIn(text: string): Int32Array[] {
  const count = reader.read(text, 0, Math.min(text.length, longest));
  if (count === 0) return [];
  return spansOf(count).map((begin) => reader.featuresIn(begin, Math.min(count, begin + spanWords)).slice());
}
