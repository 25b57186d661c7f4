// One call in three dialects. Each answer comes back in the same form, so that one expectation holds for all.

import {
  type DescMethod,
  type DescMethodStreaming,
  type DescMethodUnary,
  type DescService,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { headerName, parameterName } from "../../../gateway/json/enum-names.ts";
import { createAnswerer } from "../../../gateway/rest/answer.ts";
import { createBinder } from "../../../gateway/rest/bind.ts";
import { type Route, routesOf } from "../../../gateway/route/route.ts";
import { ErrorDetailSchema } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { reasonRule } from "../../../src/kit/fault/fault.ts";
import { methodFacts } from "../../../src/kit/rpc/options.ts";

const timeoutMs = 60_000;

/** The ways to call. */
export type Dialect = "rest" | "connect" | "grpc";
/** All of them. */
export const dialects: readonly Dialect[] = ["rest", "connect", "grpc"];

/** A call, its request in REST's JSON form. */
export interface TestCall {
  /** "<Service>/<Method>". */
  readonly method: string;
  readonly request: JsonObject;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly rawBody?: string;
}

/** An answer. RPC answers have the REST status that their reason stands for. */
export interface TestAnswer {
  readonly status: number;
  /** Value of detail.error; "" where the call succeeded. */
  readonly error: string;
  readonly body: JsonValue;
  /** The bytes of a REST answer, as text. */
  readonly text?: string;
  readonly headers: Headers;
  /** Paths that a 400 or 422 names. */
  readonly fields: readonly string[];
}

/** Calls methods of services at an address, in any dialect. */
export interface Caller {
  call(dialect: Dialect, call: TestCall): Promise<TestAnswer>;
}

/** A caller of these services at this address. */
export function createCaller(baseUrl: string, services: readonly DescService[]): Caller {
  const routes = new Map(
    [...rpcRoutes(services), ...routesOf(services)].map((route) => [callName(route.method), route]),
  );
  const transports: Record<"connect" | "grpc", Transport> = {
    connect: createConnectTransport({ baseUrl, httpVersion: "1.1" }),
    grpc: createGrpcTransport({ baseUrl }),
  };
  return {
    call(dialect, call) {
      const route = routes.get(call.method);
      if (route === undefined) throw new Error(`there is no method ${call.method}`);
      return dialect === "rest" ? callRest(baseUrl, route, call) : callRpc(transports[dialect], route, call);
    },
  };
}

/** How tests name a method: "<Service>/<Method>". */
export function callName(method: DescMethod): string {
  return `${method.parent.name}/${method.name}`;
}

// Methods without a path of their own, as if their request were a body.
function rpcRoutes(services: readonly DescService[]): Route[] {
  return services
    .flatMap((service) => service.methods)
    .map((method) => ({ method, facts: methodFacts(method) }))
    .filter(({ facts }) => facts.http === undefined)
    .map((rest) => ({ ...rest, verb: "POST", path: "", pathFields: [], body: "*", responseBody: undefined }));
}

async function callRest(baseUrl: string, route: Route, call: TestCall): Promise<TestAnswer> {
  if (route.path === "") throw new Error(`${callName(route.method)} has no path; call it by RPC`);
  const { url, headers, body } = restRequest(route, call);
  const response = await fetch(new URL(url, baseUrl), {
    method: route.verb,
    headers: { ...headers, ...authorization(call.token), ...call.headers },
    body: call.rawBody ?? (body === undefined ? undefined : JSON.stringify(body)),
    redirect: "manual",
  });
  const text = await response.text();
  const isJson = /^application\/(?:scim\+)?json/.test(response.headers.get("content-type") ?? "");
  const json: JsonValue = isJson && text !== "" ? JSON.parse(text) : text;
  const failure = response.ok || response.status < 400 ? undefined : failureIn(json, response.headers);
  return {
    status: response.status,
    error: failure?.error ?? "",
    body: json,
    text,
    headers: response.headers,
    fields: failure?.fields ?? [],
  };
}

interface FailureBody {
  readonly detail?: { readonly error?: string; readonly fields?: readonly { readonly field: string }[] };
  /** As OpenAI writes failures. */
  readonly error?: { readonly code: string | null; readonly param: string | null };
}

function failureIn(json: JsonValue, headers: Headers): { readonly error: string; readonly fields: readonly string[] } {
  // SCIM's form of failures has no place for the code.
  const code = headers.get("x-error-code");
  if (code !== null) return { error: code, fields: [] };
  const { detail, error } = json as FailureBody; // a wrong one makes the test fail
  if (error !== undefined) return { error: error.code ?? "", fields: error.param === null ? [] : [error.param] };
  return { error: detail?.error ?? "", fields: detail?.fields?.map(({ field }) => field) ?? [] };
}

function restRequest(route: Route, { request, rawBody }: TestCall) {
  const rest: JsonObject = { ...request };
  const headers: Record<string, string> = {};
  let url = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  for (const field of route.method.input.fields) {
    const name = headerName(field);
    if (name === "" || rest[field.name] === undefined) continue;
    headers[name] = String(rest[field.name]);
    delete rest[field.name];
  }
  if (route.body !== "" || rawBody !== undefined) {
    // Where one field is the body, its value alone travels.
    const { [typeof route.body === "string" ? "" : route.body.name]: part, ...others } = rest;
    if (typeof route.body !== "string") url += queryOf(route, others);
    const body = typeof route.body === "string" ? rest : part;
    const { requestMediaTypes: types } = route.facts;
    const json = "application/json";
    return { url, headers: { "content-type": types.includes(json) ? json : (types[0] ?? json), ...headers }, body };
  }
  url += queryOf(route, rest);
  return { url, headers, body: undefined };
}

function queryOf({ method }: Route, values: JsonObject): string {
  const nameOf = new Map(method.input.fields.map((field) => [field.name, parameterName(field)]));
  const query = new URLSearchParams(
    Object.entries(values).flatMap(([key, value]) =>
      // A list is its parameter as often as it has items.
      [value].flat().map((each) => [nameOf.get(key) ?? key, String(each)]),
    ),
  );
  return query.size > 0 ? `?${query}` : "";
}

async function callRpc(transport: Transport, route: Route, { request, token, headers }: TestCall): Promise<TestAnswer> {
  const all = { ...authorization(token), ...headers };
  try {
    const message = rpcMessage(route, request);
    if (route.method.methodKind !== "unary") return await callStream(transport, route, message, all);
    const method = route.method as DescMethodUnary; // its kind was just checked
    const response = await transport.unary(method, undefined, timeoutMs, all, message);
    const answer = createAnswerer(route)(response.message as Message, response.header);
    const json: JsonValue = answer.body === undefined ? "" : JSON.parse(String(answer.body));
    const answered = new Headers(answer.headers as Record<string, string>);
    return { status: answer.status, error: "", body: json, headers: answered, fields: [] };
  } catch (error) {
    return rpcFailure(ConnectError.from(error));
  }
}

// Sends one message, and reads the answers to their end: what fails later fails the call.
async function callStream(transport: Transport, route: Route, message: Message, headers: Record<string, string>) {
  const method = route.method as DescMethodStreaming; // the only other kind
  const requests = (async function* () {
    yield message;
  })();
  const response = await transport.stream(method, undefined, timeoutMs, headers, requests);
  const answers = await Array.fromAsync(response.message, (answer) => toJson(method.output, answer as Message));
  return { status: route.facts.successStatus, error: "", body: answers, headers: response.header, fields: [] };
}

/**
 * The request message of a route from REST's JSON. The REST binder reads it; only where each member travels differs.
 */
export function rpcMessage(route: Route, request: JsonObject): Message {
  const bind = createBinder({ ...route, pathFields: [], body: "*" });
  const body: JsonObject = {};
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request)) {
    const field = route.method.input.fields.find((candidate) => candidate.name === name);
    const header = field === undefined ? "" : headerName(field);
    if (header === "") body[name] = value;
    else headers[header.toLowerCase()] = String(value);
  }
  const { message, finish } = bind({ params: {}, query: "", headers });
  const fault = finish(body);
  if (fault !== undefined) throw fault;
  return message;
}

function rpcFailure(error: ConnectError): TestAnswer {
  const [detail] = error.findDetails(ErrorDetailSchema);
  if (detail === undefined) throw new Error(`no error detail on: ${error.message}`, { cause: error });
  const rule = reasonRule(detail.reason);
  if (rule.code !== error.code) throw new Error(`${rule.name} travelled as ${error.code}, not ${rule.code}`);
  const fields = (detail.extra?.fields as { field: string }[] | undefined) ?? [];
  return {
    status: rule.httpStatus,
    error: detail.error,
    body: { detail: { error: detail.error, message: error.rawMessage, ...detail.extra } },
    headers: error.metadata,
    fields: fields.map(({ field }) => field),
  };
}

function authorization(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
