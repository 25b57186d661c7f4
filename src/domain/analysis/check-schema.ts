// Checks output schemas, and outputs against a schema.

import {
  assertNewOutputSchema,
  compileOutputSchema,
  type OutputProblem,
  SchemaInvalid,
  type SchemaSource,
} from "../../../runtime/engine/schema/output-schema.ts";
import { validationFailed } from "../../kit/fault/fault.ts";
import type { Tools } from "./tools.ts";

/** Compiles a schema; a 422 when it cannot be used. */
export function checkSchema(source: SchemaSource, { enter }: Tools): void {
  enter(`compiling the schema ${source.name}`);
  try {
    assertNewOutputSchema(source);
  } catch (error) {
    if (!(error instanceof SchemaInvalid)) throw error;
    throw validationFailed([{ field: "schema", message: error.message }]);
  }
}

/** An output and the schema to check it against. */
export interface OutputCheck {
  readonly schema: SchemaSource;
  readonly text: string;
}

/** Lists the violations of the schema by an output. */
export function checkOutput({ schema, text }: OutputCheck, { enter }: Tools): readonly OutputProblem[] {
  enter(`compiling the schema ${schema.name}`);
  const compiled = compileOutputSchema(schema);
  enter(`validating the output against the schema ${schema.name}`);
  return compiled.check(text);
}
