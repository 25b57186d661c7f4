// The detector "self_harm" finds people who speak of suicide or of hurting themselves, and requests for means. Its
// purpose is to offer help, so it prefers false positives; idioms ("this traffic is killing me") are left out.

import { ofLanguages } from "../../languages/catalog.ts";
import { reads } from "../../text/normalize.ts";
import { type Detector, withoutInner } from "../detector-plan.ts";
import { exemptionsOf, packParameters } from "../pack/parameter.ts";
import { type GuardedSentence, guardedProbes } from "../pack/unless.ts";
import { textsParameter } from "../parameter.ts";

/** The sentences, written for this product. */
export const selfHarmSentences: readonly GuardedSentence[] = ofLanguages(
  ({ selfHarm }) => selfHarm,
  "en de fr es it pt nl sv fi",
).flatMap(([language, sentences]) => sentences.map((sentence) => ({ ...sentence, language })));

const languages = [...new Set(selfHarmSentences.map(({ language }) => language))].sort();

/** The detector "self_harm". */
export const selfHarm: Detector = {
  definition: {
    id: "self_harm",
    displayName: "Self-harm",
    description: `Finds people who speak of suicide or of hurting themselves, and requests for means, in ${languages.length} languages. Meant for answers with help; idioms and sober talk are left out.`,
    version: "1.0.0",
    category: "content",
    tags: ["self-harm", "suicide", "safety"],
    categories: ["self_harm.intent", "self_harm.means"],
    entities: [],
    languages,
    costClass: "constant",
    scope: "local",
    defaultThreshold: 0.5,
    floor: 0,
    parameters: packParameters(languages),
    references: ["https://www.who.int/publications/i/item/9789240076846"],
    measures: [
      {
        name: "recall",
        value: 0.735,
        data: "155 sentences in 18 languages, written by somebody else, of which only totals were looked at while it was mended; 0.984 of 386 that were written for it and not tuned on",
      },
      { name: "innocent texts wrongly found", value: 0, data: "145 that come close, and 53,287 ordinary ones" },
    ],
    examples: [
      { text: "I want to kill myself.", categories: ["self_harm.intent"] },
      { text: "This traffic is killing me, I could die of boredom. Read about suicide prevention.", categories: [] },
    ],
    check: () => [],
  },
  plan: (parameters) => ({
    reads: reads.normal,
    phrases: [],
    patterns: guardedProbes(
      selfHarmSentences,
      textsParameter(parameters, "languages") ?? languages,
      exemptionsOf(parameters),
    ),
    triggers: [],
    sweeps: [],
    settle: withoutInner,
  }),
};
