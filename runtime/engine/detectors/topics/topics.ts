// The detector "topics" finds the topic of a text, by words that occur only in texts about it.

import { reads } from "../../text/normalize.ts";
import { type Detector, withoutInner } from "../detector-plan.ts";
import { exemptionsOf, packParameters } from "../pack/parameter.ts";
import { phrasesOfTerms } from "../pack/term.ts";
import { textsParameter } from "../parameter.ts";
import { topicTerms } from "./list.ts";

const names = Object.keys(topicTerms).sort();
const languages = ["de", "en", "es", "fr", "it", "pt"];

/** The detector "topics". */
export const topics: Detector = {
  definition: {
    id: "topics",
    displayName: "Topics",
    description:
      "Finds words of topics that an application may have to stay away from: adult content, drugs, weapons, gambling, politics, religion, medical, legal and financial advice.",
    version: "1.0.0",
    category: "content",
    tags: ["topics", "off-topic", "moderation", ...names],
    categories: names.map((name) => `topics.${name}`),
    entities: [],
    languages,
    costClass: "constant",
    scope: "local",
    defaultThreshold: 0.5,
    floor: 0.7,
    parameters: {
      ...packParameters(languages, {
        topics: {
          type: "array",
          description: "Topics to look for.",
          minItems: 1,
          uniqueItems: true,
          items: { enum: names },
        },
      }),
      required: ["topics"],
    },
    references: ["https://arxiv.org/abs/2208.03274"],
    measures: [
      {
        name: "recall",
        value: 0.968,
        data: "154 sentences in six languages, written apart from the detector; 0.617 when first measured, before terms were added for what other sentences showed",
      },
      {
        name: "false positive rate",
        value: 0.044,
        data: "136 everyday sentences with words of the topics in another sense, written apart from the detector",
      },
    ],
    examples: [
      {
        text: "Which online casino has the best roulette?",
        categories: ["topics.gambling", "topics.gambling"],
        parameters: { topics: ["gambling"] },
      },
      { text: "What is the weather in Monaco?", categories: [], parameters: { topics: ["gambling"] } },
    ],
    check: () => [],
  },
  plan: (parameters) => {
    const exempt = exemptionsOf(parameters);
    const chosen = textsParameter(parameters, "languages") ?? languages;
    return {
      reads: reads.normal,
      phrases: (textsParameter(parameters, "topics") ?? []).flatMap((topic) =>
        chosen.flatMap((language) =>
          phrasesOfTerms(
            (topicTerms[topic]?.[language] ?? "").split(";"),
            { category: `topics.${topic}`, score: 0.7, language, attributes: { topic } },
            exempt,
          ),
        ),
      ),
      patterns: [],
      triggers: [],
      sweeps: [],
      settle: withoutInner,
    };
  },
};
