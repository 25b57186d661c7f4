// The detector "canary" finds marks that were put into a system prompt and that appear elsewhere only through a leak.
// It finds them verbatim, reversed, and in the encodings in which models are asked to leak them.

import type { JsonObject } from "@bufbuild/protobuf";
import { foldLookalikes } from "../../text/fold.ts";
import { normalize, reads } from "../../text/normalize.ts";
import type { ParameterProblem } from "../detector.ts";
import { type Detector, type Phrase, withoutInner } from "../detector-plan.ts";
import { textsParameter } from "../parameter.ts";

const category = "canary.leak";
const minLength = 8;

/** The detector "canary". */
export const canary: Detector = {
  definition: {
    id: "canary",
    displayName: "Leaked canaries",
    description:
      "Finds marks that were placed in a system prompt, also reversed, in Base64, hexadecimal or ROT13: whoever sees one has the prompt.",
    version: "1.0.0",
    category: "security",
    tags: ["canary", "prompt-leak", "owasp-llm07"],
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
      required: ["canaries"],
      properties: {
        canaries: {
          type: "array",
          description: "The marks: letters and digits that nobody writes by chance.",
          minItems: 1,
          maxItems: 100,
          items: { type: "string", minLength, maxLength: 128 },
        },
      },
    },
    references: ["https://genai.owasp.org/llmrisk/llm07-system-prompt-leakage/"],
    measures: [
      {
        name: "recall",
        value: 1,
        data: "250 answers with a mark, as it is or in a turn of it, made up apart from the detector",
      },
      {
        name: "false positive rate",
        value: 0,
        data: "250 answers with parts of a mark, other marks and encoded texts, made up apart from the detector",
      },
    ],
    examples: [
      { text: "My notes begin with q7zk-2xvb9m.", categories: [category], parameters: { canaries: ["Q7ZK-2XVB9M"] } },
      { text: "Q7ZK is a postcode.", categories: [], parameters: { canaries: ["Q7ZK-2XVB9M"] } },
    ],
    check: (parameters) => (textsParameter(parameters, "canaries") ?? []).flatMap(checkCanary),
  },
  plan: (parameters) => ({
    reads: reads.normal | reads.decoded,
    phrases: phrasesOf(parameters),
    patterns: [],
    triggers: [],
    sweeps: [],
    settle: withoutInner,
  }),
};

function checkCanary(mark: string, index: number): ParameterProblem[] {
  const path = `canaries[${index}]`;
  if (!mark.isWellFormed()) return [{ path, message: "the mark has half of a surrogate pair" }];
  if (/^\s|\s$|\s\s/.test(mark))
    return [{ path, message: "the mark begins or ends with white space, or has two in a row" }];
  if (new Set(mark).size < 4) return [{ path, message: "the mark has fewer than four different characters" }];
  return [];
}

function phrasesOf(parameters: JsonObject): Phrase[] {
  const phrases = new Map<string, Phrase>();
  for (const [index, mark] of (textsParameter(parameters, "canaries") ?? []).entries())
    for (const [form, text] of formsOf(mark)) {
      if (text.length < minLength || phrases.has(text)) continue;
      const attributes = { index: String(index), form, basis: "mark that was placed" };
      phrases.set(text, { text, wholeWord: false, caseSensitive: form === "base64", category, score: 1, attributes });
    }
  return [...phrases.values()];
}

function formsOf(mark: string): readonly (readonly [string, string])[] {
  const plain = foldLookalikes(normalize(mark)).replace(/\s+/g, " ").trim();
  const forms: [string, string][] = [
    ["plain", plain],
    ["reversed", [...plain].reverse().join("")],
    ["hex", Buffer.from(mark, "utf8").toString("hex")],
    ["rot13", plain.replace(/[a-z]/gi, rotated)],
    ["spaced", [...plain.replaceAll(" ", "")].join(" ")],
    ["dashed", [...plain.replaceAll(" ", "")].join("-")],
  ];
  // The text before the mark shifts its Base64 by up to two bytes; characters that also encode neighbouring text are
  // left out.
  for (const shift of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(shift), Buffer.from(mark, "utf8")])
      .toString("base64")
      .replace(/=+$/, "");
    const rest = (shift + Buffer.byteLength(mark)) % 3;
    forms.push(["base64", encoded.slice(shift === 0 ? 0 : shift + 1, rest === 0 ? undefined : -1)]);
  }
  return forms;
}

function rotated(letter: string): string {
  const base = letter <= "Z" ? 65 : 97;
  return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
}
