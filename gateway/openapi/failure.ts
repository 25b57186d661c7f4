// The catalogue of reasons as responses and schemas of the document.

import type { DescEnum, JsonObject } from "@bufbuild/protobuf";
import { type ReasonRule, reasonRules } from "../../src/kit/fault/fault.ts";
import { parametersOf } from "../../src/kit/rpc/parameter.ts";
import { foreignErrorForm, foreignErrorForms } from "../route/error-form.ts";
import type { Route } from "../route/route.ts";
import type { Comments } from "./comment.ts";
import { type Reference, type Response, refTo, type Schema } from "./model.ts";

const statusNames: ReadonlyMap<number, string> = new Map([
  [400, "BadRequest"],
  [401, "Unauthorized"],
  [402, "PaymentRequired"],
  [403, "Forbidden"],
  [404, "NotFound"],
  [405, "MethodNotAllowed"],
  [409, "Conflict"],
  [412, "PreconditionFailed"],
  [413, "TooLarge"],
  [415, "UnsupportedMediaType"],
  [422, "Unprocessable"],
  [423, "Locked"],
  [429, "TooManyRequests"],
  [500, "InternalError"],
  [503, "Unavailable"],
  [504, "Timeout"],
]);

/** The response component of a status. */
function failureName(status: number): string {
  return statusNames.get(status) ?? `Status${status}`;
}

/** Every failure by its status: which codes it has and what they mean. */
export function failureResponses(reason: DescEnum, comments: Comments): Record<string, Response> {
  const byStatus = Map.groupBy(reasonRules(), (rule) => rule.httpStatus);
  const responses = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, rules]) => [failureName(status), failureResponse(rules, meanings(reason, comments))] as const);
  const any = { description: "Any other failure.", content: { "application/json": { schema: envelopeRef() } } };
  return { ...Object.fromEntries(responses), Failure: any, ...foreignResponses() };
}

function foreignResponses(): Record<string, Response> {
  const responses = foreignErrorForms.map(({ name, mediaType }) => {
    const content = { [mediaType]: { schema: { ...refTo("schemas", `${name}Error`) } } };
    const headers = { "X-Request-Id": refTo("headers", "X-Request-Id") };
    return [`${name}Failure`, { description: "A failure.", headers, content }] as const;
  });
  return Object.fromEntries(responses);
}

function meanings(reason: DescEnum, comments: Comments): ReadonlyMap<number, string> {
  return new Map(reason.values.map((value) => [value.number, comments.of(value)]));
}

function failureResponse(rules: readonly ReasonRule[], meaning: ReadonlyMap<number, string>): Response {
  const lines = rules.map((rule) => `- \`${rule.error}\`: ${meaning.get(rule.reason) ?? ""}`);
  const [first] = rules;
  const example = { detail: { error: first?.error ?? "", message: "what was wrong, in words" } };
  return {
    description: lines.join("\n"),
    headers: { "X-Request-Id": refTo("headers", "X-Request-Id") },
    content: { "application/json": { schema: envelopeRef(), example } },
  };
}

function envelopeRef(): Schema {
  return { ...refTo("schemas", "ErrorEnvelope") };
}

/** The error envelope and the catalogue of its codes. */
export function failureSchemas(reason: DescEnum, comments: Comments): Record<string, Schema> {
  const meaning = meanings(reason, comments);
  const codes: JsonObject[] = reasonRules()
    .filter((rule) => rule.error !== "")
    .map((rule) => ({
      const: rule.error,
      title: rule.name,
      description: `Status ${rule.httpStatus}. ${meaning.get(rule.reason) ?? ""}`,
    }));
  return {
    ErrorCode: {
      description: "Machine-readable kind of failure. Further codes may be added within v1.",
      anyOf: [{ oneOf: codes }, { type: "string" }],
    },
    ErrorDetail: {
      type: "object",
      description: "A typed failure. Some kinds have further keys, such as `fields`, `limit` or `retry_after`.",
      properties: {
        error: { ...refTo("schemas", "ErrorCode") },
        message: { type: "string", description: "What was wrong, for a person." },
        fields: {
          type: "array",
          description: "With validation_failed and invalid_parameter: each field that fails, and what was expected.",
          items: {
            type: "object",
            properties: { field: { type: "string" }, message: { type: "string" } },
            required: ["field", "message"],
          },
        },
      },
      required: ["error", "message"],
      additionalProperties: true,
    },
    ErrorEnvelope: {
      type: "object",
      description: "Body of every answer with a status of 400 or more.",
      properties: {
        detail: { oneOf: [{ type: "string" }, { ...refTo("schemas", "ErrorDetail") }] },
      },
      required: ["detail"],
    },
    ...Object.fromEntries(foreignErrorForms.map(({ name, schema }) => [`${name}Error`, schema])),
  };
}

/** The failures that a route documents, by status: those that its access, path, body and effect make possible. */
export function routeFailures({ facts, verb, path, body, method }: Route): Record<string, Reference> {
  const isOpen = facts.access.public;
  const hasParameters = parametersOf(method).size > 0;
  // A body can be malformed or have unknown fields although the request has none of its own.
  const hasBody = body !== "";
  const own = reasonRules().filter(({ error }) => facts.fails.includes(error));
  const statuses = new Map<number, boolean>([
    [400, hasBody || (hasParameters && facts.parameterFault === 400) || facts.access.apiKeyHeader],
    [401, !isOpen],
    [402, !isOpen && !facts.entitlement.openWhenBillingBlocked],
    [403, !isOpen],
    [404, path.includes("{") || facts.access.orgField === ""],
    [409, verb !== "GET" && facts.audit !== ""],
    [413, body !== ""],
    [415, body !== ""],
    [422, hasBody || (hasParameters && facts.parameterFault === 422)],
    [429, facts.access.addressLimited],
    [500, true],
    [503, true],
    [504, true],
  ]);
  const applying = [...statuses].filter(([, applies]) => applies).map(([status]) => status);
  const foreign = foreignErrorForm(path);
  const written = (status: number) => foreign?.statusOf?.({ status, code: "", message: "", extra: {} }) ?? status;
  const documented = [...new Set([...applying, ...own.map(({ httpStatus }) => httpStatus)].map(written))];
  const refOf = (name: string) => refTo("responses", foreign === undefined ? name : `${foreign.name}Failure`);
  return {
    ...Object.fromEntries(documented.map((status) => [status, refOf(failureName(status))])),
    default: refOf("Failure"),
  };
}
