// The detector "toxicity": threats, insults, and contempt for people because of what they are. Words and sentences find what is said
// plainly; irony and implied contempt need a model.

import { reads } from "../../normalize.ts";
import { type Detector, withoutInner } from "../../plan.ts";
import { exemptionsOf, packParameters } from "../pack/parameter.ts";
import { sentenceProbes } from "../pack/pattern.ts";
import { phrasesOfTerms } from "../pack/term.ts";
import { textsParameter } from "../parameter.ts";
import { toxicSentences } from "./sentence.ts";
import { slurs } from "./slur.ts";

const languages = [...new Set([...toxicSentences.map(({ language }) => language), ...slurs.keys()])].sort();

/** The detector "toxicity". */
export const toxicity: Detector = {
  definition: {
    id: "toxicity",
    displayName: "Toxicity and hate",
    description:
      "Finds threats, insults, calls to self-harm, and contempt for groups of people, by sentences and words of 16 languages. What is implied needs a detector backend.",
    version: "1.0.0",
    category: "content",
    tags: ["toxicity", "hate", "harassment", "moderation"],
    categories: ["toxicity.harassment", "toxicity.hate", "toxicity.insult", "toxicity.slur", "toxicity.threat"],
    entities: [],
    languages,
    costClass: "constant",
    scope: "local",
    defaultThreshold: 0.5,
    sensitivities: { strict: 0.3, balanced: 0.5, permissive: 0.85 },
    parameters: packParameters(languages),
    references: ["https://arxiv.org/abs/2012.15606"],
    measures: [
      { name: "offensive tweets found", value: 0.217, data: "2,004 English tweets; 0.784 together with profanity" },
      {
        name: "harmless tweets wrongly found",
        value: 0.021,
        data: "431 English tweets; 0.030 together with profanity",
      },
    ],
    examples: [
      { text: "I will kill you and your family.", categories: ["toxicity.threat"] },
      { text: "This process will kill your battery. I hate mondays.", categories: [] },
    ],
    check: () => [],
  },
  plan: (parameters) => {
    const exempt = exemptionsOf(parameters);
    const chosen = textsParameter(parameters, "languages") ?? languages;
    const use = { category: "toxicity.slur", score: 0.8 };
    return {
      reads: reads.normal,
      phrases: chosen.flatMap((language) => phrasesOfTerms(slurs.get(language) ?? [], { ...use, language }, exempt)),
      patterns: sentenceProbes(toxicSentences, chosen, exempt),
      triggers: [],
      sweeps: [],
      settle: withoutInner,
    };
  },
};
