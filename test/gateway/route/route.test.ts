import { create, createFileRegistry, type DescService, type MessageInitShape, setExtension } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  MethodOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { createBinder } from "../../../gateway/rest/bind.ts";
import { routesOf } from "../../../gateway/route/route.ts";
import { http } from "../../../gen/google/api/annotations_pb.ts";
import type { HttpRuleSchema } from "../../../gen/google/api/http_pb.ts";
import { HttpRuleSchema as RuleSchema } from "../../../gen/google/api/http_pb.ts";
import { AccessSchema, access } from "../../../gen/policyguard/options/v1/options_pb.ts";

interface MethodForm {
  readonly rule: MessageInitShape<typeof HttpRuleSchema>;
  readonly clientStreaming?: boolean;
  readonly serverStreaming?: boolean;
  readonly hasAccess?: boolean;
}

/** A service of one method; its request has the fields `name` (text), `tags` (texts) and `nested` (a message). */
function serviceOf({ rule, clientStreaming, serverStreaming, hasAccess = true }: MethodForm): DescService {
  const options = create(MethodOptionsSchema);
  setExtension(options, http, create(RuleSchema, rule));
  if (hasAccess) setExtension(options, access, create(AccessSchema, { public: true }));
  const text = { type: FieldDescriptorProto_Type.STRING, label: FieldDescriptorProto_Label.OPTIONAL };
  const file = create(FileDescriptorProtoSchema, {
    name: "t.proto",
    package: "t",
    syntax: "proto3",
    messageType: [
      {
        name: "Request",
        field: [
          { name: "name", number: 1, ...text },
          { name: "tags", number: 2, ...text, label: FieldDescriptorProto_Label.REPEATED },
        ],
      },
      {
        name: "Nesting",
        field: [
          { name: "name", number: 1, ...text },
          { name: "nested", number: 2, ...text, type: FieldDescriptorProto_Type.MESSAGE, typeName: ".t.Request" },
        ],
      },
    ],
    service: [
      {
        name: "S",
        method: [
          {
            name: "Do",
            inputType: rule.selector === "nesting" ? ".t.Nesting" : ".t.Request",
            outputType: ".t.Request",
            clientStreaming,
            serverStreaming,
            options,
          },
        ],
      },
    ],
  });
  const service = createFileRegistry(file, () => undefined).getService("t.S");
  if (service === undefined) throw new Error("no service t.S");
  return service;
}

const get = (path: string) => ({ pattern: { case: "get" as const, value: path } });

describe("a method is refused at start", () => {
  test.each<[string, MethodForm, RegExp]>([
    ["without access", { rule: get("/v1/x"), hasAccess: false }, /no \(access\) option/],
    ["without a path", { rule: {} }, /has no path/],
    ["with a path that names no field", { rule: get("/v1/{nobody}") }, /has no field nobody/],
    ["with a pattern for a path field", { rule: get("/v1/{name=**}") }, /cannot serve the path/],
    ["with a field within a segment", { rule: get("/v1/x-{name}") }, /cannot serve the path/],
    ["with a stream of requests", { rule: get("/v1/x"), clientStreaming: true }, /only unary methods/],
    ["with a stream of JSON answers", { rule: get("/v1/x"), serverStreaming: true }, /only unary methods/],
    [
      "with an answer's field that is not there",
      { rule: { ...get("/v1/x"), responseBody: "zip" } },
      /has no field zip/,
    ],
  ])("%s", (_, form, message) => {
    expect(() => routesOf([serviceOf(form)])).toThrow(message);
  });

  test("when a field of its request has no way to travel", () => {
    const [route] = routesOf([serviceOf({ rule: { ...get("/v1/{name}"), selector: "nesting" } })]);
    expect(() => route && createBinder(route)).toThrow(/t.Nesting.nested cannot travel/);
  });
});

describe("binding", () => {
  const parts = { params: { name: "n" }, query: "", headers: {} };

  test("a list in the query has a value for each time it is given", () => {
    const [route] = routesOf([serviceOf({ rule: get("/v1/{name}") })]);
    const bound = route && createBinder(route)({ ...parts, query: "tags=a&tags=&x=1&tags=b%2Cc" });
    expect(bound?.message).toMatchObject({ name: "n", tags: ["a", "", "b,c"] });
    expect(bound?.finish(undefined)).toBeUndefined();
  });

  test("a body can be one field, while the others stay in the query", () => {
    const rule = { pattern: { case: "post" as const, value: "/v1/x" }, body: "nested", selector: "nesting" };
    const [route] = routesOf([serviceOf({ rule })]);
    const bound = route && createBinder(route)({ ...parts, query: "name=q" });
    const fault = bound?.finish({ name: "inner", tags: [1] });
    expect(bound?.message).toMatchObject({ name: "q", nested: { name: "inner" } });
    expect(fault?.extra).toMatchObject({ fields: [{ field: "nested.tags[0]" }] });
  });

  test("further bindings are routes of their own", () => {
    const service = serviceOf({ rule: { ...get("/v1/{name}"), additionalBindings: [get("/v1/by-name/{name}")] } });
    expect(routesOf([service]).map(({ path }) => path)).toEqual(["/v1/{name}", "/v1/by-name/{name}"]);
  });
});
