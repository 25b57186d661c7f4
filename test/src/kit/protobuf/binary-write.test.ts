import {
  create,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
  ScalarType,
  toBinary,
} from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EvaluateResponseSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { type EvaluationRecord, EvaluationRecordSchema } from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import {
  EvaluateEachResponseSchema,
  EvaluateStreamResponseSchema,
} from "../../../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { binaryWriter } from "../../../../src/kit/protobuf/binary-write.ts";

const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom(
    "",
    "x".repeat(16),
    "x".repeat(17),
    "y".repeat(127),
    "y".repeat(128),
    "é".repeat(64),
    "😀".repeat(9_000),
  ),
  fc.constantFrom("\ud800", "a\udc00b", "\ud800".repeat(20), "\u0000"),
);
const json = fc.constantFrom({}, { a: 1, b: [null, "x", { c: -0.5 }] }, { text: "é".repeat(200) });

/** What a field of this type may hold: any value, the default ones often. */
function anyOf(field: DescMessage["fields"][number], depth: number): fc.Arbitrary<unknown> {
  if (field.message !== undefined) {
    if (field.message.typeName === "google.protobuf.Struct") return json;
    return messageOf(field.message, depth + 1);
  }
  if (field.enum !== undefined) return fc.constantFrom(...field.enum.values.map(({ number }) => number), 77, -3);
  switch (field.scalar) {
    case ScalarType.STRING:
      return text;
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 200 });
    case ScalarType.DOUBLE:
      return fc.oneof(fc.double(), fc.constantFrom(0, -0, Number.NaN, Number.POSITIVE_INFINITY));
    case ScalarType.INT64:
      return fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.constant(0n));
    case ScalarType.UINT32:
      return fc.nat(2 ** 32 - 1);
    default:
      return fc.oneof(
        fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
        fc.constantFrom(0, 127, 128, 16_383, 16_384, -1),
      );
  }
}

function messageOf<Desc extends DescMessage>(desc: Desc, depth = 0): fc.Arbitrary<MessageShape<Desc>> {
  const single = desc.fields.filter(({ oneof }) => oneof === undefined);
  const fields = Object.fromEntries(
    single.map((field) => {
      const value = anyOf(field, depth);
      return [field.localName, field.fieldKind === "list" ? fc.array(value, { maxLength: 3 }) : value];
    }),
  );
  const groups = Object.fromEntries(
    desc.oneofs.map((oneof) => [
      oneof.localName,
      fc.oneof(...oneof.fields.map((field) => anyOf(field, depth).map((value) => ({ case: field.localName, value })))),
    ]),
  );
  return fc
    .record({ ...fields, ...groups }, { requiredKeys: [] })
    .map((given) => create(desc, given as MessageInitShape<Desc>));
}

describe("messages that are written backwards", () => {
  it.each<[string, DescMessage]>([
    ["records", EvaluationRecordSchema],
    ["answers", EvaluateResponseSchema],
    ["one of several answers", EvaluateEachResponseSchema],
    ["events of a stream", EvaluateStreamResponseSchema],
  ])("have the bytes of the library: %s", (_, desc) => {
    const write = binaryWriter(desc);
    fc.assert(
      fc.property(messageOf(desc), (message) => {
        const expected = Buffer.from(toBinary(desc, message));
        expect(write(message).equals(expected)).toBe(true);
        expect(write(message, 5).subarray(5).equals(expected)).toBe(true);
      }),
      { numRuns: 1_000, seed: 4 },
    );
  });

  it("keep fields that nobody here knows", () => {
    const message = create(EvaluateResponseSchema, { evaluationId: "e", latencyUs: -1 });
    message.$unknown = [
      { no: 1_000, wireType: 2, data: Uint8Array.of(2, 7, 8) },
      { no: 1_001, wireType: 0, data: Uint8Array.of(5) },
    ];
    expect(binaryWriter(EvaluateResponseSchema)(message).equals(toBinary(EvaluateResponseSchema, message))).toBe(true);
  });

  it("have the bytes of a copy that has other values, or some of the fields", () => {
    const withoutText = (segments: EvaluationRecord["segments"]) => segments.map((each) => ({ ...each, text: "" }));
    const write = binaryWriter(EvaluationRecordSchema, { instead: { segments: withoutText } });
    const writeSome = binaryWriter(EvaluationRecordSchema, { only: ["segments", "agentId"] });
    fc.assert(
      fc.property(messageOf(EvaluationRecordSchema), (message) => {
        message.$unknown = [{ no: 1_000, wireType: 0, data: Uint8Array.of(5) }];
        const { segments, agentId } = message;
        const copy = { ...message, segments: withoutText(segments) };
        expect(write(message).equals(toBinary(EvaluationRecordSchema, copy))).toBe(true);
        const some = create(EvaluationRecordSchema, { segments, agentId });
        expect(writeSome(message).equals(toBinary(EvaluationRecordSchema, some))).toBe(true);
      }),
      { numRuns: 300, seed: 5 },
    );
  });

  it("grow beyond what was ever written before", () => {
    const segments = [{ id: "text", text: "é".repeat(3_000_000) }];
    const message = create(EvaluationRecordSchema, { segments });
    expect(binaryWriter(EvaluationRecordSchema)(message).equals(toBinary(EvaluationRecordSchema, message))).toBe(true);
  });

  it("refuse a number that is no integer, as the library does", () => {
    const message = create(EvaluateResponseSchema, { latencyUs: 0.5 });
    expect(() => toBinary(EvaluateResponseSchema, message)).toThrow();
    expect(() => binaryWriter(EvaluateResponseSchema)(message)).toThrow();
  });
});
