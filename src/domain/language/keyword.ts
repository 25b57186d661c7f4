// Reads and checks the keywords that an organization wants in a language. All problems are told at once, each with the
// index of its keyword.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { LanguagePack } from "../../../runtime/engine/authoring/language-pack/language-pack.ts";
import {
  foldedTerm,
  sameForms,
  termBounds,
  termProblem,
  unlessProblem,
} from "../../../runtime/engine/authoring/language-pack/term-rule.ts";
import { overlayCategories } from "../../../runtime/engine/languages/overlay.ts";
import { validationFailed } from "../../kit/fault/fault.ts";
import type { StoredKeyword } from "../../store/language/custom-keywords.ts";

/** Limits of an organization's own keywords. */
export const keywordLimits = { language: 2_000, organization: 10_000, unless: 20, allow: 200 } as const;

const matches = ["word", "stem", "substring"] as const;
const keys = new Set(["term", "category", "match", "score", "unless", "is_common_intended"]);
const maxProblems = 100;

interface Problem {
  readonly field: string;
  readonly message: string;
}

/** A keyword as it was sent, and what is wrong with it. */
interface ReadKeyword {
  readonly keyword: StoredKeyword;
  readonly isCommonIntended: boolean;
}

/** The keywords and allowed phrases, checked. Throws a 422 that names each wrong one by its index. */
export function readKeywords(
  given: readonly JsonValue[],
  allow: readonly string[],
  pack: LanguagePack,
): { readonly keywords: StoredKeyword[]; readonly allow: string[] } {
  const problems: Problem[] = [];
  const common = new Set(pack.common.map(foldedTerm));
  const known = new Map<string, number>();
  const keywords = given.flatMap((value, index) => {
    const read = readKeyword(value, `keywords[${index}]`, problems);
    if (read === undefined) return [];
    const { keyword, isCommonIntended } = read;
    const text = foldedTerm(keyword.term);
    const field = `keywords[${index}].term`;
    if (common.has(text) && !isCommonIntended)
      problems.push({
        field,
        message: `is one of the most frequent words of ${pack.name}; set is_common_intended when that is meant`,
      });
    const forms = [...sameForms(keyword.term, pack.overlay.language)];
    const first = forms.map((form) => known.get(form)).find((at) => at !== undefined);
    if (first !== undefined)
      problems.push({ field, message: `is the same as keywords[${first}] once case, marks and spelling are folded` });
    for (const form of forms) known.set(form, known.get(form) ?? index);
    return [keyword];
  });
  for (const [index, phrase] of allow.entries()) {
    const field = `allow[${index}]`;
    if (!phrase.isWellFormed()) problems.push({ field, message: "has half of a surrogate pair" });
    else if (!/[\p{L}\p{N}]/u.test(foldedTerm(phrase))) problems.push({ field, message: "has no letter or digit" });
    else if (foldedTerm(phrase).length > termBounds.max)
      problems.push({ field, message: `is longer than ${termBounds.max} characters` });
  }
  if (problems.length > 0) throw validationFailed(problems.slice(0, maxProblems));
  return { keywords, allow: [...new Set(allow)] };
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
