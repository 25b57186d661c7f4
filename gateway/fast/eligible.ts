// Which methods may take the fast path. Of all that the interceptors check, it checks the token and the kind of its
// credential, and nothing else. So each fact that an option states about a method has a decision here, and start-up
// refuses a method with a fact that the fast path does not implement. An option without a decision counts as such a
// fact; a test fails as long as there is one.

import { type DescExtension, type DescField, type DescMessage, type DescMethod, hasOption } from "@bufbuild/protobuf";
import { FieldOptionsSchema, MethodOptionsSchema } from "@bufbuild/protobuf/wkt";
import {
  type Access,
  type Entitlement,
  file_policyguard_options_v1_options as optionsFile,
  Role,
} from "../../gen/policyguard/options/v1/options_pb.ts";
import { type MethodFacts, methodFacts } from "../../src/kit/rpc/options.ts";
import { nameOf } from "../route/route.ts";

/** Whether the fast path serves a method of which this fact has this value. Types ask for a decision on every fact. */
type Decisions<Facts> = { readonly [Name in Exclude<keyof Facts, `$${string}`>]: (value: Facts[Name]) => boolean };

/** The fast path does what the fact asks for, or the fact has no effect on how a call is served. */
const always = () => true;
const isFalse = (value: boolean) => !value;
const isEmpty = (value: string | readonly unknown[]) => value.length === 0;

const accessDecisions: Decisions<Access> = {
  public: isFalse,
  kinds: always, // checked for each call
  leastRole: (role) => role === Role.UNSPECIFIED,
  orgField: isEmpty,
  projectField: isEmpty,
  envField: isEmpty,
  apiKeyHeader: isFalse,
  account: isFalse,
  addressLimited: isFalse,
  providerSession: isFalse,
  orgFromCredential: isFalse,
};

const entitlementDecisions: Decisions<Entitlement> = {
  // Only runtimes have a fast path, and leases tell them which organizations are blocked.
  openWhenBillingBlocked: always,
  plans: isEmpty,
};

const factDecisions: Decisions<MethodFacts> = {
  access: (access) => refusedFacts(accessDecisions, access).length === 0,
  entitlement: (entitlement) => refusedFacts(entitlementDecisions, entitlement).length === 0,
  // Decided on for the REST form alone, see isPlainForm. Other forms are served by the ordinary path.
  http: always,
  successStatus: (status) => status === 200,
  audit: isEmpty,
  emits: isEmpty,
  fails: always, // documentation
  mayLag: (mayLag) => !mayLag,
  parameterFault: always, // a request with a fault is left to the ordinary path
  requestMediaTypes: (types) => types.join() === "application/json",
  answerMediaTypes: (types) => types.join() === "application/json",
  upload: (upload) => upload === undefined,
};

/** The fact that an option of a method becomes. */
const factOfOption: Readonly<Record<string, keyof MethodFacts>> = {
  access: "access",
  access_preset: "access",
  success: "successStatus",
  entitlement: "entitlement",
  audit: "audit",
  emits: "emits",
  fails: "fails",
  may_lag: "mayLag",
  parameter_fault: "parameterFault",
  request_media_types: "requestMediaTypes",
  answer_media_types: "answerMediaTypes",
  max_upload_mebibytes: "upload",
};

/** Whether a field of a request or an answer may have the option. */
const fieldOptions: Readonly<Record<string, boolean>> = {
  sensitive: true,
  header: false,
  parameter: false,
  status_when_true: false,
  not_empty_when_given: true, // the decoder heeds it
  must_be_given: true, // and this
  example: true,
  cut_anywhere: true, // a text that was cut is left to the ordinary path
};

/** Options of methods and fields on which there is no decision yet. */
export function undecidedOptions(): string[] {
  const decided = { ...factOfOption, ...fieldOptions };
  return [...optionsOf(MethodOptionsSchema), ...optionsOf(FieldOptionsSchema)]
    .filter(({ name }) => !Object.hasOwn(decided, name))
    .map(({ name }) => name);
}

/** Throws for a method whose options ask for more than the fast path does, whether it is unary or streams. */
export function assertEligible(method: DescMethod): void {
  const facts = methodFacts(method);
  const refused = [
    ...refusedFacts(accessDecisions, facts.access).map((name) => `access.${name}`),
    ...refusedFacts(entitlementDecisions, facts.entitlement).map((name) => `entitlement.${name}`),
    ...refusedFacts({ ...factDecisions, access: always, entitlement: always }, facts),
    ...optionsOf(MethodOptionsSchema)
      .filter((option) => hasOption(method, option) && !Object.hasOwn(factOfOption, option.name))
      .map(({ name }) => name),
    ...[...method.input.fields, ...method.output.fields].flatMap(refusedFieldOptions),
  ];
  if (refused.length === 0) return;
  throw new Error(`${nameOf(method)} asks for more than the fast path does: ${refused.join(", ")}`);
}

/**
 * The one URL of a unary method over REST. Throws when its HTTP form is more than a message that is posted and one that
 * is answered.
 */
export function plainUrl(method: DescMethod): string {
  const { http } = methodFacts(method);
  if (http?.pattern.case !== "post" || !isPlainForm(http)) {
    throw new Error(`${nameOf(method)} asks for more than the fast path does: http`);
  }
  return http.pattern.value;
}

function isPlainForm({ pattern, body, responseBody }: NonNullable<MethodFacts["http"]>): boolean {
  return body === "*" && responseBody === "" && typeof pattern.value === "string" && !pattern.value.includes("{");
}

function refusedFacts<Facts extends object>(decisions: Decisions<Facts>, facts: Facts): string[] {
  const names = Object.keys(decisions) as (keyof Decisions<Facts>)[]; // an object literal of that type
  return names.filter((name) => !decisions[name](facts[name])).map(String);
}

function refusedFieldOptions(field: DescField): string[] {
  return optionsOf(FieldOptionsSchema)
    .filter((option) => hasOption(field, option) && fieldOptions[option.name] !== true)
    .map(({ name }) => `${name} of ${field.name}`);
}

function optionsOf(extendee: DescMessage): DescExtension[] {
  return optionsFile.extensions.filter((extension) => extension.extendee.typeName === extendee.typeName);
}
