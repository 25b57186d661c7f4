// Connect answers some calls before any interceptor runs: bodies that cannot be read or are too large, compressions and
// content types that it does not know. Such an answer has neither the ErrorDetail nor the X-Request-Id of all others,
// so both are added here, in each protocol's own place: the body of Connect, the trailers of gRPC, those in the body of
// gRPC-Web (https://connectrpc.com/docs/protocol, https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md).

import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import {
  createAsyncIterable,
  encodeEnvelope,
  type UniversalHandler,
  type UniversalServerRequest,
  type UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import { codeToHttpStatus, errorFromJsonBytes, errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { findTrailerError, setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerParse, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import { ErrorDetailSchema, Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, malformedRequest, reasonRule, toConnectError } from "../../src/kit/fault/fault.ts";
import type { Logger } from "../../src/kit/observability/log.ts";
import { requestIdHeader, requestIdOf } from "../../src/kit/rpc/interceptors/request.ts";
import { errorAnswer } from "../rest/envelope.ts";

/** Makes every failure of the router's handlers carry an ErrorDetail and a request id. */
export function completeFailures(router: ConnectRouter, log: Logger): void {
  const handlers = router.handlers.map((handler) => withCompleteFailures(handler, log));
  router.handlers.splice(0, handlers.length, ...handlers);
}

function withCompleteFailures(handler: UniversalHandler, log: Logger): UniversalHandler {
  const { service, method } = handler;
  const handle = async (request: UniversalServerRequest): Promise<UniversalServerResponse> => {
    const isOneMessage = method.methodKind === "unary" || method.methodKind === "server_streaming";
    const response = await handler(isOneMessage ? { ...request, body: readToItsEnd(request.body) } : request);
    const type = request.header.get("content-type") ?? "";
    const complete: Complete = (error) => {
      const id = requestIdOf(request.header.get(requestIdHeader));
      const fault = error instanceof Fault ? error : faultOf(error, id);
      log.info(
        { request_id: id, service: service.typeName, method: method.name, reason: reasonName(fault) },
        "refused",
      );
      const completed = toConnectError(fault);
      completed.metadata.set(requestIdHeader, id);
      return completed;
    };
    if (type.startsWith("application/grpc-web")) return completeGrpcWeb(response, complete);
    if (type.startsWith("application/grpc")) return completeGrpc(response, complete);
    return completeConnect(response, complete);
  };
  return Object.assign(handle, {
    protocolNames: handler.protocolNames,
    service,
    method,
    requestPath: handler.requestPath,
    supportedContentType: handler.supportedContentType,
    allowedMethods: handler.allowedMethods,
  });
}

/** Bytes beyond a limit that are still read and discarded. */
const discardedBytes = 16 * 1024 * 1024;

/**
 * A body whose reader may stop early. Node's own iterator would then destroy the request: what is on its way would fill
 * the memory of an HTTP/2 session and break all its other calls, and block an HTTP/1.1 connection.
 */
function readToItsEnd(body: UniversalServerRequest["body"]): UniversalServerRequest["body"] {
  if (typeof body !== "object" || body === null || !(Symbol.asyncIterator in body)) return body;
  const source = body as AsyncIterable<Uint8Array>; // no other body has an async iterator
  return {
    [Symbol.asyncIterator]() {
      const iterator = source[Symbol.asyncIterator]();
      return {
        next: () => iterator.next(),
        return: async () => {
          void discard(iterator);
          return { done: true, value: undefined };
        },
      };
    },
  };
}

async function discard(iterator: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    for (let restBytes = discardedBytes; restBytes > 0; ) {
      const { done, value } = await iterator.next();
      if (done === true) return;
      restBytes -= value.byteLength;
    }
    await iterator.return?.();
  } catch {
    // The caller is gone.
  }
}

type Complete = (error: ConnectError | Fault) => ConnectError;

async function completeConnect(
  response: UniversalServerResponse,
  complete: Complete,
): Promise<UniversalServerResponse> {
  const { status, header } = response;
  if (status < 400 || header?.has(requestIdHeader) === true) return response;
  if (response.body === undefined) return plainAnswer(response, complete);
  const bytes = Buffer.concat(await Array.fromAsync(response.body));
  const error = complete(errorFromJsonBytes(bytes, undefined, new ConnectError("", Code.Internal)));
  const body = errorToJsonBytes(error, undefined);
  const headers = new Headers(header);
  for (const [name, value] of error.metadata) headers.set(name, value);
  headers.set("content-length", String(body.byteLength));
  return { ...response, status: codeToHttpStatus(error.code), header: headers, body: createAsyncIterable([body]) };
}

// No protocol could be recognised, so the answer is that of REST.
function plainAnswer(response: UniversalServerResponse, complete: Complete): UniversalServerResponse {
  const error = complete(unrecognised(response.status));
  const { headers, body, status } = errorAnswer(error, error.metadata.get(requestIdHeader) ?? "");
  const header = new Headers(response.header);
  for (const [name, value] of Object.entries(headers)) header.set(name, String(value));
  return { ...response, status, header, body: createAsyncIterable([new TextEncoder().encode(String(body))]) };
}

function unrecognised(status: number): Fault {
  return status === 405
    ? new Fault(Reason.METHOD_NOT_ALLOWED, "RPCs are called by POST", { headers: { Allow: "POST" } })
    : new Fault(Reason.UNSUPPORTED_MEDIA_TYPE, "the content type is none of Connect, gRPC or gRPC-Web");
}

function completeGrpc(response: UniversalServerResponse, complete: Complete): UniversalServerResponse {
  const { body, trailer } = response;
  if (trailer === undefined) return body === undefined ? plainAnswer(response, complete) : response;
  const completeTrailer = () => {
    const error = bareError(trailer);
    if (error !== undefined) setTrailerStatus(trailer, complete(error));
  };
  if (body === undefined) {
    completeTrailer();
    return response;
  }
  return { ...response, body: followedBy(body, completeTrailer) };
}

/** The failure that these trailers tell, unless it is one of ours already. */
function bareError(trailer: Headers): ConnectError | undefined {
  const error = findTrailerError(trailer);
  return error === undefined || error.findDetails(ErrorDetailSchema).length > 0 ? undefined : error;
}

// Trailers are complete when the body has ended, and sent after that.
async function* followedBy(body: AsyncIterable<Uint8Array>, end: () => void): AsyncGenerator<Uint8Array> {
  yield* body;
  end();
}

const envelopeHeadBytes = 5;

function completeGrpcWeb(response: UniversalServerResponse, complete: Complete): UniversalServerResponse {
  const { body } = response;
  return body === undefined ? plainAnswer(response, complete) : { ...response, body: completeChunks(body, complete) };
}

// A failure before the handler is a body of trailers only, in one chunk.
async function* completeChunks(body: AsyncIterable<Uint8Array>, complete: Complete): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of body) {
    yield isFirst && chunk[0] === trailerFlag ? completeChunk(chunk, complete) : chunk;
    isFirst = false;
  }
}

function completeChunk(chunk: Uint8Array, complete: Complete): Uint8Array {
  const trailer = trailerParse(chunk.subarray(envelopeHeadBytes));
  const error = bareError(trailer);
  if (error === undefined) return chunk;
  return encodeEnvelope(trailerFlag, trailerSerialize(setTrailerStatus(trailer, complete(error))));
}

function faultOf({ code, rawMessage }: ConnectError, requestId: string): Fault {
  switch (code) {
    case Code.ResourceExhausted:
      return new Fault(Reason.TOO_LARGE, "the request is larger than the limit");
    case Code.DeadlineExceeded:
      return new Fault(Reason.DEADLINE_EXCEEDED, "the call did not finish within its time limit");
    case Code.InvalidArgument:
    case Code.Unimplemented:
      return malformedRequest(rawMessage);
    default:
      // Connect gives unreadable binary this code, and its own mistakes too.
      return /^(?:protocol error: |parse binary: )/.test(rawMessage)
        ? malformedRequest(rawMessage)
        : new Fault(Reason.INTERNAL, `internal error, request id ${requestId}`);
  }
}

function reasonName({ reason }: Fault): string {
  return reasonRule(reason).name;
}
