// The compiled rules against protovalidate, over messages that are generated from the descriptors: a new field is
// covered at once.

import { create, type DescField, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { createValidator } from "@bufbuild/protovalidate";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EvaluateRequestSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import {
  EvaluateEachRequestSchema,
  EvaluateStreamRequestSchema,
  OpenStreamRequestSchema,
} from "../../../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { compileRules } from "../../../../src/kit/fault/compiled-rules.ts";

const units = [0, 1, 127, 128, 129, 256, 257];
// "x" is one code point, unit and byte; "😀" is one code point, two units, four bytes; half of it counts as one point
// and three bytes.
const text = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("user", "tool", "bot-1", "en", "de-AT", "auto", "5b0f2b0e-4a1c-4c07-9a3b-0d6b3f0b9d11"),
  },
  { weight: 1, arbitrary: fc.constantFrom("", "a b", "en\n", "5B0F2B0E-4A1C-4C07-9A3B-0D6B3F0B9D11", "é", "\ud83d") },
  { weight: 1, arbitrary: fc.constantFrom(...units.flatMap((count) => ["x".repeat(count), "😀".repeat(count)])) },
);
const sizes = [65_536, 65_537, 1_048_576, 1_048_577];
const long = fc.constantFrom(
  ...sizes.flatMap((bytes) => [
    "x".repeat(bytes),
    `${"é".repeat(bytes / 2)}x`,
    `${"x".repeat(bytes % 4)}${"😀".repeat(bytes / 4)}`,
  ]),
);
const numbers = fc.constantFrom(-(2 ** 31), -1, 0, 1, 2, 100, 30_000, 30_001, 2 ** 31 - 1);
const counts = [64, 65, 256, 257, 1024, 1025];

const sometimes = (value: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

/** Values of a field, most of them valid. */
function anyValueOf(field: DescField): fc.Arbitrary<unknown> {
  if (field.fieldKind === "list") {
    const item = field.listKind === "message" ? messageOf(field.message) : scalarOf(field);
    const many = fc
      .tuple(item, fc.constantFrom(...counts))
      .map(([one, count]) => Array.from({ length: count }, () => one));
    return fc.oneof({ weight: 20, arbitrary: fc.array(item, { maxLength: 3 }) }, { weight: 1, arbitrary: many });
  }
  return field.fieldKind === "message" ? messageOf(field.message) : scalarOf(field);
}

function scalarOf(field: DescField): fc.Arbitrary<unknown> {
  const { scalar, enum: values } = field;
  if (values !== undefined)
    return fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom(...values.values.map(({ number }) => number)) },
      { weight: 1, arbitrary: fc.constantFrom(-1, 99) },
    );
  if (scalar === 9) return fc.oneof({ weight: 60, arbitrary: text }, { weight: 1, arbitrary: long });
  if (scalar === 8) return fc.boolean();
  return numbers;
}

function messageOf(schema: DescMessage): fc.Arbitrary<unknown> {
  // Any JSON: no rule reaches into it.
  if (schema.typeName === "google.protobuf.Struct") return fc.constant({ any: ["x"] });
  const fields = Object.fromEntries(schema.fields.map((field) => [field.localName, sometimes(anyValueOf(field))]));
  return fc.record(fields);
}

describe("compiled rules", () => {
  const validator = createValidator();

  it.each<[string, DescMessage]>([
    ["EvaluateRequest", EvaluateRequestSchema],
    ["EvaluateEachRequest", EvaluateEachRequestSchema],
  ])("of %s say what protovalidate says", (_, schema) => {
    const isValid = compileRules(schema);
    const seen = { valid: 0, invalid: 0 };
    fc.assert(
      fc.property(messageOf(schema), (value) => {
        const message = create(schema, value as MessageInitShape<typeof schema>);
        const expected = validator.validate(schema, message).kind === "valid";
        seen[expected ? "valid" : "invalid"]++;
        expect(isValid(message)).toBe(expected);
      }),
      { numRuns: 3000, seed: 16 },
    );
    expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(30);
  });

  // Each field alone, so that its rule decides.
  it.each(EvaluateRequestSchema.fields.map((field) => [field.name, field] as const))(
    "of the field %s alone, likewise",
    (_, field) => {
      const isValid = compileRules(EvaluateRequestSchema);
      fc.assert(
        fc.property(anyValueOf(field), (value) => {
          const message = create(EvaluateRequestSchema, { [field.localName]: value });
          expect(isValid(message)).toBe(validator.validate(EvaluateRequestSchema, message).kind === "valid");
        }),
        { numRuns: 200, seed: 17 },
      );
    },
  );

  it.each<[string, DescMessage]>([
    ["a rule of a oneof", EvaluateStreamRequestSchema],
    ["required", OpenStreamRequestSchema],
  ])("throw for a rule that they do not know: %s", (rule, schema) => {
    expect(() => compileRules(schema)).toThrow(`does not know, ${rule}`);
  });
});
