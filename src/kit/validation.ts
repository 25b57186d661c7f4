// The rules of fields, for messages that no interceptor sees: those that are made of something else than a request.

import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { pathToString } from "@bufbuild/protobuf/reflect";
import { createValidator } from "@bufbuild/protovalidate";
import { validationFailed } from "./error.ts";

const validator = createValidator();

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
