// One route as one operation of the document.

import type { DescField, JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Access } from "../../gen/policyguard/options/v1/options_pb.ts";
import { CredentialKindSchema, RoleSchema } from "../../gen/policyguard/options/v1/options_pb.ts";
import { headerName, parameterName, statusWhenTrue, wireNames } from "../json/enum-names.ts";
import { isRaw, nameOf, type Route } from "../route/route.ts";
import { type Comments, firstSentence } from "./comment.ts";
import { routeFailures } from "./failure.ts";
import {
  type Content,
  type Header,
  type Operation,
  type Parameter,
  type Reference,
  type Response,
  refTo,
  type SecurityRequirement,
} from "./model.ts";
import { type RecordedExamples, recordedFor, requestPart } from "./recorded.ts";
import { isRequired } from "./rule.ts";
import type { Sampler } from "./sample.ts";
import type { Direction, SchemaBook } from "./schema.ts";

/** What operations are printed from. */
export interface Sources {
  readonly book: SchemaBook;
  readonly sampler: Sampler;
  readonly comments: Comments;
  readonly examples: RecordedExamples;
}

/** The operation of a route. */
export function describeOperation(route: Route, sources: Sources): Operation {
  const { method, facts } = route;
  const comment = sources.comments.of(method);
  const body = requestBody(route, sources);
  return {
    operationId: method.localName,
    tags: [tagOf(route)],
    summary: firstSentence(comment),
    description: comment,
    security: securityOf(facts.access),
    parameters: parametersOf(route, sources),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { ...successes(route, sources), ...routeFailures(route) },
    "x-policy-guard-method": nameOf(method),
    "x-policy-guard-access": accessFacts(facts.access),
    ...(facts.audit === "" ? {} : { "x-policy-guard-audit": facts.audit }),
    ...(facts.emits.length === 0 ? {} : { "x-policy-guard-emits": [...facts.emits] }),
  };
}

/** The group that the operation is listed in: its service's noun. */
export function tagOf({ method }: Pick<Route, "method">): string {
  return method.parent.name.replace(/Service$/, "");
}

function securityOf(access: Access): SecurityRequirement[] {
  if (access.public) return [];
  return access.apiKeyHeader ? [{ bearerAuth: [] }, { apiKey: [] }] : [{ bearerAuth: [] }];
}

/** Who may call, in documented spellings. */
function accessFacts(access: Access): JsonObject {
  if (access.public) return { public: true };
  const kinds = wireNames(CredentialKindSchema).nameOf;
  return {
    kinds: access.kinds.map((kind) => kinds.get(kind) ?? null),
    least_role: wireNames(RoleSchema).nameOf.get(access.leastRole) ?? null,
    ...(access.orgField === "" ? {} : { org_field: access.orgField }),
    ...(access.projectField === "" ? {} : { project_field: access.projectField }),
    ...(access.envField === "" ? {} : { env_field: access.envField }),
    ...(access.apiKeyHeader ? { api_key_header: true } : {}),
  };
}

function parametersOf({ method, pathFields, body }: Route, sources: Sources): Parameter[] {
  const recorded = recordedFor(sources.examples, method)?.request ?? {};
  const parameter = (field: DescField, place: Parameter["in"]) => {
    const example = place === "header" ? undefined : recorded[field.name];
    return { ...parameterOf(field, place, sources), ...(example === undefined ? {} : { example }) };
  };
  const inHeader = method.input.fields.filter((field) => headerName(field) !== "");
  const elsewhere = new Set<DescField | string>([...pathFields, ...inHeader, body]);
  const inQuery = body === "*" ? [] : method.input.fields.filter((field) => !elsewhere.has(field));
  return [
    ...pathFields.map((field) => parameter(field, "path")),
    ...inQuery.map((field) => parameter(field, "query")),
    ...inHeader.map((field) => parameter(field, "header")),
  ];
}

function parameterOf(field: DescField, place: Parameter["in"], { book, comments }: Sources): Parameter {
  const { description: _, ...schema } = book.field(field, "in");
  return {
    name: { header: headerName(field), query: parameterName(field), path: field.name }[place],
    in: place,
    required: place === "path" || isRequired(field),
    description: comments.of(field),
    schema: notNull(schema),
  };
}

/** Text has no null: an optional parameter is left out. */
function notNull(schema: JsonObject): JsonObject {
  if (!Array.isArray(schema.type)) return schema;
  const present = { ...schema, type: schema.type[0] ?? "string" };
  return Array.isArray(schema.enum) ? { ...present, enum: schema.enum.filter((value) => value !== null) } : present;
}

function requestBody({ method, body, facts }: Route, sources: Sources): Operation["requestBody"] {
  if (body === "") return undefined;
  if (facts.upload !== undefined) return { required: true, content: bytesOf(facts.requestMediaTypes) };
  const recorded = recordedFor(sources.examples, method);
  if (body !== "*") {
    return {
      required: isRequired(body),
      content: fieldContent(body, "in", facts.requestMediaTypes, sources, recorded?.request[body.name]),
    };
  }
  const fields = sources.book.bodyFields(method.input);
  return {
    required: fields.some(isRequired), // an empty body is read as {}
    content: content(
      facts.requestMediaTypes,
      sources.book.message(method.input, "in"),
      recorded === undefined ? sources.sampler.message(method.input, "in") : requestPart(recorded, fields),
    ),
  };
}

function successes(route: Route, sources: Sources): Record<string, Response | Reference> {
  const { method, facts } = route;
  const headers = responseHeaders(route, sources);
  const content = facts.successStatus === 204 ? {} : { content: successContent(route, sources) };
  const success = { description: facts.successStatus === 204 ? "Done." : "The answer.", headers, ...content };
  const special = method.output.fields
    .filter((field) => statusWhenTrue(field) !== 0)
    .map((field) => [statusWhenTrue(field), { description: sources.comments.of(field), headers }] as const);
  return { [facts.successStatus]: success, ...Object.fromEntries(special) };
}

function successContent(route: Route, sources: Sources): Content {
  const { method, facts, responseBody } = route;
  if (isRaw(method.output)) return bytesOf(facts.answerMediaTypes);
  const recorded = recordedFor(sources.examples, method)?.answer;
  if (responseBody !== undefined) return fieldContent(responseBody, "out", facts.answerMediaTypes, sources, recorded);
  const example = recorded ?? sources.sampler.message(method.output, "out");
  return content(facts.answerMediaTypes, sources.book.message(method.output, "out"), example);
}

/** Bodies of bytes. */
function bytesOf(types: readonly string[]): Content {
  return Object.fromEntries(types.map((type) => [type, { schema: {} }]));
}

function content(types: readonly string[], schema: JsonObject, example: JsonValue): Content {
  return Object.fromEntries(types.map((type) => [type, { schema, example }]));
}

function fieldContent(
  field: DescField,
  direction: Direction,
  types: readonly string[],
  { book, sampler }: Sources,
  recorded: JsonValue | undefined,
): Content {
  const item = book.item(field, direction);
  const schema = field.fieldKind === "list" ? { type: "array", items: item } : item;
  return content(types, schema, recorded ?? sampler.field(field, direction));
}

function responseHeaders({ method }: Route, { book, comments }: Sources): Record<string, Header | Reference> {
  const fields = method.output.fields.filter((field) => headerName(field) !== "");
  const own = fields.map((field) => [
    headerName(field),
    { description: comments.of(field), schema: book.item(field, "out") },
  ]);
  return { "X-Request-Id": refTo("headers", "X-Request-Id"), ...Object.fromEntries(own) };
}
