// The detector "keywords" finds phrases that the author chooses, whatever their case, spacing, quotes, dashes or
// look-alike letters.

import type { JsonObject } from "@bufbuild/protobuf";
import { overlayCategories } from "../languages/overlay.ts";
import { isSpaceUnit } from "../text/fold.ts";
import { normalize, reads } from "../text/normalize.ts";
import type { ParameterProblem } from "./detector.ts";
import { type Detector, type Phrase, withoutInner } from "./detector-plan.ts";
import { categorySchema, flagParameter, textParameter, textsParameter } from "./parameter.ts";

const category = "keywords";

/** The detector "keywords". */
export const keywords: Detector = {
  definition: {
    id: "keywords",
    displayName: "Keywords",
    description:
      "Finds words and phrases from a list, whatever their case, spacing, width, quotes, dashes or look-alike letters.",
    version: "1.1.0",
    category: "content",
    tags: ["keywords", "phrases", "block-list"],
    categories: [category],
    entities: [],
    languages: ["*"],
    costClass: "constant",
    scope: "local",
    defaultThreshold: 0.5,
    floor: 1,
    parameters: {
      type: "object",
      additionalProperties: false,
      properties: {
        keywords: {
          type: "array",
          description: "Words and phrases.",
          minItems: 1,
          maxItems: 10_000,
          items: { type: "string", minLength: 1, maxLength: 256 },
        },
        from_packs: {
          type: "array",
          description:
            "Categories of the enabled language packs whose words are found as well; custom is the organization's own.",
          minItems: 1,
          uniqueItems: true,
          items: { enum: [...overlayCategories] },
        },
        match: {
          enum: ["word", "substring"],
          description:
            "Whether a keyword must be a whole word. Scripts that do not separate words by spaces always match within text.",
          default: "word",
        },
        case_sensitive: { type: "boolean", description: "Whether case counts.", default: false },
        category: categorySchema(category),
      },
    },
    references: ["https://www.unicode.org/reports/tr15/", "https://www.unicode.org/reports/tr39/"],
    measures: [
      {
        name: "recall",
        value: 0.996,
        data: "250 texts with a keyword in another case, width, spacing or look-alike letters, made up apart from the detector",
      },
      {
        name: "false positive rate",
        value: 0,
        data: "250 texts with parts and neighbours of a keyword, made up apart from the detector",
      },
    ],
    examples: [
      {
        text: "Tell me about project bluebird.",
        categories: [category],
        parameters: { keywords: ["Project Bluebird"] },
      },
      { text: "Bluebirds project calm.", categories: [], parameters: { keywords: ["Project Bluebird"] } },
    ],
    check: checkKeywords,
  },
  plan: (parameters) => ({
    reads: reads.normal,
    phrases: phrasesOf(parameters),
    patterns: [],
    triggers: [],
    sweeps: [],
    settle: withoutInner,
  }),
};

function checkKeywords(parameters: JsonObject): ParameterProblem[] {
  const keywords = textsParameter(parameters, "keywords");
  if (keywords === undefined && textsParameter(parameters, "from_packs") === undefined)
    return [{ path: "keywords", message: "is required, unless from_packs names categories of language packs" }];
  return (keywords ?? []).flatMap(checkKeyword);
}

function checkKeyword(keyword: string, index: number): ParameterProblem[] {
  const path = `keywords[${index}]`;
  if (!keyword.isWellFormed()) return [{ path, message: "the keyword has half of a surrogate pair" }];
  if (phraseText(keyword) === "") return [{ path, message: "the keyword has no visible character" }];
  return [];
}

function phrasesOf(parameters: JsonObject): Phrase[] {
  const wholeWord = textParameter(parameters, "match", "word") === "word";
  const caseSensitive = flagParameter(parameters, "case_sensitive", false);
  const name = textParameter(parameters, "category", category);
  const texts = new Set((textsParameter(parameters, "keywords") ?? []).map(phraseText));
  const found = { category: name, score: 1, attributes: { basis: "word of a list" } };
  return [...texts].map((text) => ({ text, wholeWord, caseSensitive, ...found }));
}

/** A keyword in the form in which it is compared: normalised, with every run of white space as one space. */
function phraseText(keyword: string): string {
  let text = "";
  for (const char of normalize(keyword)) {
    const space = isSpaceUnit(char.charCodeAt(0));
    if (!space) text += char;
    else if (text !== "" && !text.endsWith(" ")) text += " ";
  }
  return text.trim();
}
