import {
  clone,
  create,
  type DescField,
  type DescMessage,
  equals,
  fromJson,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { messageDecoder } from "../../../gateway/json/decode.ts";
import { messageEncoder } from "../../../gateway/json/encode.ts";
import { parseJson } from "../../../gateway/json/parse.ts";
import { Problems } from "../../../gateway/json/problems.ts";
import { formatTimestamp, parseTimestamp } from "../../../gateway/json/timestamp.ts";
import { BundleSchema } from "../../../gen/policyguard/bundle/v1/bundle_pb.ts";
import { CreatePolicyRequestSchema } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { TraceSchema } from "../../../gen/policyguard/control/v1/trace_pb.ts";
import { WebhookDeliverySchema } from "../../../gen/policyguard/control/v1/webhook_pb.ts";
import { EvaluateRequestSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { ReportRequestSchema, StatusSchema } from "../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { CallSchema } from "../../../gen/policyguard/testing/v1/vector_pb.ts";

const anyJson: fc.Arbitrary<JsonValue> = fc
  .jsonValue({ maxDepth: 3 })
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll("-0", "0")));
const anyObject = fc.dictionary(fc.string({ unit: "binary" }), anyJson, { maxKeys: 4 });
const seconds = fc.integer({
  min: Date.parse("0001-01-01T00:00:00Z") / 1000,
  max: Date.parse("9999-12-31T23:59:59Z") / 1000,
});

/**
 * ProtoJSON of a message with some fields set. The library's own fromJson makes the message, so that ours is compared
 * with it.
 */
function anyProtoJson(desc: DescMessage, depth: number): fc.Arbitrary<JsonValue> {
  switch (desc.typeName) {
    case "google.protobuf.Timestamp":
      return seconds.map((value) => new Date(value * 1000).toISOString());
    case "google.protobuf.Struct":
      return anyObject;
    case "google.protobuf.Value":
      return anyJson;
  }
  const fields = desc.fields.filter((field) => (depth > 0 || field.message === undefined) && field.oneof === undefined);
  const groups = desc.oneofs.map((oneof) =>
    fc.oneof(...oneof.fields.map((field) => fc.record({ [field.name]: anyField(field, depth) }))),
  );
  const record = fc.record(Object.fromEntries(fields.map((field) => [field.name, anyField(field, depth)])), {
    // An unset Value is written as null, which is a Value itself.
    requiredKeys: fields.filter((field) => field.message?.typeName === ValueSchema.typeName).map((field) => field.name),
  });
  return fc.tuple(record, ...groups).map((parts) => Object.assign({}, ...parts));
}

function anyField(field: DescField, depth: number): fc.Arbitrary<JsonValue> {
  const item = anyItem(field, depth);
  if (field.fieldKind === "list") return fc.array(item, { maxLength: 3 });
  return field.fieldKind === "map" ? fc.dictionary(fc.string(), item, { maxKeys: 3 }) : item;
}

function anyItem(field: DescField, depth: number): fc.Arbitrary<JsonValue> {
  if (field.message !== undefined) return anyProtoJson(field.message, depth - 1);
  if (field.enum !== undefined) return fc.constantFrom(...field.enum.values.slice(1).map((value) => value.name));
  switch (field.scalar) {
    case ScalarType.STRING:
      return fc.string({ unit: "binary" });
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.BYTES:
      return fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("base64"));
    case ScalarType.DOUBLE:
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
    case ScalarType.INT32:
      return fc.integer();
    case ScalarType.UINT32:
      return fc.nat(2 ** 32 - 1);
    default:
      throw new Error(`no values for ${field.toString()}`);
  }
}

function read(desc: DescMessage, json: JsonValue) {
  const message = create(desc);
  const problems = new Problems();
  messageDecoder(desc).into(message, json, "", problems);
  return { message, fields: problems.fault()?.extra.fields };
}

const descs: DescMessage[] = [
  EvaluateRequestSchema,
  TraceSchema,
  WebhookDeliverySchema,
  BundleSchema,
  CreatePolicyRequestSchema,
  ReportRequestSchema,
  StatusSchema,
  CallSchema,
];

describe("JSON of messages", () => {
  test.each(descs.map((desc) => [desc.typeName, desc] as const))(
    "%s: what is written reads back as the same message",
    (_, desc) => {
      const write = messageEncoder(desc);
      fc.assert(
        fc.property(anyProtoJson(desc, 3), (protoJson) => {
          const message = fromJson(desc, protoJson);
          const before = clone(desc, message);
          const back = read(desc, parseJson(JSON.stringify(write(message))));
          expect(back.fields).toBeUndefined();
          expect(equals(desc, back.message, message)).toBe(true);
          expect(equals(desc, before, message)).toBe(true);
        }),
        { numRuns: 300, seed: 20261120 },
      );
    },
  );

  test.each(descs.map((desc) => [desc.typeName, desc] as const))(
    "%s: every field is written, whatever is set",
    (_, desc) => {
      const written = messageEncoder(desc)(create(desc));
      expect(Object.keys(written)).toEqual(desc.fields.map((field) => field.name));
    },
  );

  test.each(descs.map((desc) => [desc.typeName, desc] as const))("%s: no JSON makes the decoder throw", (_, desc) => {
    const names = desc.fields.map((field) => field.name);
    const json = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), anyJson, { maxKeys: 5 });
    fc.assert(
      fc.property(json, (value) => {
        const { message, fields } = read(desc, value);
        expect(message.$typeName).toBe(desc.typeName);
        expect(fields === undefined || Array.isArray(fields)).toBe(true);
      }),
      { numRuns: 300, seed: 20261120 },
    );
  });

  test("numbers out of range, fractions and endless numbers are refused with their field", () => {
    const cases: [JsonValue, string][] = [
      [{ next: 1 }, "unknown field"],
      [{ attempts: 2147483648 }, "expected an integer from -2147483648 to 2147483647"],
      [{ attempts: 1.5 }, "expected an integer, got a fraction"],
      [{ attempts: Number.POSITIVE_INFINITY }, "expected an integer from -2147483648 to 2147483647"],
      [{ attempts: "5" }, "expected an integer, got a string"],
      [{ attempts: null }, "expected an integer, got null"],
    ];
    for (const [json, message] of cases) {
      expect(read(WebhookDeliverySchema, json).fields).toMatchObject([{ message: expect.stringContaining(message) }]);
    }
    expect(read(StatusSchema, { spool_depth: Number.POSITIVE_INFINITY }).fields).toMatchObject([
      { message: "the number is out of range" },
    ]);
    expect(read(WebhookDeliverySchema, { attempts: 5.0 }).fields).toBeUndefined();
  });

  test("only one member of a oneof can be set", () => {
    const [first, second] = ReportRequestSchema.oneofs[0]?.fields ?? [];
    const json = { [first?.name ?? ""]: {}, [second?.name ?? ""]: {} };
    expect(read(ReportRequestSchema, json).fields).toMatchObject([{ message: expect.stringContaining("only one of") }]);
  });

  test("NaN has no JSON number and is written as null", () => {
    expect(messageEncoder(StatusSchema)(create(StatusSchema, { spoolDepth: Number.NaN }))).toMatchObject({
      spool_depth: null,
    });
  });
});

describe("times", () => {
  test.each([
    ["2026-11-20T09:00:00Z", "2026-11-20T09:00:00Z"],
    ["2026-11-20T09:00:00.999999999Z", "2026-11-20T09:00:00Z"],
    ["2026-11-20T10:30:00+01:30", "2026-11-20T09:00:00Z"],
    ["2024-02-29T23:59:59-00:00", "2024-02-29T23:59:59Z"],
    ["1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"],
  ])("%s is %s", (text, formatted) => {
    const time = parseTimestamp(text);
    expect(time === undefined ? undefined : formatTimestamp(time)).toBe(formatted);
  });

  test.each([
    "2026-11-20",
    "2026-11-20 09:00:00Z",
    "2026-11-20T09:00:00",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-11-20T24:00:00Z",
    "2026-11-20T09:60:00Z",
    "2026-11-20T09:00:00.Z",
    "2026-11-20T09:00:00+24:00",
    "0001-01-01T00:00:00+01:00",
    "now",
    "",
  ])("%s is no time", (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});

describe("JSON text", () => {
  test("a text without duplicate keys gives the value that JSON.parse gives", () => {
    fc.assert(
      fc.property(anyJson, fc.constantFrom(undefined, 1, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 1000, seed: 20261120 },
    );
  });

  test("a byte order mark is refused by its name", () => {
    expect(() => parseJson('\uFEFF{"a": 1}')).toThrow(/byte order mark/);
    expect(parseJson('{"a": "\uFEFF"}')).toEqual({ a: "\uFEFF" });
  });

  test("a duplicate key is found at every place and in every spelling", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), anyJson, anyJson, fc.nat({ max: 20 }), (key, a, b, depth) => {
        const escaped = [...key]
          .map((c) => (c.length === 1 ? `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}` : c))
          .join("");
        const inner = `{"other\\"":{},${JSON.stringify(key)} : ${JSON.stringify(a)},"${escaped}":${JSON.stringify(b)}}`;
        fc.pre(key !== 'other"');
        expect(() => parseJson(`${"[".repeat(depth)}${inner}${"]".repeat(depth)}`)).toThrow(/twice/);
      }),
      { numRuns: 1000, seed: 20261120 },
    );
  });

  test("long runs of quotes, backslashes and keys are read in linear time", () => {
    const value = {
      a: '\\"'.repeat(200_000),
      b: "\\".repeat(200_001),
      c: Array.from({ length: 50_000 }, (_, i) => ({ [`k${i}`]: "\u0001" })),
    };
    const text = JSON.stringify(value);
    const startedAt = performance.now();
    expect(parseJson(text)).toEqual(value);
    expect(performance.now() - startedAt).toBeLessThan(20_000); // quadratic would be minutes
  });
});
