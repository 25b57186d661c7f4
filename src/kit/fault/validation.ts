// The rules of fields. They are compiled when the first message of a type is validated, which takes about ten
// milliseconds.

import { create, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { pathToString } from "@bufbuild/protobuf/reflect";
import { createValidator } from "@bufbuild/protovalidate";
import { type FieldViolation, validationFailed } from "./fault.ts";
import { violationText } from "./violation-text.ts";

const validator = createValidator();

/** Compiles the rules of a message type before its first message arrives. */
export function prepareRules(schema: DescMessage): void {
  validator.validate(schema, create(schema));
}

/** The fields of a message that fail their rules. */
export function violationsOf<T extends DescMessage>(schema: T, message: MessageShape<T>): FieldViolation[] {
  const result = validator.validate(schema, message);
  if (result.kind === "error") throw result.error;
  if (result.kind === "valid") return [];
  return result.violations.map((violation) => ({
    field: pathToString(violation.field),
    message: violationText(violation, message),
  }));
}

/**
 * Throws validation_failed for a message that fails the rules of its fields. `nameOf` gives fields the caller's names.
 */
export function assertValid<T extends DescMessage>(
  schema: T,
  message: MessageShape<T>,
  nameOf: (field: string) => string = (field) => field,
): void {
  const violations = violationsOf(schema, message);
  if (violations.length === 0) return;
  throw validationFailed(violations.map(({ field, message: text }) => ({ field: nameOf(field), message: text })));
}
