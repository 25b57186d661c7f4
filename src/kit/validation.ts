// The rules of fields. They are compiled when a message of its kind is first held against them, which takes some ten milliseconds.

import { create, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { pathToString } from "@bufbuild/protobuf/reflect";
import { createValidator } from "@bufbuild/protovalidate";
import { validationFailed } from "./error.ts";

const validator = createValidator();

/** Compiles the rules of a message before the first of its kind comes. */
export function prepareRules(schema: DescMessage): void {
  validator.validate(schema, create(schema));
}

/** Throws validation_failed for a message that fails the rules of its fields. `nameOf` gives fields the caller's names. */
export function assertValid<T extends DescMessage>(
  schema: T,
  message: MessageShape<T>,
  nameOf: (field: string) => string = (field) => field,
): void {
  const result = validator.validate(schema, message);
  if (result.kind === "error") throw result.error;
  if (result.kind === "valid") return;
  throw validationFailed(
    result.violations.map(({ field, message: text }) => ({ field: nameOf(pathToString(field)), message: text })),
  );
}
