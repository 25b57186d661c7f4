// Guardian models: language models that judge a text in words of a small grammar, asked by chat completions in OpenAI's
// form. Where a server can hold a model to its grammar, it is asked to, in the words of vLLM and of llama.cpp; others
// ignore members that they do not know. Whatever is not exactly a verdict is a failure, and never "safe": it is text
// that a model wrote, and the text that is judged may try to talk it into anything.

import type { LabelMeanings, YesNoQuestions } from "../../engine/backend/backend.ts";
import { AnswerInvalid, distinct, list, member, name, optional } from "./answer.ts";
import { type AskedBackend, type Contract, inOneCall } from "./contract.ts";

/** Some hundred times what a completion of so few tokens takes, likely tokens included. */
const answerBytes = 256 * 1024;
/** Room for all codes or categories. */
const maxVerdictTokens = 128;
/** In UTF-16 code units: far more than any server writes with so many tokens. */
const maxVerdictLength = 4_096;
/** Room for a word and what the grammar puts around it. */
const maxWordTokens = 16;
/** As many as servers give by default. */
const likelyTokens = 20;
/** How servers say that an answer has come to its end, and was not cut. */
const complete: readonly unknown[] = ["stop", "eos_token"];

const llamaVerdict =
  /^[ \t\r\n]*(?:safe|unsafe[ \t]*\r?\n[ \t]*(S[1-9][0-9]?(?:[ \t]*,[ \t]*S[1-9][0-9]?)*))[ \t\r\n]*$/;

/** "safe", or "unsafe" and a line of codes such as "S1,S10". */
export const llamaGuard: Contract = inOneCall({
  batch: 1,
  answerBytes,
  body: ([text], { model }) => chat(text, { model, maxTokens: maxVerdictTokens }),
  read: (answer) => {
    const found = llamaVerdict.exec(choiceOf(answer).content);
    if (found === null) throw new AnswerInvalid('expected "safe", or "unsafe" and a line of codes such as "S1,S10"');
    const codes = found[1]?.split(",").map((code) => code.trim()) ?? [];
    // It says nothing of how sure it is.
    return [distinct(codes.map((label) => ({ label, score: 1 })))];
  },
});

// A line of categories ends in no space, so that nothing of a text can be read in two ways.
const qwenVerdict =
  /^[ \t\r\n]*Safety: (Safe|Controversial|Unsafe)[ \t]*\r?\nCategories: ([A-Za-z][A-Za-z &,'-]*(?<! ))[ \t\r\n]*$/;
/** Two grades are all that it says of how sure it is. */
const qwenScores: Readonly<Record<string, number>> = { Unsafe: 1, Controversial: 0.5 };
const noCategory = "None";

/** A line with one of three grades, and a line of categories. */
export const qwen3Guard: Contract = inOneCall({
  batch: 1,
  answerBytes,
  body: ([text], { model, meanings }) => ({
    ...chat(text, { model, maxTokens: maxVerdictTokens }),
    ...(meanings !== undefined && qwenGrammar(meanings)),
  }),
  read: (answer) => {
    const [, grade = "", line = ""] = qwenVerdict.exec(choiceOf(answer).content) ?? [];
    const labels = line.split(",").map((each) => each.trim());
    const score = qwenScores[grade];
    const isNamed = !labels.includes(noCategory) && !labels.includes("");
    if (grade === "Safe" && line === noCategory) return [[]];
    if (score === undefined || !isNamed)
      throw new AnswerInvalid('expected "Safety: Safe" and "Categories: None", or another grade and its categories');
    return [distinct(labels.map((label) => ({ label: name(label), score })))];
  },
});

function qwenGrammar({ labels, ignore }: LabelMeanings): object {
  const names = [...Object.keys(labels), ...ignore];
  const safe = "Safety: Safe\nCategories: None";
  const others = ["Safety: Controversial\nCategories: ", "Safety: Unsafe\nCategories: "];
  const category = `(${names.map(quoted).join("|")})`;
  return {
    structured_outputs: { regex: `(${safe}|(${others.join("|")})${category}(, ${category})*)` },
    grammar: [
      `root ::= ${literal(safe)} | (${others.map(literal).join(" | ")}) category (", " category)*`,
      `category ::= ${names.map(literal).join(" | ")}`,
    ].join("\n"),
  };
}

/**
 * One question for each label, which the chat template of the model writes around the text, and which the model answers
 * with yes or no. The score is the probability of yes among the two, where the server tells probabilities; else 1 or 0.
 */
export const yesNoGuard: Contract = {
  batch: 1,
  answerBytes,
  calls: ([text], { model, meanings }) => {
    const { answers, templates } = questionsOf(meanings);
    return Object.entries(templates).map(([label, template]) => ({
      body: {
        ...chat(text, { model, maxTokens: maxWordTokens }),
        ...{ logprobs: true, top_logprobs: likelyTokens, chat_template_kwargs: template },
        structured_outputs: { choice: [answers.yes, answers.no] },
        grammar: `root ::= ${literal(answers.yes)} | ${literal(answers.no)}`,
      },
      read: (answer) => [[{ label, score: scoreOfYes(answer, answers) }]],
    }));
  },
};

function questionsOf(meanings: AskedBackend["meanings"]): YesNoQuestions {
  if (meanings?.questions === undefined) throw new AnswerInvalid("it has no preset with questions, and was not asked");
  return meanings.questions;
}

function scoreOfYes(answer: unknown, { yes, no }: YesNoQuestions["answers"]): number {
  const { choice, content } = choiceOf(answer);
  const said = content.trim();
  if (said !== yes && said !== no) throw new AnswerInvalid(`expected ${JSON.stringify(yes)} or ${JSON.stringify(no)}`);
  const isYes = said === yes;
  const logprobs = optional(choice, "logprobs");
  return logprobs === undefined ? Number(isYes) : probabilityOfYes(list(member(logprobs, "content")), isYes);
}

/** The share of yes in what the model might have said in place of the word that decides. */
function probabilityOfYes(tokens: readonly unknown[], isYes: boolean): number {
  const [token, ...others] = tokens.filter((each) => wordOf(each) !== undefined);
  const said = isYes ? "yes" : "no";
  if (token === undefined || others.length > 0 || wordOf(token) !== said)
    throw new AnswerInvalid("expected one token that says yes or no, as its text does");
  const shares = { yes: 0, no: 0 };
  for (const { word, probability } of likelyWords(token)) shares[word] += probability;
  const sum = shares.yes + shares.no;
  if (sum === 0) throw new AnswerInvalid("neither yes nor no has a probability");
  if (sum > maxSum) throw new AnswerInvalid("expected probabilities that are together at most one");
  return shares.yes / sum;
}

/** The tokens that say yes or no, of those that the model might have said in place of this one, itself included. */
function likelyWords(token: unknown): { readonly word: "yes" | "no"; readonly probability: number }[] {
  const own = member(token, "token");
  const likely = list(member(token, "top_logprobs"));
  const names = likely.map((each) => member(each, "token"));
  if (new Set(names).size < names.length) throw new AnswerInvalid("expected each token once");
  const listed = likely[names.indexOf(own)];
  if (listed !== undefined && Math.abs(probabilityOf(listed) - probabilityOf(token)) > maxSum - 1)
    throw new AnswerInvalid("expected one probability of a token");
  return (listed === undefined ? [...likely, token] : likely).flatMap((each) => {
    const word = wordOf(each);
    return word === undefined ? [] : [{ word, probability: probabilityOf(each) }];
  });
}

function wordOf(token: unknown): "yes" | "no" | undefined {
  const text = member(token, "token");
  const word = typeof text === "string" ? text.trim().toLowerCase() : "";
  return word === "yes" || word === "no" ? word : undefined;
}

function probabilityOf(token: unknown): number {
  const logarithm = member(token, "logprob");
  if (typeof logarithm !== "number" || !(logarithm <= maxLogarithm))
    throw new AnswerInvalid("expected the logarithm of a probability");
  return Math.exp(logarithm);
}

/** Zero, and what rounding adds to it. */
const maxLogarithm = 0.001;
/** One, and what rounding adds to it. */
const maxSum = 1.01;

function chat(content = "", { model, maxTokens }: { readonly model: string | undefined; readonly maxTokens: number }) {
  return {
    ...(model !== undefined && { model }),
    messages: [{ role: "user", content }],
    ...{ temperature: 0, max_tokens: maxTokens, stream: false },
  };
}

/** The only choice of a completion, and its text, which was not cut. */
function choiceOf(answer: unknown): { readonly choice: unknown; readonly content: string } {
  const [choice, ...others] = list(member(answer, "choices"));
  if (choice === undefined || others.length > 0) throw new AnswerInvalid("expected one choice");
  if (!complete.includes(member(choice, "finish_reason")))
    throw new AnswerInvalid("expected a verdict that is not cut");
  const content = member(member(choice, "message"), "content");
  if (typeof content !== "string" || content.length > maxVerdictLength)
    throw new AnswerInvalid(`expected a verdict in words, of at most ${maxVerdictLength} characters`);
  return { choice, content };
}

/** A text of a regular expression that matches exactly this. */
function quoted(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** A literal of a grammar in GBNF. */
function literal(text: string): string {
  return JSON.stringify(text);
}
