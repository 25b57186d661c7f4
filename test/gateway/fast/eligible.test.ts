import { create, type DescMethod, type MessageInitShape } from "@bufbuild/protobuf";
import type { MethodOptions } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { assertEligible, plainUrl, undecidedOptions } from "../../../gateway/fast/eligible.ts";
import { http } from "../../../gen/google/api/annotations_pb.ts";
import { HttpRuleSchema } from "../../../gen/google/api/http_pb.ts";
import {
  type Access,
  AccessSchema,
  access,
  audit,
  CredentialKind,
  EntitlementSchema,
  emits,
  entitlement,
  header,
  Role,
  status_when_true as statusWhenTrue,
  success,
} from "../../../gen/policyguard/options/v1/options_pb.ts";
import {
  type DescribedField,
  type DescribedMethod,
  describeService,
  fieldOptions,
  methodOptions,
  option,
} from "../described-service.ts";

type Rules = Exclude<MessageInitShape<typeof AccessSchema>, Access>;
type SetOption = (options: MethodOptions) => void;

const runtimes: SetOption = option(access, create(AccessSchema, { kinds: [CredentialKind.RUNTIME] }));
const both = { clientStreaming: true, serverStreaming: true };

/** A method that the fast path serves, but for what is given. */
function methodWith(
  set: readonly SetOption[],
  kind: Partial<DescribedMethod> = {},
  fields: readonly DescribedField[] = [],
): DescMethod {
  const messages = { Request: [{ name: "text" }, ...fields], Response: [{ name: "text" }] };
  const method = {
    name: "Ask",
    input: "Request",
    output: "Response",
    options: methodOptions(runtimes, ...set),
    ...kind,
  };
  const [described] = describeService(messages, [method]).methods;
  if (described === undefined) throw new Error("the method was not described");
  return described;
}

function accessWith(rules: Rules): SetOption {
  return option(access, create(AccessSchema, { kinds: [CredentialKind.RUNTIME], ...rules }));
}

/** A value of each field of Access that asks for more than the kind of a credential. */
const restrictions: Readonly<Record<Exclude<keyof Access, `$${string}` | "kinds">, Rules>> = {
  public: { public: true },
  leastRole: { leastRole: Role.VIEWER },
  orgField: { orgField: "text" },
  projectField: { projectField: "text" },
  envField: { envField: "text" },
  apiKeyHeader: { apiKeyHeader: true },
  account: { account: true },
  addressLimited: { addressLimited: true },
  providerSession: { providerSession: true },
  orgFromCredential: { orgFromCredential: true },
};

describe("a method on the fast path", () => {
  it("has no option on which the fast path has not decided", () => {
    expect(undecidedOptions()).toEqual([]);
  });

  it.each([
    ["unary", {}],
    ["streaming", both],
  ])("may ask for a kind of credential, %s", (_, kind) => {
    expect(() => assertEligible(methodWith([], kind))).not.toThrow();
  });

  it("is refused for each field of its access rules but the kinds", () => {
    const fields = AccessSchema.fields.map(({ localName }) => localName);
    expect(Object.keys(restrictions).toSorted()).toEqual(fields.filter((name) => name !== "kinds").toSorted());
    for (const kind of [{}, both]) {
      for (const [name, rules] of Object.entries(restrictions)) {
        expect(() => assertEligible(methodWith([accessWith(rules)], kind)), name).toThrow(`access.${name}`);
      }
    }
  });

  it.each<[string, SetOption]>([
    ["entitlement.plans", option(entitlement, create(EntitlementSchema, { plans: ["growth"] }))],
    ["audit", option(audit, "text.ask")],
    ["emits", option(emits, ["policy.published"])],
    ["successStatus", option(success, 201)],
  ])("is refused for %s", (name, set) => {
    for (const kind of [{}, both]) expect(() => assertEligible(methodWith([set], kind))).toThrow(`does: ${name}`);
  });

  it("is refused for a field that travels in a header or as a status", () => {
    const inHeader = { name: "cookie", options: fieldOptions(option(header, "Cookie")) };
    const asStatus = { name: "same", options: fieldOptions(option(statusWhenTrue, 304)) };
    expect(() => assertEligible(methodWith([], {}, [inHeader]))).toThrow("header of cookie");
    expect(() => assertEligible(methodWith([], {}, [asStatus]))).toThrow("status_when_true of same");
  });
});

describe("the URL of a method on the fast path", () => {
  it("is its path", () => {
    const form = create(HttpRuleSchema, { pattern: { case: "post", value: "/v1/ask" }, body: "*" });
    expect(plainUrl(methodWith([option(http, form)]))).toBe("/v1/ask");
  });

  it.each([
    ["another verb", { pattern: { case: "put", value: "/v1/ask" }, body: "*" }],
    ["a field in the path", { pattern: { case: "post", value: "/v1/{text}" }, body: "*" }],
    ["a field as the body", { pattern: { case: "post", value: "/v1/ask" }, body: "text" }],
    ["a field as the answer", { pattern: { case: "post", value: "/v1/ask" }, body: "*", responseBody: "text" }],
  ] as const)("is refused for %s", (_, form) => {
    const method = methodWith([option(http, create(HttpRuleSchema, form))]);
    expect(() => plainUrl(method)).toThrow("asks for more than the fast path does: http");
  });
});
