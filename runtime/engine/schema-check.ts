// Whether the output of a request satisfies the schema that the request names.

import { create } from "@bufbuild/protobuf";
import {
  type EvaluateRequest,
  type SchemaOutcome,
  SchemaOutcomeSchema,
} from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { OutputSchema } from "./output-schema.ts";
import type { Piece } from "./piece.ts";

/** What is made of the schema that a request names; undefined when it names none, or is not about an output. */
export function schemaOutcomeOf(
  { outputSchema: name }: EvaluateRequest,
  pieces: readonly Piece[],
  stage: Stage,
  schemas: ReadonlyMap<string, OutputSchema>,
): SchemaOutcome | undefined {
  if (name === undefined || stage !== Stage.OUTPUT) return undefined;
  const schema = schemas.get(name);
  if (schema === undefined) {
    const problems = [{ pointer: "", keyword: "schema", message: "the bundle has no schema of that name" }];
    return create(SchemaOutcomeSchema, { name, problems });
  }
  // A model may have said more before; the output is what it said last.
  const output = pieces.findLast(({ call }) => call === undefined);
  const problems = schema.check(output?.text ?? "");
  return create(SchemaOutcomeSchema, {
    name,
    version: schema.version,
    valid: problems.length === 0,
    problems: [...problems],
  });
}
