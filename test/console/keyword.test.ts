import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { rebased } from "../../console/page/language/keyword.ts";
import { CustomKeywordSchema } from "../../gen/policyguard/control/v1/language_pb.ts";

const keyword = (term: string, score = 0.9) =>
  create(CustomKeywordSchema, { term, category: "ask", match: "word", score });
const terms = (keywords: readonly { readonly term: string }[]) => keywords.map(({ term }) => term);

test("an edit on top of theirs removes what it removed, adds what it added, and keeps what only they changed", () => {
  const base = { keywords: [keyword("one"), keyword("two"), keyword("three")], allow: ["fine", "good"] };
  const mine = { keywords: [keyword("two"), keyword("three")], allow: "good\nmine\n", added: "four" };
  const theirs = {
    keywords: [keyword("one"), keyword("two", 0.5), keyword("five")],
    allow: ["fine", "good", "theirs"],
  };
  const { keywords, allow, added } = rebased(mine, base, theirs);
  expect(terms(keywords)).toEqual(["two", "five"]);
  expect(keywords[0]?.score).toBe(0.5);
  expect(allow).toBe("good\ntheirs\nmine");
  expect(added).toBe("four");
});

test("what both added is there once", () => {
  const none = { keywords: [], allow: [] };
  const theirs = { keywords: [], allow: ["same"] };
  expect(rebased({ keywords: [], allow: "same\nmore", added: "" }, none, theirs).allow).toBe("same\nmore");
});
