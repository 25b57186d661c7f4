// Edits of keywords: on top of what somebody else saved, and on their way to the server.

import { create } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { CustomKeyword, CustomKeywords } from "../../../gen/policyguard/control/v1/language_pb.ts";
import { linesOf } from "../../part/form.ts";

/** Keywords as they are edited; the texts have one line for each. */
export interface Edited {
  readonly keywords: readonly CustomKeyword[];
  /** Harmless phrases. */
  readonly allow: string;
  /** Words that are new. */
  readonly added: string;
}

/** What is stored of keywords. */
type Stored = Pick<CustomKeywords, "keywords" | "allow">;

/** The edit on top of what somebody else saved meanwhile: theirs, without what it removed and with what it added. */
export function rebased({ keywords, allow, added }: Edited, base: Stored, theirs: Stored): Edited {
  const kept = new Set(keywords.map(keyOf));
  const removed = new Set(base.keywords.map(keyOf).filter((key) => !kept.has(key)));
  const phrases = linesOf(allow);
  const dropped = new Set(base.allow.filter((phrase) => !phrases.includes(phrase)));
  const brought = phrases.filter((phrase) => !base.allow.includes(phrase));
  return {
    keywords: theirs.keywords.filter((keyword) => !removed.has(keyOf(keyword))),
    allow: linesOf([...theirs.allow.filter((phrase) => !dropped.has(phrase)), ...brought].join("\n")).join("\n"),
    added,
  };
}

/** What tells a keyword from the others of its language. */
export function keyOf({ term, category, match }: CustomKeyword): string {
  return `${term} ${category} ${match}`;
}

/** What a call saves: the keywords that stay as they are, and new words of the organization's own. */
export function keywordValues(kept: readonly CustomKeyword[], added: readonly string[]): Value[] {
  const known = new Set(kept.map(({ term }) => term));
  return [...kept.map(stored), ...added.filter((term) => !known.has(term)).map(text)];
}

/** A keyword that is stored was intended before, however frequent its word is. */
function stored({ term, category, match, score, unless }: CustomKeyword): Value {
  const list = create(ValueSchema, { kind: { case: "listValue", value: { values: unless.map(text) } } });
  const isIntended = create(ValueSchema, { kind: { case: "boolValue", value: true } });
  const fields = {
    term: text(term),
    category: text(category),
    match: text(match),
    score: create(ValueSchema, { kind: { case: "numberValue", value: score } }),
    unless: list,
    is_common_intended: isIntended,
  };
  return create(ValueSchema, { kind: { case: "structValue", value: { fields } } });
}

function text(value: string): Value {
  return create(ValueSchema, { kind: { case: "stringValue", value } });
}
