// Answers that were really given, as the examples of the document: examples put together from types alone show outcomes
// that cannot be. The tests of vectors record them (`npm run record-examples`) and compare each with the form of
// today's answer.

import type { DescField, DescMethod, JsonObject, JsonValue } from "@bufbuild/protobuf";

/** One call and what was answered, with made-up ids, times and secrets. */
export interface RecordedExample {
  /** Name of the vector, or of the test, that it was recorded from. */
  readonly vector: string;
  /** The request in REST's JSON form: fields of path, query and body. */
  readonly request: JsonObject;
  readonly answer: JsonValue;
}

/** Examples by "<Service>/<Method>". */
export type RecordedExamples = Readonly<Record<string, RecordedExample>>;

/** The example of a method, if there is one. */
export function recordedFor(examples: RecordedExamples, method: DescMethod): RecordedExample | undefined {
  return examples[`${method.parent.name}/${method.name}`];
}

/** Those members of the recorded request that these fields name. */
export function requestPart({ request }: RecordedExample, fields: readonly DescField[]): JsonObject {
  const names = new Set(fields.map(({ name }) => name));
  return Object.fromEntries(Object.entries(request).filter(([name]) => names.has(name)));
}
