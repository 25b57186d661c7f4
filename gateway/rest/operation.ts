// One route made ready to serve: its binder, its answerer, and the call between them.

import type {
  DescMethod,
  DescMethodClientStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  Message,
} from "@bufbuild/protobuf";
import { type ContextValues, createContextValues, type Transport } from "@connectrpc/connect";
import { peerAddress } from "../../src/kit/net/address.ts";
import { connectionKey } from "../../src/kit/rpc/context.ts";
import { compressed } from "../http/compression.ts";
import { callHeaders } from "../http/header.ts";
import { hostOf, type RestRequest, sendAnswer } from "../http/http.ts";
import { cutFields } from "../json/enum-names.ts";
import { parseJson } from "../json/parse.ts";
import { inSlices } from "../large/slices.ts";
import type { Entry, Exchange } from "../route/entry.ts";
import { nameOf, type Route } from "../route/route.ts";
import { createAnswerer, createLargeBodyWriter } from "./answer.ts";
import { createBinder, type Draft } from "./bind.ts";
import { readJsonBody } from "./body.ts";
import { sendStream } from "./stream.ts";
import { createUploadReader, type UploadReader } from "./upload.ts";

/** Bounds of REST calls. */
export interface RestLimits {
  readonly maxBodyBytes: number;
  /** Time limit of a call; above the maximum wait that an operation offers. */
  readonly timeoutMs: number;
  /** Time that a streamed download may take. */
  readonly streamTimeoutMs: number;
}

/** The entry of a route. Throws when the route's messages have no HTTP form. */
export function createOperation(
  route: Route,
  { transport, limits, trustedHops }: { transport: Transport; limits: RestLimits; trustedHops: number },
): Entry {
  assertNamedInPath(route);
  const bind = createBinder(route);
  const call = createCall(route, transport, limits);
  const mediaTypes = route.facts.requestMediaTypes;
  const cutTexts = route.body === "*" ? cutFields(route.method.input) : [];
  return {
    route,
    async serve(exchange) {
      const { request, params, isPathMalformed, query } = exchange;
      const draft = bind({ params, isPathMalformed, query, headers: request.headers });
      const readBody = once(async () => {
        const text = route.body === "" ? "" : await readJsonBody(request, { ...limits, mediaTypes });
        return draft.finish(text === "" ? undefined : parseJson(text, { cutTexts }));
      });
      const address = addressOf(request, trustedHops);
      await call(
        exchange,
        draft,
        createContextValues().set(connectionKey, { address, host: hostOf(request), readBody }),
      );
    },
  };
}

/** The same, done once and remembered: authorization may need the body before validation does. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

// Who may call is decided before the body is read, unless the credential itself may say which organization is meant.
function assertNamedInPath({ method, facts, pathFields }: Route): void {
  const { orgField, projectField, envField, orgFromCredential } = facts.access;
  const missing = [orgFromCredential ? "" : orgField, projectField, envField].find(
    (name) => name !== "" && !pathFields.some((field) => field.name === name),
  );
  if (missing !== undefined) throw new Error(`${nameOf(method)}: (access) names ${missing}, which is not in the path`);
}

type Call = (exchange: Exchange, draft: Draft, context: ContextValues) => Promise<void>;

function createCall(route: Route, transport: Transport, limits: RestLimits): Call {
  const { method } = route;
  if (isUnary(method)) return createUnaryCall(method, route, transport, limits.timeoutMs);
  if (isServerStreaming(method)) return createStreamCall(method, route, transport, limits.streamTimeoutMs);
  const { upload } = route.facts;
  if (isClientStreaming(method) && upload !== undefined) {
    const readUpload = createUploadReader(route, upload, limits.streamTimeoutMs);
    return createUploadCall(method, route, transport, readUpload);
  }
  throw new Error(`${nameOf(method)}: a stream of requests has no HTTP form`);
}

function createUnaryCall(method: DescMethodUnary, route: Route, transport: Transport, timeoutMs: number): Call {
  const send = createSender(route);
  return async (exchange, { message }, context) => {
    const { request, signal, requestId } = exchange;
    const headers = callHeaders(request.headers, requestId);
    const result = await transport.unary(method, signal, timeoutMs, headers, message, context);
    await send(exchange, result.message, result.header);
  };
}

// The time limit is that of the body: a handler may need longer for what it was sent, and heeds the signal of its
// caller.
function createUploadCall(
  method: DescMethodClientStreaming,
  route: Route,
  transport: Transport,
  readUpload: UploadReader,
): Call {
  const send = createSender(route);
  return async (exchange, { message, finish }, context) => {
    const { request, signal, requestId } = exchange;
    const headers = callHeaders(request.headers, requestId);
    const messages = readUpload(exchange, { message, fault: finish(undefined) });
    try {
      const result = await transport.stream(method, signal, undefined, headers, messages, context);
      for await (const answer of result.message) await send(exchange, answer, result.header);
    } finally {
      messages.return().catch(() => undefined); // a handler need not read to the end
    }
  };
}

type Sender = (exchange: Exchange, message: Message, header: Headers) => Promise<void>;

/** Sends the one answer of a call. */
function createSender(route: Route): Sender {
  const answer = createAnswerer(route);
  const writeLarge = createLargeBodyWriter(route);
  return async ({ request, response, signal, requestId }, message, header) => {
    const steps = writeLarge(message);
    const large = steps && (await inSlices(steps, { signal }));
    const { status, headers, body } = answer(message, header, large);
    const whole = { status, headers: { "x-request-id": requestId, ...headers }, body };
    sendAnswer(request, response, await compressed(whole, acceptedBy(request)));
  };
}

function createStreamCall(
  method: DescMethodServerStreaming,
  { facts }: Route,
  transport: Transport,
  timeoutMs: number,
): Call {
  return async ({ request, response, signal, requestId }, { message }, context) => {
    const headers = callHeaders(request.headers, requestId);
    const stream = await transport.stream(method, signal, timeoutMs, headers, onlyOne(message), context);
    await sendStream(request, response, stream, { status: facts.successStatus, requestId });
  };
}

function acceptedBy({ headers }: RestRequest): string | undefined {
  const accepted = headers["accept-encoding"];
  return Array.isArray(accepted) ? accepted.join() : accepted;
}

async function* onlyOne(message: Message): AsyncGenerator<Message> {
  yield message;
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}

function isClientStreaming(method: DescMethod): method is DescMethodClientStreaming {
  return method.methodKind === "client_streaming";
}

function isServerStreaming(method: DescMethod): method is DescMethodServerStreaming {
  return method.methodKind === "server_streaming";
}

function addressOf(request: RestRequest, trustedHops: number): string {
  const forwardedFor = request.headers["x-forwarded-for"];
  return peerAddress({ socketAddress: request.socket?.remoteAddress, forwardedFor, trustedHops });
}
