// The detector "toxicity": threats, insults, offensive words, and contempt for people because of what they are. Words and sentences find
// what is said plainly, in many languages; a small model over words finds what offends by its words together, in five. Irony and implied
// contempt need a larger one.

import { reads } from "../../normalize.ts";
import { type Detector, type WindowProbe, withoutInner } from "../../plan.ts";
import { windowsOf } from "../injection/feature.ts";
import { createModelFinder } from "../model-file.ts";
import { exemptionsOf, packParameters } from "../pack/parameter.ts";
import { isExempt, sentenceProbes } from "../pack/pattern.ts";
import { phrasesOfTerms } from "../pack/term.ts";
import { textsParameter } from "../parameter.ts";
import { contemptProbes } from "./contempt.ts";
import { easternContempt } from "./contempt-east.ts";
import { westernContempt } from "./contempt-west.ts";
import { readToxicityModel, type ToxicityModel } from "./model.ts";
import { toxicSentences } from "./sentence.ts";
import { slurs } from "./slur.ts";

/** Words of contempt of all languages. */
export const contemptWords = [...westernContempt, ...easternContempt];
const languages = [...new Set([...toxicSentences.map(({ language }) => language), ...slurs.keys()])].sort();
/** The languages that the model learned. */
const modelLanguages: readonly string[] = ["de", "en", "es", "fr", "hi"];
const offensive = "toxicity.offensive";
const leastScore = 0.2;

/** The detector "toxicity". */
export const toxicity: Detector = {
  definition: {
    id: "toxicity",
    displayName: "Toxicity and hate",
    description:
      "Finds threats, insults, offensive words, calls to self-harm, and contempt for groups of people: by sentences and words of 15 languages, and by a small model over words in English and, less surely, German, French, Spanish and Hindi. What is implied needs a detector backend.",
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

// Without weights the words and sentences remain.
function windowProbe(model: ToxicityModel | undefined, exempt: ReadonlySet<string>): WindowProbe | undefined {
  if (model === undefined) return undefined;
  return {
    windowsOf,
    reach: 0,
    open: () => (text, from, to) => {
      const worst = model.worst(text, from, to);
      if (worst === undefined) return undefined;
      const { start, end, evidence } = worst;
      const score = Math.round(1000 / (1 + Math.exp(model.header.point - evidence))) / 1000;
      if (score < leastScore || (exempt.size > 0 && isExempt(text.slice(start, end), exempt))) return undefined;
      return { category: offensive, start, end, score, attributes: { basis: "words together" } };
    },
  };
}
