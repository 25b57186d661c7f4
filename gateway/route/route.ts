// Routes, made from the (google.api.http) options of methods, and the look-up of a request's verb and path.

import type { DescField, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import createFindMyWay from "find-my-way";
import type { HttpRule } from "../../gen/google/api/http_pb.ts";
import { type MethodFacts, methodFacts, rawBodyType } from "../../src/kit/rpc/options.ts";

/** The HTTP verbs that operations have. */
export type Verb = "GET" | "PUT" | "POST" | "DELETE" | "PATCH";

const verbs: readonly Verb[] = ["GET", "PUT", "POST", "DELETE", "PATCH"];

/** One verb and path of one method. */
export interface Route {
  readonly method: DescMethod;
  readonly facts: MethodFacts;
  readonly verb: Verb;
  /** The template, such as "/v1/orgs/{org_id}". */
  readonly path: string;
  /** Request fields that the path fills, in order. */
  readonly pathFields: readonly DescField[];
  /** "" (no body), "*" (the request itself), or a field of the request. */
  readonly body: "" | "*" | DescField;
  /** The field of the answer that is the body; undefined: the answer itself. */
  readonly responseBody: DescField | undefined;
}

/** The routes of all methods that have an HTTP form. Throws for a form that the gateway cannot serve. */
export function routesOf(services: readonly DescService[]): Route[] {
  return services.flatMap((service) => service.methods).flatMap((method) => methodRoutes(method));
}

function methodRoutes(method: DescMethod): Route[] {
  const facts = methodFacts(method);
  if (facts.http === undefined) return [];
  const isCall = method.methodKind === "unary" || facts.upload !== undefined;
  if (!isCall && !isConversation(method) && !isRawStream(method)) {
    throw new Error(
      `${nameOf(method)}: only unary methods, conversations and streams of google.api.HttpBody have an HTTP form`,
    );
  }
  return [facts.http, ...facts.http.additionalBindings].map((rule) => createRoute(method, facts, rule));
}

/**
 * Whether both sides stream. Over HTTP such a method has one line of JSON for each message, in both directions at once.
 * The gateway only documents the form; the process that serves the method implements it.
 */
export function isConversation(method: DescMethod): boolean {
  return method.methodKind === "bidi_streaming";
}

function isRawStream(method: DescMethod): boolean {
  return method.methodKind === "server_streaming" && isRaw(method.output);
}

/** Whether messages of this type are the answer's bytes instead of JSON. */
export function isRaw(desc: DescMessage): boolean {
  return desc.typeName === rawBodyType;
}

function createRoute(method: DescMethod, facts: MethodFacts, rule: HttpRule): Route {
  if (rule.pattern.case === undefined) throw new Error(`${nameOf(method)}: (google.api.http) has no path`);
  const path = rule.pattern.value;
  const fields = templateFields(method, path).map((name) => fieldOf(method, method.input, name));
  return {
    method,
    facts,
    verb: verbOf(rule.pattern.case),
    path,
    pathFields: fields,
    body: rule.body === "" || rule.body === "*" ? rule.body : fieldOf(method, method.input, rule.body),
    responseBody: rule.responseBody === "" ? undefined : fieldOf(method, method.output, rule.responseBody),
  };
}

function verbOf(pattern: Lowercase<Verb>): Verb {
  const verb = verbs.find((candidate) => candidate.toLowerCase() === pattern);
  if (verb === undefined) throw new Error(`no HTTP verb "${pattern}"`);
  return verb;
}

/** Names in the template. A template has literal segments and whole-segment fields only. */
function templateFields(method: DescMethod, path: string): string[] {
  const segments = path.split("/").slice(1);
  const bad = segments.find((segment) => !/^([a-zA-Z0-9._-]+|\{[a-z][a-z0-9_]*\})$/.test(segment));
  if (!path.startsWith("/") || bad !== undefined) throw new Error(`${nameOf(method)}: cannot serve the path ${path}`);
  return segments.filter((segment) => segment.startsWith("{")).map((segment) => segment.slice(1, -1));
}

function fieldOf(method: DescMethod, message: DescMessage, name: string): DescField {
  const field = message.fields.find((candidate) => candidate.name === name);
  if (field === undefined) throw new Error(`${nameOf(method)}: ${message.typeName} has no field ${name}`);
  return field;
}

/** The method as its RPC path names it, such as "policyguard.control.v1.WebhookService/CreateWebhook". */
export function nameOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

/** The entry that a request belongs to, and the values of its path. */
export interface Match<Entry> {
  readonly entry: Entry;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** Finds entries by verb and path. */
export interface Router<Entry> {
  /** The entry of this verb and path, which comes still encoded and without its query. */
  find(verb: string, path: string): Match<Entry> | undefined;
  /** The verbs that the path has, for `Allow`; empty when no entry has the path. */
  allowed(path: string): string[];
}

/** A router over entries that each stand for a route. A literal segment wins over a field. */
export function createRouter<Entry extends { readonly route: Pick<Route, "verb" | "path"> }>(
  entries: readonly Entry[],
): Router<Entry> {
  // The length of a path is bounded by the listener's limit on headers.
  const router = createFindMyWay({ maxParamLength: 65_536, caseSensitive: true });
  for (const entry of entries) {
    router.on(entry.route.verb, entry.route.path.replace(/\{([a-z0-9_]+)\}/g, ":$1"), () => undefined, entry);
  }
  const find = (verb: Verb, path: string): Match<Entry> | undefined => {
    const found = router.find(verb, path);
    // An empty segment is no value of a field.
    if (found === null || Object.values(found.params).includes("")) return undefined;
    return { entry: found.store as Entry, params: found.params };
  };
  const known = (verb: string): Verb | undefined => verbs.find((candidate) => candidate === verb);
  return {
    find(verb, path) {
      const served = known(verb === "HEAD" ? "GET" : verb);
      return served === undefined ? undefined : find(served, path);
    },
    allowed(path) {
      const found = verbs.filter((verb) => find(verb, path) !== undefined);
      if (found.length === 0) return [];
      return [...found.flatMap((verb) => (verb === "GET" ? ["GET", "HEAD"] : [verb])), "OPTIONS"];
    },
  };
}
