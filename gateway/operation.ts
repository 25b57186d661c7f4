// One route made ready to serve: its binder, its answerer, and the call between them.

import type { DescMethod, DescMethodServerStreaming, DescMethodUnary, Message } from "@bufbuild/protobuf";
import { type ContextValues, createContextValues, type Transport } from "@connectrpc/connect";
import { peerAddress } from "../src/kit/address.ts";
import { connectionKey } from "../src/kit/context.ts";
import type { Fault } from "../src/kit/error.ts";
import { type Answerer, createAnswerer } from "./answer.ts";
import { createBinder } from "./bind.ts";
import { readJsonBody } from "./body.ts";
import { compressed } from "./compression.ts";
import { callHeaders } from "./header.ts";
import { type RestRequest, type RestResponse, sendAnswer } from "./http.ts";
import { parseJson } from "./json-text.ts";
import { nameOf, type Route } from "./route.ts";
import { sendStream } from "./stream.ts";
import { cutFields } from "./wire.ts";

/** Bounds of REST calls. */
export interface RestLimits {
  readonly maxBodyBytes: number;
  /** Time that a call may take; longer than the longest wait that an operation offers. */
  readonly timeoutMs: number;
  /** Time that a streamed download may take. */
  readonly streamTimeoutMs: number;
}

/** One request on its way. */
export interface Exchange {
  readonly request: RestRequest;
  readonly response: RestResponse;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: string;
  readonly requestId: string;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

/** Something that a path and verb lead to. */
export interface Entry {
  readonly route: Pick<Route, "verb" | "path">;
  /** Answers the request, or throws before anything was sent. */
  serve(exchange: Exchange): Promise<void>;
}

/** The entry of a route. Throws when the route's messages have no HTTP form. */
export function createOperation(
  route: Route,
  { transport, limits, trustedHops }: { transport: Transport; limits: RestLimits; trustedHops: number },
): Entry {
  const bind = createBinder(route);
  const call = createCall(route, transport, limits);
  const cutTexts = route.body === "*" ? cutFields(route.method.input) : [];
  return {
    route,
    async serve(exchange) {
      const { request, params, query } = exchange;
      const text = route.body === "" ? "" : await readJsonBody(request, limits.maxBodyBytes);
      const body = text === "" ? undefined : parseJson(text, { cutTexts });
      const { message, fault } = bind({ params, query, headers: request.headers, body });
      await call(exchange, message, contextOf(addressOf(request, trustedHops), fault));
    },
  };
}

type Call = (exchange: Exchange, message: Message, context: ContextValues) => Promise<void>;

function createCall(route: Route, transport: Transport, limits: RestLimits): Call {
  const { method } = route;
  if (isUnary(method)) return createUnaryCall(method, createAnswerer(route), transport, limits.timeoutMs);
  if (isServerStreaming(method)) return createStreamCall(method, route, transport, limits.streamTimeoutMs);
  throw new Error(`${nameOf(method)}: a stream of requests has no HTTP form`);
}

function createUnaryCall(method: DescMethodUnary, answer: Answerer, transport: Transport, timeoutMs: number): Call {
  return async ({ request, response, signal, requestId }, message, context) => {
    const headers = callHeaders(request.headers, requestId);
    const result = await transport.unary(method, signal, timeoutMs, headers, message, context);
    const { status, headers: own, body } = answer(result.message, result.header);
    const whole = { status, headers: { "x-request-id": requestId, ...own }, body };
    sendAnswer(request, response, await compressed(whole, acceptedBy(request)));
  };
}

function createStreamCall(
  method: DescMethodServerStreaming,
  { facts }: Route,
  transport: Transport,
  timeoutMs: number,
): Call {
  return async ({ request, response, signal, requestId }, message, context) => {
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

function isServerStreaming(method: DescMethod): method is DescMethodServerStreaming {
  return method.methodKind === "server_streaming";
}

function contextOf(address: string, fault: Fault | undefined): ContextValues {
  return createContextValues().set(connectionKey, fault === undefined ? { address } : { address, bindFault: fault });
}

function addressOf(request: RestRequest, trustedHops: number): string {
  const forwardedFor = request.headers["x-forwarded-for"];
  return peerAddress({ socketAddress: request.socket?.remoteAddress, forwardedFor, trustedHops });
}
