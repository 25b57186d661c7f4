// One HTTP request into one request message. Binds as much as it can: what cannot be read becomes a fault that is raised only
// after authentication and authorization, which need the fields of the path.

import { create, type DescField, type JsonValue, type Message } from "@bufbuild/protobuf";
import { type Fault, malformedRequest } from "../src/kit/error.ts";
import { createFieldAssigner } from "./assign.ts";
import { createValueReader, messageReader } from "./json-read.ts";
import { Problems } from "./problem.ts";
import type { Route } from "./route.ts";
import { createTextReader } from "./text-read.ts";
import { headerName } from "./wire.ts";

/** What of a request is bound. */
export interface RequestParts {
  readonly params: Readonly<Record<string, string | undefined>>;
  /** The raw query, without "?". */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body; undefined when the route takes none or none came. */
  readonly body: JsonValue | undefined;
}

/** The request message, and what could not be bound into it. */
export interface Bound {
  readonly message: Message;
  readonly fault: Fault | undefined;
}

type Step = (message: Message, parts: RequestParts, problems: Problems) => void;

/** The binder of a route. Throws when a field of the request has no way to travel. Bad percent-encoding is thrown when bound. */
export function createBinder(route: Route): (parts: RequestParts) => Bound {
  const { input } = route.method;
  const inHeader = input.fields.filter((field) => headerName(field) !== "");
  const elsewhere = new Set<DescField>([...route.pathFields, ...inHeader]);
  if (typeof route.body !== "string") elsewhere.add(route.body);
  const inQuery = route.body === "*" ? [] : input.fields.filter((field) => !elsewhere.has(field));
  const steps: Step[] = [
    ...(route.body === "" ? [] : [bodyStep(route)]),
    ...(inQuery.length === 0 ? [] : [queryStep(inQuery)]),
    ...inHeader.map(headerStep),
    ...route.pathFields.map(pathStep), // last: the path has precedence over the body
  ];
  return (parts) => {
    const message = create(input);
    const problems = new Problems();
    for (const step of steps) step(message, parts, problems);
    return { message, fault: problems.fault() };
  };
}

function bodyStep(route: Route): Step {
  const { body } = route;
  if (typeof body !== "string") {
    const read = createValueReader(body);
    const assign = createFieldAssigner(body);
    return (message, parts, problems) => {
      if (parts.body !== undefined) assign(message, read(parts.body, body.name, problems));
    };
  }
  const reader = messageReader(route.method.input);
  const skip = new Set(route.pathFields.map((field) => field.name));
  return (message, parts, problems) => reader.into(message, parts.body ?? {}, "", problems, skip);
}

function queryStep(fields: readonly DescField[]): Step {
  const byName = new Map(
    fields.map((field) => [field.name, { read: createTextReader(field), assign: createFieldAssigner(field) }] as const),
  );
  return (message, parts, problems) => {
    if (parts.query === "") return;
    for (const [name, texts] of parseQuery(parts.query)) {
      const field = byName.get(name);
      if (field !== undefined) field.assign(message, field.read(texts, name, problems));
    }
  };
}

function headerStep(field: DescField): Step {
  const name = headerName(field);
  const key = name.toLowerCase();
  const read = createTextReader(field);
  const assign = createFieldAssigner(field);
  return (message, parts, problems) => {
    const value = parts.headers[key];
    if (value !== undefined) assign(message, read([Array.isArray(value) ? value.join(", ") : value], name, problems));
  };
}

function pathStep(field: DescField): Step {
  const read = createTextReader(field);
  const assign = createFieldAssigner(field);
  return (message, parts, problems) => assign(message, read([parts.params[field.name] ?? ""], field.name, problems));
}

/** The parameters of a query, each with its texts in order. Throws malformed_request for bad percent-encoding. */
export function parseQuery(query: string): Map<string, string[]> {
  const parameters = new Map<string, string[]>();
  for (const part of query.split("&")) {
    if (part === "") continue;
    const [name = "", ...rest] = part.split("=");
    const texts = parameters.get(decodeQuery(name));
    const text = decodeQuery(rest.join("="));
    if (texts === undefined) parameters.set(decodeQuery(name), [text]);
    else texts.push(text);
  }
  return parameters;
}

function decodeQuery(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw malformedRequest("the query has bad percent-encoding");
  }
}
