// Keywords on their way to the server.

import { create } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { CustomKeyword } from "../../../gen/policyguard/control/v1/language_pb.ts";

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
