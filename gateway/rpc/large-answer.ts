// Large answers of RPCs. Connect encodes an answer at once, so large ones are encoded here, in steps. An interceptor
// encodes the message and puts an empty one into the answer. The handler then sends the bytes in place of the empty
// message's. Messages of streams are sent one by one and stay with Connect.

import { create, type DescMessage, type Message } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter, createContextKey, type Interceptor } from "@connectrpc/connect";
import {
  createAsyncIterable,
  type UniversalHandler,
  type UniversalServerRequest,
  type UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import { trailerFlag } from "@connectrpc/connect/protocol-grpc-web";
import { type Coding, chooseCoding, compressedAs } from "../http/compression.ts";
import { sizeOf } from "../http/http.ts";
import { binaryChunks, isLarge, jsonChunks, protobufJson } from "../large/message.ts";
import { inSlices } from "../large/slices.ts";

/** The answer of a call; set when it is a large one. */
const encodedKey = createContextKey<readonly Uint8Array[] | undefined>(undefined);

/** Encodes large answers. It is the outermost interceptor, so that all others see the message. */
export function encodeLargeAnswers(maxBytes: number): Interceptor {
  return (next) => async (request) => {
    const response = await next(request);
    if (response.stream || !isLarge(response.message)) return response;
    const type = request.header.get("content-type") ?? "";
    if (request.requestMethod !== "POST") return response;
    const { output } = response.method;
    const pieces = await inSlices(stepsOf(output, response.message, type), { signal: request.signal });
    if (sizeOf(pieces) > maxBytes) {
      throw new ConnectError(
        `message size ${sizeOf(pieces)} is larger than configured writeMaxBytes ${maxBytes}`,
        Code.ResourceExhausted,
      );
    }
    request.contextValues.set(encodedKey, pieces);
    return { ...response, message: create(output) };
  };
}

function stepsOf(desc: DescMessage, message: Message, contentType: string) {
  return /json\b/.test(contentType) ? jsonChunks(protobufJson, desc, message) : binaryChunks(desc, message);
}

/** Makes the router's handlers send the bytes that the interceptor encoded. */
export function sendLargeAnswers(router: ConnectRouter): void {
  const handlers = router.handlers.map((handler) =>
    handler.method.methodKind === "unary" ? sending(handler) : handler,
  );
  router.handlers.splice(0, handlers.length, ...handlers);
}

function sending(handler: UniversalHandler): UniversalHandler {
  const handle = async (request: UniversalServerRequest): Promise<UniversalServerResponse> => {
    const response = await handler(request);
    const pieces = request.contextValues?.get(encodedKey);
    if (pieces === undefined || response.status !== 200) return response;
    const isGrpc = response.header?.get("content-type")?.startsWith("application/grpc") === true;
    return isGrpc ? grpcAnswer(response, pieces) : connectAnswer(response, pieces, request);
  };
  const { protocolNames, service, method, requestPath, supportedContentType, allowedMethods } = handler;
  return Object.assign(handle, {
    ...{ protocolNames, service, method, requestPath, supportedContentType, allowedMethods },
  });
}

async function connectAnswer(
  response: UniversalServerResponse,
  pieces: readonly Uint8Array[],
  request: UniversalServerRequest,
): Promise<UniversalServerResponse> {
  const header = new Headers(response.header);
  const coding = chooseCoding(request.header.get("accept-encoding") ?? undefined);
  const body = coding === undefined ? pieces : [await compressedAs(coding, pieces)];
  if (coding !== undefined) header.set("content-encoding", coding);
  header.set("content-length", String(sizeOf(body)));
  return { ...response, header, body: createAsyncIterable([...body]) };
}

/**
 * The first byte of an envelope says whether its message is compressed
 * (https://grpc.github.io/grpc/core/md_doc__p_r_o_t_o_c_o_l-_h_t_t_p2.html).
 */
const compressedFlag = 1;

async function grpcAnswer(
  response: UniversalServerResponse,
  pieces: readonly Uint8Array[],
): Promise<UniversalServerResponse> {
  const coding = codings.find((each) => each === response.header?.get("grpc-encoding"));
  const message = coding === undefined ? pieces : [await compressedAs(coding, pieces)];
  const head = Buffer.alloc(5);
  head.writeUInt8(coding === undefined ? 0 : compressedFlag);
  head.writeUInt32BE(sizeOf(message), 1);
  return { ...response, body: instead(response.body ?? [], [head, ...message]) };
}

const codings: readonly Coding[] = ["br", "gzip"];

/** The chunks, of which the first is the envelope of the empty message. Those of gRPC-Web end with one of trailers. */
async function* instead(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  message: readonly Uint8Array[],
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    if (chunk[0] === trailerFlag) yield chunk;
    else yield* message;
  }
}
