// Pattern packs: sentences that express harm, in RE2 syntax where a space matches any white space. Quoted sentences,
// and sentences that are only mentioned, get lower scores.

import { compilePattern } from "../../pattern/compile-pattern.ts";
import type { PatternProbe } from "../detector-plan.ts";
import { saidShare } from "../injection/quotation.ts";
import { plain } from "./term.ts";

/** Words that introduce reported speech: a person who reports a sentence does not say it. */
const reported =
  /(?:(?<![\p{L}\p{N}_])(?:(?:to|if (?:you|they|he|she)|who|you|people) (?:say|claim|think)|saying|claiming|zu (?:sagen|behaupten)|(?:du|ihr|wer) (?:sagst|sagt|behauptest)|sagst du|(?:de |qui |à )dire|(?:tu|vous|qui) (?:dis|dites|dit)|dire|decir|(?:si |quien )dic(?:es|en|e)|dic(?:es|en)|se dici|chi dice|dizer|se disser|quem diz|te zeggen|je zegt|wie zegt|mówienie|mówisz|mówić),? (?:that|dass|daß|que|qu'|che|dat|że)?|(?:сказать|говорить|говоришь),? что|सोचना कि|कहना कि) ?["“„«»']? ?(?:you |du |ihr |tu |vous )?$/iu;
const reportReach = 40;
const reportedShare = 0.5;

/** One sentence. */
export interface SentenceRule {
  readonly category: string;
  /** BCP 47 tag. */
  readonly language: string;
  readonly pattern: string;
  readonly score: number;
}

/** The expanded pattern of a rule. */
export function expandSentence(pattern: string): string {
  return pattern.replaceAll(" ", "\\s+");
}

/** The probes for the rules of some languages. A sentence with an exempt phrase is not a finding. */
export function sentenceProbes(
  rules: readonly SentenceRule[],
  languages: readonly string[],
  exempt: ReadonlySet<string>,
): PatternProbe[] {
  return rules
    .filter(({ language }) => languages.includes(language))
    .map(({ category, language, pattern, score }) => ({
      pattern: compilePattern(expandSentence(pattern), { ignoreCase: true }),
      folded: true,
      reach: 160,
      accept: ({ start, end }, text) => {
        if (exempt.size > 0 && isExempt(text.slice(start, end), exempt)) return undefined;
        const isReported = reported.test(text.slice(Math.max(0, start - reportReach), start));
        const share = saidShare(text, start, end) * (isReported ? reportedShare : 1);
        const basis = share < 1 ? "sentence, quoted or talked about" : "sentence";
        return { category, start, end, score: Math.round(score * share * 100) / 100, attributes: { language, basis } };
      },
    }));
}

/** Whether a match contains an exempt phrase. */
export function isExempt(match: string, exempt: ReadonlySet<string>): boolean {
  const text = plain(match);
  return [...exempt].some((phrase) => text.includes(phrase));
}
