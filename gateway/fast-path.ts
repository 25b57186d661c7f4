// The short way for REST calls of a few methods that are called very often. It answers only what is ordinary in every respect: a small
// JSON body, a good token, a request that certainly satisfies the rules of its fields. Everything else goes to the ordinary handler,
// whatever was read of it, so that there is one place that knows how to refuse. A test compares the two, byte by byte.
//
// An ordinary call costs ten times as much as what it does: some fifteen promises, four abort signals, two sets of headers.

import { isUtf8 } from "node:buffer";
import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { Role } from "../gen/policyguard/options/v1/options_pb.ts";
import type { Credential } from "../src/kit/context.ts";
import { Fault } from "../src/kit/error.ts";
import type { StreamHandler } from "../src/kit/http2-server.ts";
import { requestIdOf } from "../src/kit/interceptors/request.ts";
import { methodFacts } from "../src/kit/options.ts";
import { holdBody } from "./body.ts";
import { errorAnswer } from "./envelope.ts";
import {
  accessLine,
  bearer,
  type FastCallContext,
  type FastMethod,
  type FastPathContext,
  type FastPathOptions,
  maxFastBytes,
  noted,
  withinTime,
  withinTraceOf,
} from "./fast-call.ts";
import { requestLine, streamLine } from "./fast-line.ts";
import { createFastCall } from "./fast-rpc.ts";
import { createFastStream } from "./fast-stream.ts";
import { defaultHeaders, isGone, type RestHandler, type RestRequest, type RestResponse, sendAnswer } from "./http.ts";
import { messagePrinter } from "./json-print.ts";
import { messageReader } from "./json-read.ts";
import { parseJson } from "./json-text.ts";
import { Problems } from "./problem.ts";
import { createTurn } from "./turn.ts";

const plainTypes: ReadonlySet<string> = new Set(["application/json", "application/json; charset=utf-8"]);

/** The short ways of a server. */
export interface FastPath {
  readonly handler: RestHandler;
  readonly takeStream: StreamHandler;
}

/** Makes what takes the short way where it can. Throws for a method whose options ask for more than it does. */
export function createFastPath(options: FastPathOptions, parts: FastPathContext): FastPath {
  const context = { ...parts, take: createTurn(options.together) };
  const entries = new Map(options.methods.map((fast) => createEntry(fast, options, context)));
  const calls = new Map(options.methods.map((fast) => createFastCall(fast, options, context)));
  const streams = new Map(options.streams.map((fast) => createFastStream(fast, options, context)));
  const { ordinary, closing } = context;
  return {
    handler: (request, response) => {
      const url = request.method === "POST" && !closing.aborted ? (request.url ?? "") : "";
      const call = calls.get(url);
      // Streams of HTTP/2 that come here were left to the ordinary handler.
      if (call !== undefined && !("stream" in response) && call(requestLine(request, response, ordinary))) return;
      const entry = entries.get(url);
      const token = entry === undefined ? undefined : tokenOfPlain(request);
      if (entry === undefined || token === undefined) ordinary(request, response);
      else readBody(request, response, (bytes) => entry({ request, response, bytes, token }));
    },
    takeStream: (raw) => {
      const url = raw.headers[":method"] === "POST" && !closing.aborted ? (raw.headers[":path"] ?? "") : "";
      return calls.get(url)?.(streamLine(raw, ordinary)) ?? streams.get(url)?.(raw) ?? false;
    },
  };
}

/** The token of a request that looks plain by its headers. */
function tokenOfPlain({ headers }: RestRequest): string | undefined {
  const { authorization, "content-type": type, "content-encoding": encoding, "content-length": length } = headers;
  if (authorization === undefined || type === undefined || encoding !== undefined || length === undefined)
    return undefined;
  if (!plainTypes.has(type) || !(Number(length) <= maxFastBytes)) return undefined;
  return bearer.exec(authorization)?.[1];
}

// A request that ends before its body does is answered by nobody: its connection is gone.
function readBody(request: RestRequest, response: RestResponse, done: (bytes: Buffer) => void): void {
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  request.on("data", (chunk: Buffer) => {
    if (first === undefined) first = chunk;
    else {
      more ??= [first];
      more.push(chunk);
    }
  });
  request.once("end", () => done(more === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(more)));
  request.once("error", () => response.destroy());
}

interface FastExchange {
  readonly request: RestRequest;
  readonly response: RestResponse;
  readonly bytes: Buffer;
  readonly token: string;
}

function createEntry(
  fast: FastMethod,
  options: FastPathOptions,
  context: FastCallContext,
): readonly [string, (exchange: FastExchange) => void] {
  const { method } = fast;
  const attempt = createAttempt(fast, options);
  const respond = createResponder(method, options, context);
  const serve = (exchange: FastExchange): void => {
    const startedAtMs = performance.now();
    let result: Attempt | undefined;
    context.take({
      judge: () => {
        result = isGone(exchange.response) ? undefined : attempt(exchange);
      },
      answer: guarded(exchange, context, () => {
        if (result !== undefined) return respond(exchange, result, startedAtMs);
        holdBody(exchange.request, exchange.bytes);
        context.ordinary(exchange.request, exchange.response);
      }),
    });
  };
  return [plainUrl(method), serve];
}

// Nothing that is thrown here may end the process: the listener's own guard has returned by now.
function guarded({ response }: FastExchange, { log }: FastPathContext, work: () => void): () => void {
  return () => {
    try {
      work();
    } catch (err) {
      log.error({ err }, "the fast path failed");
      response.destroy();
    }
  };
}

/** A finished or coming answer, and who gets it. */
interface Attempt {
  readonly message: Message | Promise<Message>;
  readonly credential: Credential;
}

function createAttempt(
  { method, isSurelyValid, call }: FastMethod,
  { authenticate }: FastPathOptions,
): (exchange: FastExchange) => Attempt | undefined {
  const { kinds } = methodFacts(method).access;
  const reader = messageReader(method.input);
  return ({ request: { headers }, bytes, token }) => {
    try {
      const credential = authenticate(token);
      if (credential?.orgId === undefined || !kinds.includes(credential.kind) || !isUtf8(bytes)) return undefined;
      const request = create(method.input);
      const problems = new Problems();
      reader.into(request, parseJson(bytes.toString("utf8")), "", problems);
      if (problems.fault() !== undefined || !isSurelyValid(request)) return undefined;
      return { message: noted(withinTraceOf(headers, () => call(request))), credential };
    } catch {
      return undefined;
    }
  };
}

type Respond = (exchange: FastExchange, result: Attempt, startedAtMs: number) => void;

function createResponder(method: DescMethodUnary, { countCall }: FastPathOptions, context: FastPathContext): Respond {
  const print = messagePrinter(method.output);
  const names = { service: method.parent.typeName, method: method.name };
  const { log, limits } = context;
  return (exchange, { message, credential }, startedAtMs) => {
    const { request, response } = exchange;
    const requestId = requestIdOf(request.headers["x-request-id"]);
    const finish = (answer: Message): void => {
      send(response, requestId, print(answer));
      const durationMs = performance.now() - startedAtMs;
      countCall({ ...names, code: "ok", durationMs });
      if (log.isLevelEnabled("debug"))
        log.debug(accessLine(lineOf(request), { requestId, names, credential, durationMs }, context), "call");
    };
    if (!(message instanceof Promise)) return finish(message);
    withinTime(message, limits.timeoutMs)
      .then(finish)
      .catch((error: unknown) => {
        const code = error instanceof Fault ? "deadline_exceeded" : "internal";
        if (code === "internal") log.error({ err: error, request_id: requestId }, "internal error");
        countCall({ ...names, code, durationMs: performance.now() - startedAtMs });
        sendAnswer(request, response, errorAnswer(error, requestId));
      });
  };
}

function lineOf({ headers, socket }: RestRequest) {
  return { headers, remoteAddress: socket?.remoteAddress };
}

const { "cache-control": noStore, "x-content-type-options": noSniff } = defaultHeaders;

// The headers and their order are those of sendAnswer.
function send(response: RestResponse, requestId: string, body: string): void {
  if (isGone(response)) return;
  response.writeHead(200, {
    "cache-control": noStore,
    "x-content-type-options": noSniff,
    "x-request-id": requestId,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

/** The one URL of a method. Throws when the method's options ask for what only the ordinary path does. */
function plainUrl(method: DescMethodUnary): string {
  const { access, entitlement, http, successStatus } = methodFacts(method);
  const asks = [
    access.public,
    access.account,
    access.addressLimited,
    access.apiKeyHeader,
    access.leastRole !== Role.UNSPECIFIED,
  ]
    .concat([access.orgField, access.projectField, access.envField].map((name) => name !== ""))
    .concat([entitlement.plans.length > 0, successStatus !== 200]);
  if (asks.some(Boolean) || http?.pattern.case !== "post" || http.body !== "*" || http.pattern.value.includes("{")) {
    throw new Error(`${method.parent.typeName}/${method.name} asks for more than the fast path does`);
  }
  return http.pattern.value;
}
