import { expect, test } from "vitest";
import { askedFor, exactFirst, matches, wordsOf } from "../../console/app/palette-words.ts";

test("each word has to be in the name or in the kind", () => {
  const words = wordsOf("  Policy support-BOT ");
  expect(words).toEqual(["policy", "support-bot"]);
  expect(matches(words, "Support-bot of Acme", "Policy")).toBe(true);
  expect(matches(words, "Support", "Policy")).toBe(false);
});

test("the server is asked for words that do not name the kind, the longest first, as far as it takes them", () => {
  expect(askedFor(wordsOf("policy bot support"), "Policy")).toEqual(["support", "bot"]);
  expect(askedFor(wordsOf("policy"), "Policy")).toEqual([]);
  expect(askedFor([`${"x".repeat(199)}😀`], "Policy")).toEqual(["x".repeat(199)]);
});

test("what is called exactly as the text comes first, and the rest keeps its order", () => {
  const entries = ["p-50", "P-5", "p-51"].map((title) => ({ title }));
  expect(exactFirst(entries, "p-5").map(({ title }) => title)).toEqual(["P-5", "p-50", "p-51"]);
});
