// Binds one HTTP request to one request message, in two steps. Path, query and headers come first, since authentication
// and authorization need the fields of the path. The body follows when the caller is known to be allowed to call.
// Values that cannot be read become one fault, which is raised after both steps.

import { create, type DescField, type JsonValue, type Message } from "@bufbuild/protobuf";
import type { Fault } from "../../src/kit/fault/fault.ts";
import { createFieldAssigner } from "../json/assign.ts";
import { createValueDecoder, messageDecoder } from "../json/decode.ts";
import { headerName, parameterName } from "../json/enum-names.ts";
import { Problems } from "../json/problems.ts";
import { createTextValueDecoder } from "../json/text-value.ts";
import type { Route } from "../route/route.ts";

/** The parts of a request that are bound before its body is read. */
export interface RequestParts {
  readonly params: Readonly<Record<string, string | undefined>>;
  /** Whether a segment of the path cannot be decoded. Such a segment is given as it was sent. */
  readonly isPathMalformed?: boolean;
  /** The raw query, without "?". */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A request message with the values of path, query and headers. */
export interface Draft {
  readonly message: Message;
  /** Binds the parsed body (undefined: there is none). Returns the fault of all parts, if there is one. */
  finish(body: JsonValue | undefined): Fault | undefined;
}

type Step = (message: Message, parts: RequestParts, problems: Problems) => void;
type BodyStep = (message: Message, body: JsonValue | undefined, problems: Problems) => void;

/** The binder of a route. Throws when a field of the request has no way to travel. */
export function createBinder(route: Route): (parts: RequestParts) => Draft {
  const { input } = route.method;
  const inHeader = input.fields.filter((field) => headerName(field) !== "");
  const elsewhere = new Set<DescField>([...route.pathFields, ...inHeader]);
  if (typeof route.body !== "string") elsewhere.add(route.body);
  const inQuery = route.body === "*" ? [] : input.fields.filter((field) => !elsewhere.has(field));
  const steps: Step[] = [
    ...(inQuery.length === 0 ? [] : [queryStep(inQuery)]),
    ...inHeader.map(headerStep),
    ...route.pathFields.map(pathStep),
  ];
  const isBodyBound = route.body !== "" && route.facts.upload === undefined; // an upload is passed on as it comes
  const readBody = isBodyBound ? bodyStep(route) : () => undefined;
  return (parts) => {
    const message = create(input);
    const problems = new Problems();
    for (const step of steps) step(message, parts, problems);
    return {
      message,
      finish(body) {
        readBody(message, body, problems);
        return problems.fault();
      },
    };
  };
}

function bodyStep(route: Route): BodyStep {
  const { body } = route;
  if (typeof body !== "string") {
    const read = createValueDecoder(body);
    const assign = createFieldAssigner(body);
    return (message, json, problems) => {
      if (json !== undefined) assign(message, read(json, body.name, problems));
    };
  }
  const reader = messageDecoder(route.method.input);
  const skip = new Set(route.pathFields.map((field) => field.name)); // the path has precedence over the body
  return (message, json, problems) => reader.into(message, json ?? {}, "", problems, skip);
}

function queryStep(fields: readonly DescField[]): Step {
  const byName = new Map(
    fields.map(
      (field) =>
        [parameterName(field), { read: createTextValueDecoder(field), assign: createFieldAssigner(field) }] as const,
    ),
  );
  return (message, parts, problems) => {
    if (parts.query === "") return;
    for (const [name, texts] of parseQuery(parts.query, problems)) {
      const field = byName.get(name);
      if (field !== undefined) field.assign(message, field.read(texts, name, problems));
    }
  };
}

function headerStep(field: DescField): Step {
  const name = headerName(field);
  const key = name.toLowerCase();
  const read = createTextValueDecoder(field);
  const assign = createFieldAssigner(field);
  return (message, parts, problems) => {
    const value = parts.headers[key];
    if (value !== undefined) assign(message, read([Array.isArray(value) ? value.join(", ") : value], name, problems));
  };
}

function pathStep(field: DescField): Step {
  const read = createTextValueDecoder(field);
  const assign = createFieldAssigner(field);
  return (message, parts, problems) => {
    const text = parts.params[field.name] ?? "";
    if (parts.isPathMalformed === true && decoded(text) === undefined) problems.add(field.name, badEncoding);
    assign(message, read([text], field.name, problems));
  };
}

const badEncoding = "has bad percent-encoding";

/** The parameters of a query, each with its texts in order. Those that cannot be decoded are noted as problems. */
function parseQuery(query: string, problems: Problems): Map<string, string[]> {
  const parameters = new Map<string, string[]>();
  for (const part of query.split("&")) {
    if (part === "") continue;
    const [rawName = "", ...rest] = part.split("=");
    const name = decodedQuery(rawName);
    const text = decodedQuery(rest.join("="));
    if (name === undefined || text === undefined) {
      problems.add(name ?? rawName, badEncoding);
      continue;
    }
    const texts = parameters.get(name);
    if (texts === undefined) parameters.set(name, [text]);
    else texts.push(text);
  }
  return parameters;
}

function decodedQuery(text: string): string | undefined {
  return decoded(text.replaceAll("+", " "));
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
