// Checks the output of a request against the schema that the request names.

import { create } from "@bufbuild/protobuf";
import {
  type EvaluateRequest,
  type SchemaOutcome,
  SchemaOutcomeSchema,
} from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { TextSegment } from "../segment/segment.ts";
import type { OutputSchema } from "./output-schema.ts";

/** The result of the check; undefined when the request names no schema or is not about an output. */
export function schemaOutcomeOf(
  { outputSchema: name }: EvaluateRequest,
  segments: readonly TextSegment[],
  stage: Stage,
  schemas: ReadonlyMap<string, OutputSchema>,
  isOver?: () => boolean,
): SchemaOutcome | undefined {
  if (name === undefined || stage !== Stage.OUTPUT) return undefined;
  const schema = schemas.get(name);
  if (schema === undefined) {
    const problems = [{ pointer: "", keyword: "schema", message: "the bundle has no schema of that name" }];
    return create(SchemaOutcomeSchema, { name, problems });
  }
  // The request may contain earlier messages of the model; the output is the last one.
  const output = segments.findLast(({ call }) => call === undefined);
  const problems = schema.check(output?.text ?? "", isOver);
  return create(SchemaOutcomeSchema, {
    name,
    version: schema.version,
    valid: problems.length === 0,
    problems: [...problems],
  });
}
