// Reads and checks the keywords that an organization wants in a language. Many problems are told at once, each with the
// index of its keyword.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import {
  foldedTerm,
  sameForms,
  termBounds,
  termProblem,
  unlessProblem,
} from "../../../runtime/engine/authoring/language-pack/term-rule.ts";
import { overlayCategories } from "../../../runtime/engine/languages/overlay.ts";
import { validationFailed } from "../../kit/fault/fault.ts";

/** Limits of an organization's own keywords. */
export const keywordLimits = { language: 2_000, organization: 10_000, unless: 20, allow: 200 } as const;

const matches = ["word", "stem", "substring"] as const;
const keys = new Set(["term", "category", "match", "score", "unless", "is_common_intended"]);
/** Problems that are told. What comes after them is not read: each keyword costs time. */
const maxProblems = 100;

/** A keyword with everything that may be left out. */
export interface Keyword {
  readonly term: string;
  readonly category: string;
  readonly match: "word" | "stem" | "substring";
  readonly score: number;
  readonly unless: readonly string[];
}

/** What is asked of keywords. */
export interface KeywordCheck {
  readonly keywords: readonly JsonValue[];
  readonly allow: readonly string[];
  readonly language: string;
  /** Name of the language, for messages. */
  readonly name: string;
  /** Its most frequent words. */
  readonly common: readonly string[];
}

/** Keywords and allowed phrases that are right. */
export interface CheckedKeywords {
  readonly keywords: readonly Keyword[];
  readonly allow: readonly string[];
}

interface Problem {
  readonly field: string;
  readonly message: string;
}

/** A keyword as it was sent, and what is wrong with it. */
interface ReadKeyword {
  readonly keyword: Keyword;
  readonly isCommonIntended: boolean;
}

/** The keywords and allowed phrases, checked. Throws a 422 that names each wrong one by its index. */
export function checkKeywords({
  keywords: given,
  allow,
  language,
  name,
  common: frequent,
}: KeywordCheck): CheckedKeywords {
  const problems: Problem[] = [];
  const common = new Set(frequent.map(foldedTerm));
  const known = new Map<string, number>();
  const keywords: Keyword[] = [];
  for (const [index, value] of given.entries()) {
    if (problems.length >= maxProblems) break;
    const read = readKeyword(value, `keywords[${index}]`, problems);
    if (read === undefined) continue;
    const { keyword, isCommonIntended } = read;
    const field = `keywords[${index}].term`;
    if (common.has(foldedTerm(keyword.term)) && !isCommonIntended)
      problems.push({
        field,
        message: `is one of the most frequent words of ${name}; set is_common_intended when that is meant`,
      });
    const forms = [...sameForms(keyword.term, language)];
    const first = forms.map((form) => known.get(form)).find((at) => at !== undefined);
    if (first !== undefined)
      problems.push({ field, message: `is the same as keywords[${first}] once case, marks and spelling are folded` });
    for (const form of forms) known.set(form, known.get(form) ?? index);
    keywords.push(keyword);
  }
  for (const [index, phrase] of allow.entries()) {
    const wrong = allowProblem(phrase);
    if (wrong !== undefined) problems.push({ field: `allow[${index}]`, message: wrong });
  }
  if (problems.length > 0) throw validationFailed(problems.slice(0, maxProblems));
  return { keywords, allow: [...new Set(allow)] };
}

function allowProblem(phrase: string): string | undefined {
  if (!phrase.isWellFormed()) return "has half of a surrogate pair";
  const text = foldedTerm(phrase);
  if (!/[\p{L}\p{N}]/u.test(text)) return "has no letter or digit";
  return text.length > termBounds.max ? `is longer than ${termBounds.max} characters` : undefined;
}

function readKeyword(value: JsonValue, path: string, problems: Problem[]): ReadKeyword | undefined {
  const before = problems.length;
  const problem = (key: string, message: string) =>
    problems.push({ field: key === "" ? path : `${path}.${key}`, message });
  const object = typeof value === "string" ? { term: value } : value;
  if (typeof object !== "object" || object === null || Array.isArray(object)) {
    problem("", "must be a text or an object with a term");
    return undefined;
  }
  for (const key of Object.keys(object)) if (!keys.has(key)) problem(key, "is unknown");
  const { term, category = "custom", match = "word", score = 1, unless = [] } = object as JsonObject;
  const isCommonIntended = object.is_common_intended ?? false;
  if (typeof isCommonIntended !== "boolean") problem("is_common_intended", "must be true or false");
  const knownCategory = overlayCategories.find((name) => name === category);
  if (knownCategory === undefined) problem("category", `must be one of ${overlayCategories.join(", ")}`);
  const knownMatch = matches.find((name) => name === match);
  if (knownMatch === undefined) problem("match", `must be one of ${matches.join(", ")}`);
  if (typeof score !== "number" || !(score >= 0.05 && score <= 1)) problem("score", "must be between 0.05 and 1");
  const phrases = phrasesOf(unless);
  if (phrases === undefined) problem("unless", `must be a list of at most ${keywordLimits.unless} texts`);
  if (typeof term !== "string") {
    problem("term", "is required, as a text");
    return undefined;
  }
  const wrong = termProblem({ term, match: knownMatch ?? "word" });
  if (wrong !== undefined) problem("term", wrong);
  else
    for (const [index, phrase] of (phrases ?? []).entries()) {
      const amiss = unlessProblem(phrase, term);
      if (amiss !== undefined) problem(`unless[${index}]`, amiss);
    }
  if (problems.length > before || knownCategory === undefined || knownMatch === undefined) return undefined;
  return {
    keyword: { term, category: knownCategory, match: knownMatch, score: Number(score), unless: phrases ?? [] },
    isCommonIntended: isCommonIntended === true,
  };
}

function phrasesOf(value: JsonValue): string[] | undefined {
  if (!Array.isArray(value) || value.length > keywordLimits.unless) return undefined;
  const texts = value.filter((each) => typeof each === "string");
  return texts.length === value.length ? texts : undefined;
}
