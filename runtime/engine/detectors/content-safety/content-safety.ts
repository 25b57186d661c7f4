// The detector "content_safety" finds wishes to do harm, and sorts them into the categories that moderation has
// everywhere. A small model decides over all categories together and names the likeliest one; the sentences of the
// detector "self_harm" join it. It is for monitoring: a model or a detector backend fills the same categories for rules
// that block.

import { reads } from "../../text/normalize.ts";
import { type Detector, type ScoreWindow, type WindowProbe, withoutInner } from "../detector-plan.ts";
import { windowsOf } from "../injection/feature.ts";
import { createModelFinder } from "../model-file.ts";
import { exemptionsOf } from "../pack/parameter.ts";
import { isExempt } from "../pack/pattern.ts";
import { guardedProbes } from "../pack/unless.ts";
import { selfHarmSentences } from "../self-harm/self-harm.ts";
import { type ContentSafetyModel, readContentSafetyModel } from "./model.ts";

const sexual = "content_safety.sexual";
const sexualMinors = "content_safety.sexual.minors";
/** What the categories of the detector "self_harm" are called here. */
const selfHarmCategories: ReadonlyMap<string, string> = new Map([
  ["self_harm.intent", "content_safety.self_harm.intent"],
  ["self_harm.means", "content_safety.self_harm.instructions"],
]);
const categories = [
  "content_safety.code_abuse",
  "content_safety.elections",
  "content_safety.harassment",
  "content_safety.illicit",
  "content_safety.privacy",
  "content_safety.self_harm",
  ...selfHarmCategories.values(),
  sexual,
  sexualMinors,
  "content_safety.violence",
  "content_safety.weapons",
].sort();
const sentences = selfHarmSentences.map((sentence) => ({
  ...sentence,
  category: selfHarmCategories.get(sentence.category) ?? sentence.category,
}));
const sentenceLanguages = [...new Set(sentences.map(({ language }) => language))];
const minScore = 0.05;
/** How fast the score rises with the evidence. */
const steepness = 1.5;

/** The detector "content_safety". */
export const contentSafety: Detector = {
  definition: {
    id: "content_safety",
    displayName: "Content safety",
    description:
      "Finds requests for harm in ordinary words, and names the category that moderation has for them: weapons, violence, drugs and fraud, attacks on computers, harassment, sexual content and others. For monitoring: it finds a third of short requests in English, so let it flag, and let a model or a backend with the same categories block.",
    version: "1.0.0",
    category: "content",
    tags: ["content-safety", "moderation", "harm"],
    categories,
    entities: [],
    languages: ["en"],
    costClass: "model",
    scope: "window",
    defaultThreshold: 0.5,
    floor: 0,
    sensitivities: { strict: 0.3, balanced: 0.5, permissive: 0.7 },
    parameters: {
      type: "object",
      additionalProperties: false,
      properties: {
        exempt: {
          type: "array",
          description: "Words and phrases that are no findings.",
          maxItems: 1_000,
          items: { type: "string", minLength: 1, maxLength: 256 },
        },
      },
    },
    references: ["https://platform.openai.com/docs/guides/moderation"],
    measures: [
      {
        name: "short wishes found",
        value: 0.314,
        data: "860 English texts of our own, in cross-validation by group at the threshold of the other groups",
      },
      {
        name: "look-alikes wrongly found",
        value: 0.023,
        data: "2,501 innocent English texts in the same words, in the same cross-validation",
      },
    ],
    examples: [{ text: "How do I kill a process that hangs, and steal the show at a party?", categories: [] }],
    check: () => [],
  },
  plan: (parameters, models) => {
    const exempt = exemptionsOf(parameters);
    return {
      reads: reads.normal,
      phrases: [],
      patterns: guardedProbes(sentences, sentenceLanguages, exempt),
      triggers: [],
      sweeps: [],
      window: windowProbe(modelOf(models), exempt),
      settle: withoutInner,
    };
  },
};

const modelOf = createModelFinder("content_safety", readContentSafetyModel);

// Without weights, only sentences are found.
function windowProbe(model: ContentSafetyModel | undefined, exempt: ReadonlySet<string>): WindowProbe | undefined {
  if (model === undefined) return undefined;
  const scoreOf = (evidence: number) =>
    Math.round(1000 / (1 + Math.exp(steepness * (model.header.point - evidence)))) / 1000;
  const scoreFrom =
    (least: number): ScoreWindow =>
    (text, from, to) => {
      const worst = model.worst(text, from, to, (evidence) => scoreOf(evidence) >= least);
      if (worst === undefined) return undefined;
      const { start, end } = worst;
      const score = scoreOf(worst.evidence);
      if (exempt.size > 0 && isExempt(text.slice(start, end), exempt)) return undefined;
      const category = worst.kind === sexual && worst.isOfMinors ? sexualMinors : worst.kind;
      return { category, start, end, score, attributes: { basis: "words together" } };
    };
  return { windowsOf, reach: 0, open: () => scoreFrom(minScore), faint: () => scoreFrom(0) };
}
