import { create, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messageEncoder } from "../../../gateway/json/encode.ts";
import { messageTextEncoder } from "../../../gateway/json/encode-text.ts";
import { ListTracesResponseSchema } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { EvaluateResponseSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";

/** Messages of any type, with values of all kinds in their fields. */
function anyMessage(desc: DescMessage, depth = 0): fc.Arbitrary<Message> {
  const fields = desc.fields.flatMap((field): [string, fc.Arbitrary<unknown>][] => {
    const { localName, oneof, message } = field;
    if (oneof !== undefined || field.fieldKind === "map") return [];
    if (message !== undefined) {
      if (message.typeName === "google.protobuf.Struct")
        return [[localName, fc.constantFrom({}, { a: 1, b: [null, "x"] }, undefined)]];
      if (message.typeName === "google.protobuf.Timestamp")
        return [[localName, fc.constantFrom({ seconds: 1_800_000_000n, nanos: 5 }, undefined)]];
      if (message.typeName.startsWith("google.") || depth > 2) return [];
      const inner = anyMessage(message, depth + 1);
      return [
        [
          localName,
          field.fieldKind === "list" ? fc.array(inner, { maxLength: 3 }) : fc.option(inner, { nil: undefined }),
        ],
      ];
    }
    const value = field.enum === undefined ? anyScalar(field.scalar) : fc.integer({ min: 0, max: 6 });
    return [[localName, field.fieldKind === "list" ? fc.array(value, { maxLength: 3 }) : value]];
  });
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] }).map((init) => create(desc, init as never)); // an init by construction
}

function anyScalar(type: number | undefined): fc.Arbitrary<unknown> {
  switch (type) {
    case ScalarType.DOUBLE:
      return fc.oneof(fc.double(), fc.constantFrom(0, -0, 1e21, Number.NaN, Number.POSITIVE_INFINITY));
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.STRING:
      return fc.string({ unit: "binary" });
    case ScalarType.BYTES:
      return fc.uint8Array();
    case ScalarType.UINT32:
      return fc.nat(2 ** 32 - 1);
    default:
      return fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
  }
}

describe("a message encoded as text", () => {
  it.each([EvaluateResponseSchema, EvaluationRecordSchema, ListTracesResponseSchema])(
    "$typeName is, byte by byte, the JSON of what the writer makes of it",
    (desc) => {
      const print = messageTextEncoder(desc);
      const write = messageEncoder(desc);
      fc.assert(
        fc.property(anyMessage(desc), (message) => {
          expect(print(message)).toBe(JSON.stringify(write(message)));
        }),
        { numRuns: 1000, seed: 1 },
      );
    },
  );
});
