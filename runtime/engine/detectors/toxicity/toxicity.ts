// The detector "toxicity" finds threats, insults, offensive words, and contempt for people because of what they are.
// Words and sentences find plain statements in many languages; a small model finds offensive combinations of words in
// five. Irony and implied contempt need a larger model.

import { ofLanguages } from "../../languages/catalog.ts";
import { reads } from "../../text/normalize.ts";
import { type Detector, type ScoreWindow, type WindowProbe, withoutInner } from "../detector-plan.ts";
import { windowsOf } from "../injection/feature.ts";
import { createModelFinder } from "../model-file.ts";
import { exemptionsOf, packParameters } from "../pack/parameter.ts";
import { isExempt, type SentenceRule, sentenceProbes } from "../pack/pattern.ts";
import { phrasesOfTerms } from "../pack/term.ts";
import { textsParameter } from "../parameter.ts";
import { type Contempt, contemptProbes } from "./contempt.ts";
import { readToxicityModel, type ToxicityModel } from "./model.ts";

/** The sentences of all languages. */
export const toxicSentences: readonly SentenceRule[] = ofLanguages(
  ({ toxicity }) => toxicity?.sentences,
  "en de fr es pt it nl pl ru tr hi zh ja ko ar",
).flatMap(([language, sentences]) =>
  sentences.map(({ kind, score, pattern }) => ({ category: `toxicity.${kind}`, language, score, pattern })),
);

/** Words of contempt of all languages. */
export const contemptWords: readonly Contempt[] = ofLanguages(({ toxicity }) => toxicity?.contempt, "en de fr es").map(
  ([language, words]) => ({ ...words, language }),
);

const slurs: ReadonlyMap<string, readonly string[]> = new Map(ofLanguages(({ toxicity }) => toxicity?.slurs));
const languages = ofLanguages(({ toxicity }) => toxicity)
  .map(([language]) => language)
  .sort();
/** The languages of the model's training data. */
const modelLanguages: readonly string[] = ["de", "en", "es", "fr", "hi"];
const offensive = "toxicity.offensive";
const minScore = 0.2;

/** The detector "toxicity". */
export const toxicity: Detector = {
  definition: {
    id: "toxicity",
    displayName: "Toxicity and hate",
    description: `Finds threats, insults, offensive words, calls to self-harm, and contempt for groups of people: by sentences and words of ${languages.length} languages, and by a small model over words in English and, less surely, German, French, Spanish and Hindi. What is implied needs a detector backend.`,
    version: "1.1.0",
    category: "content",
    tags: ["toxicity", "hate", "harassment", "moderation"],
    categories: [
      "toxicity.harassment",
      "toxicity.hate",
      "toxicity.insult",
      offensive,
      "toxicity.slur",
      "toxicity.threat",
    ],
    entities: [],
    languages,
    costClass: "model",
    scope: "window",
    defaultThreshold: 0.5,
    floor: 0,
    sensitivities: { strict: 0.3, balanced: 0.5, permissive: 0.85 },
    parameters: packParameters(languages, {
      model: {
        type: "boolean",
        description:
          "Whether the model judges windows of the text beside the words and sentences. Without it less is found, and streams are released sooner.",
        default: true,
      },
    }),
    references: ["https://arxiv.org/abs/1703.04009", "https://arxiv.org/abs/2012.15606"],
    measures: [
      {
        name: "offensive tweets found",
        value: 0.883,
        data: "2,004 English tweets, not trained on; 0.917 together with profanity",
      },
      {
        name: "other tweets wrongly found",
        value: 0.032,
        data: "431 English tweets, not trained on; 0.035 together with profanity",
      },
      {
        name: "recall beyond tweets",
        value: 0.72,
        data: "157 sentences in 15 languages, written apart from the detector, of which only totals were looked at while it was mended; 0.041 of 147 that come close are wrongly found",
      },
      {
        name: "ordinary texts wrongly found",
        value: 0.001,
        data: "3,810 texts, not trained on; none of 2,453 hard ones",
      },
    ],
    examples: [
      { text: "I will kill you and your family.", categories: ["toxicity.threat"] },
      { text: "This process will kill your battery. I hate mondays.", categories: [] },
    ],
    check: () => [],
  },
  plan: (parameters, models) => {
    const exempt = exemptionsOf(parameters);
    const chosen = textsParameter(parameters, "languages") ?? languages;
    const use = { category: "toxicity.slur", score: 0.8 };
    const isModelled = parameters.model !== false && chosen.some((language) => modelLanguages.includes(language));
    return {
      reads: reads.normal,
      phrases: chosen.flatMap((language) => phrasesOfTerms(slurs.get(language) ?? [], { ...use, language }, exempt)),
      patterns: [...sentenceProbes(toxicSentences, chosen, exempt), ...contemptProbes(contemptWords, chosen, exempt)],
      triggers: [],
      sweeps: [],
      window: isModelled ? windowProbe(modelOf(models), exempt) : undefined,
      settle: withoutInner,
    };
  },
};

const modelOf = createModelFinder("toxicity", readToxicityModel);

// Without weights, only words and sentences are found.
function windowProbe(model: ToxicityModel | undefined, exempt: ReadonlySet<string>): WindowProbe | undefined {
  if (model === undefined) return undefined;
  const scoreFrom =
    (minScore: number): ScoreWindow =>
    (text, from, to) => {
      const worst = model.worst(text, from, to);
      if (worst === undefined) return undefined;
      const { start, end, evidence } = worst;
      const score = Math.round(1000 / (1 + Math.exp(model.header.point - evidence))) / 1000;
      if (score < minScore || (exempt.size > 0 && isExempt(text.slice(start, end), exempt))) return undefined;
      return { category: offensive, start, end, score, attributes: { basis: "words together" } };
    };
  return { windowsOf, reach: 0, open: () => scoreFrom(minScore), faint: () => scoreFrom(0) };
}
