// A small set of detectors with the interface of the product's, for tests of the policy half of the engine. Their
// findings are easy to see in the text of a test.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Detection, DetectorDefinition, DetectorSpec } from "../../../runtime/engine/detectors/detector.ts";
import type { DetectorKit } from "../../../runtime/engine/engine.ts";

function definition(id: string, more: Partial<DetectorDefinition>): DetectorDefinition {
  return {
    id,
    displayName: id,
    description: id,
    version: "1.0.0",
    category: id,
    tags: [],
    categories: [],
    entities: [],
    languages: ["*"],
    costClass: "linear",
    scope: "local",
    defaultThreshold: 0.5,
    floor: 0,
    parameters: { type: "object", properties: {}, additionalProperties: false },
    references: [],
    measures: [],
    examples: [],
    check: () => [],
    ...more,
  };
}

const entities = { type: "array", items: { type: "string", enum: ["EMAIL", "PHONE"] }, minItems: 1 };

const definitions: readonly DetectorDefinition[] = [
  definition("pii", {
    categories: ["pii.email", "pii.phone"],
    entities: ["EMAIL", "PHONE"],
    parameters: { type: "object", properties: { entities }, additionalProperties: false },
  }),
  definition("secrets", { categories: ["secrets.key"] }),
  definition("injection", { categories: ["injection.override"], defaultThreshold: 0.6, languages: ["en", "de"] }),
  definition("words", {
    parameters: {
      type: "object",
      properties: { words: { type: "array", items: { type: "string", minLength: 1 }, minItems: 1 } },
      required: ["words"],
      additionalProperties: false,
    },
    check: ({ words }) =>
      (Array.isArray(words) ? words : []).flatMap((word, index) =>
        word === "forbidden" ? [{ path: `words[${index}]`, message: "this word is not allowed here" }] : [],
      ),
  }),
];

function find(
  text: string,
  pattern: RegExp,
  make: (found: string) => Omit<Detection, "start" | "end" | "layer">,
): Detection[] {
  return [...text.matchAll(pattern)].map((match) => ({
    ...make(match[0]),
    start: match.index,
    end: match.index + match[0].length,
    layer: "plain",
  }));
}

function detect(use: string, parameters: JsonObject, text: string): Detection[] {
  if (use === "secrets") return find(text, /KEY-[0-9]+/g, () => ({ category: "secrets.key", score: 1 }));
  if (use === "injection") {
    const score = (found: string) => (found === "ignore all" ? 0.9 : 0.55);
    return find(text, /ignore (all|this)/g, (found) => ({ category: "injection.override", score: score(found) }));
  }
  if (use === "words") {
    const words = Array.isArray(parameters.words) ? parameters.words.map(String) : [];
    return words.flatMap((word) =>
      find(text, new RegExp(word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "g"), () => ({
        category: `words.${word}`,
        score: 1,
      })),
    );
  }
  const wanted = Array.isArray(parameters.entities) ? parameters.entities : ["EMAIL", "PHONE"];
  const mails = find(text, /[a-z]+@[a-z.]+[a-z]/g, (found) => ({
    category: "pii.email",
    score: 0.99,
    attributes: { domain: found.split("@")[1] ?? "" },
  }));
  const phones = find(text, /\+\d{6,}/g, () => ({ category: "pii.phone", score: 0.7 }));
  return [...(wanted.includes("EMAIL") ? mails : []), ...(wanted.includes("PHONE") ? phones : [])];
}

/** The detectors pii, secrets, injection and words. */
export const sampleKit: DetectorKit = {
  definitions,
  *detectorSteps(specs: readonly DetectorSpec[]) {
    yield;
    return {
      scan: (text) => {
        const found = specs.map(({ key, use, parameters }) => [key, detect(use, parameters, text)] as const);
        return new Map(found.filter(([, detections]) => detections.length > 0));
      },
      formsOf: (text) => [{ layer: "plain", text, start: 0, end: text.length, readers: specs.map(({ key }) => key) }],
    };
  },
};
