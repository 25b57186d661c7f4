// How the calls that the fast path takes are written: as REST, Connect or gRPC. A dialect takes only what is ordinary
// in every respect: one uncompressed message, no deadline of the caller's own. Everything else, gRPC-Web among it, is
// left to the ordinary path. RPC messages are read by Connect's own serialization. A test compares the two paths byte
// by byte. (https://connectrpc.com/docs/protocol, https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md)

import { isUtf8 } from "node:buffer";
import { create, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import {
  type Compression,
  compressedFlag,
  compressionNegotiate,
  createMethodSerializationLookup,
} from "@connectrpc/connect/protocol";
import { codeToHttpStatus, errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, toConnectError } from "../../src/kit/fault/fault.ts";
import type { Logger } from "../../src/kit/observability/log.ts";
import { binaryWriter } from "../../src/kit/protobuf/binary-write.ts";
import { chunksOf, defaultHeaders, sizeOf } from "../http/http.ts";
import { messageDecoder } from "../json/decode.ts";
import { messageTextEncoder } from "../json/encode-text.ts";
import { parseJson } from "../json/parse.ts";
import { Problems } from "../json/problems.ts";
import { errorAnswer } from "../rest/envelope.ts";
import { frameHeadBytes, withFrameHead } from "../rpc/frames.ts";
import { rpcJson } from "../rpc/json.ts";
import { maxFastBytes, needsOrdinaryPath } from "./call.ts";
import type { FastExchange } from "./exchange.ts";

/** How requests of a method are read, and its answers written. */
export interface Dialect {
  /** The request in a body; undefined for a body that the ordinary path has to judge. What it throws means the same. */
  decode(body: Buffer): Message | undefined;
  sendMessage(exchange: FastExchange, requestId: string, message: Message): void;
  /** Sends a failure. Callers are told of a Fault, and of other errors no more than that there was one. */
  sendFailure(exchange: FastExchange, requestId: string, error: unknown): void;
}

/** The dialect of a call, by its headers; undefined for a call that the ordinary path has to serve. */
export type ChooseDialect = (exchange: FastExchange) => Dialect | undefined;

const restTypes: ReadonlySet<string> = new Set(["application/json", "application/json; charset=utf-8"]);

/** The dialect of calls over REST at this URL. */
export function restDialect(method: DescMethodUnary, url: string): ChooseDialect {
  const decoder = messageDecoder(method.input);
  const encode = messageTextEncoder(method.output);
  const dialect: Dialect = {
    decode(body) {
      if (!isUtf8(body)) return undefined;
      const request = create(method.input);
      const problems = new Problems();
      decoder.into(request, parseJson(body.toString("utf8")), "", problems);
      return problems.fault() === undefined ? request : undefined;
    },
    sendMessage(exchange, requestId, message) {
      const body = encode(message);
      // These headers and their order are those of the ordinary path.
      const headers = {
        "cache-control": defaultHeaders["cache-control"],
        "x-content-type-options": defaultHeaders["x-content-type-options"],
        "x-request-id": requestId,
        "content-type": "application/json; charset=utf-8",
        "content-length": Buffer.byteLength(body),
      };
      if (!exchange.isGone()) exchange.send({ status: 200, headers, body });
    },
    sendFailure(exchange, requestId, error) {
      const answer = errorAnswer(error, requestId, url);
      const body = Buffer.concat(chunksOf(answer.body));
      const headers = { ...defaultHeaders, ...answer.headers, "content-length": sizeOf([body]) };
      if (!exchange.isGone()) exchange.send({ status: answer.status, headers, body });
    },
  };
  return ({ headers: { "content-type": type, "content-encoding": encoding, "content-length": length } }) =>
    type !== undefined && restTypes.has(type) && encoding === undefined && length !== undefined ? dialect : undefined;
}

/** The dialects of RPCs. */
export function rpcDialects(method: DescMethodUnary, log: Logger): ChooseDialect {
  const grpc = createGrpcDialect(method, log);
  const dialects: ReadonlyMap<string, Dialect> = new Map([
    ["application/grpc", grpc],
    ["application/grpc+proto", grpc],
    ["application/proto", createConnectDialect(method, { isBinary: true }, log)],
    ["application/json", createConnectDialect(method, { isBinary: false }, log)],
  ]);
  return ({ headers, hasTrailers }) => {
    const dialect = dialects.get(headers["content-type"] ?? "");
    return (dialect === grpc && !hasTrailers) || needsOrdinaryPath(headers) ? undefined : dialect;
  };
}

/** As in Connect, by default. */
const compressions: Compression[] = [compressionGzip, compressionBrotli];
const minCompressedBytes = 1_024;
const messageLimits = { readMaxBytes: maxFastBytes, writeMaxBytes: 64 * 1024 * 1024 };

function createConnectDialect(
  method: DescMethodUnary,
  { isBinary }: { readonly isBinary: boolean },
  log: Logger,
): Dialect {
  const lookup = createMethodSerializationLookup(method, undefined, rpcJson, messageLimits);
  const encode = binaryWriter(method.output);
  const contentType = isBinary ? "application/proto" : "application/json";
  return {
    decode: (body) => lookup.getI(isBinary).parse(body),
    sendMessage(exchange, requestId, message) {
      const bytes = isBinary ? encode(message, 0) : lookup.getO(false).serialize(message);
      const send = (body: Uint8Array, encoding?: string) => {
        if (exchange.isGone()) return;
        const coding = encoding === undefined ? {} : { "content-encoding": encoding };
        const length = { "content-length": String(body.byteLength) };
        const headers = { ...coding, ...length, "content-type": contentType, "x-request-id": requestId };
        exchange.send({ status: 200, headers, body });
      };
      const compression = compressionOf(exchange, "accept-encoding");
      if (compression === undefined || bytes.byteLength < minCompressedBytes) send(bytes);
      else compressInto(exchange, { compression, bytes, requestId, log }, (body) => send(body, compression.name));
    },
    sendFailure(exchange, requestId, error) {
      if (exchange.isGone()) return;
      const failure = rpcFailure(error, requestId);
      const body = errorToJsonBytes(failure, undefined);
      const headers = {
        "content-length": String(body.byteLength),
        "content-type": "application/json",
        "x-request-id": requestId,
      };
      exchange.send({ status: codeToHttpStatus(failure.code), headers, body });
    },
  };
}

const okTrailers = { "grpc-status": "0" };

function createGrpcDialect(method: DescMethodUnary, log: Logger): Dialect {
  const lookup = createMethodSerializationLookup(method, undefined, undefined, messageLimits);
  const encode = binaryWriter(method.output);
  const contentType = "application/grpc+proto";
  return {
    decode(body) {
      const message = onlyMessage(body);
      return message && lookup.getI(true).parse(message);
    },
    sendMessage(exchange, requestId, message) {
      const frame = withFrameHead(encode(message, frameHeadBytes));
      const compression = compressionOf(exchange, "grpc-accept-encoding");
      const coding = compression === undefined ? {} : { "grpc-encoding": compression.name };
      const headers = { "content-type": contentType, ...coding, "x-request-id": requestId };
      const send = (body: Buffer) => {
        if (!exchange.isGone()) exchange.send({ status: 200, headers, body, trailers: okTrailers });
      };
      const bytes = frame.subarray(frameHeadBytes);
      if (compression === undefined || bytes.byteLength < minCompressedBytes) send(frame);
      else compressInto(exchange, { compression, bytes, requestId, log }, (packed) => send(compressedFrame(packed)));
    },
    sendFailure(exchange, requestId, error) {
      if (exchange.isGone()) return;
      const headers = { "content-type": contentType, "x-request-id": requestId };
      const trailers = Object.fromEntries(setTrailerStatus(new Headers(), rpcFailure(error, requestId)));
      exchange.send({ status: 200, headers, body: undefined, trailers });
    },
  };
}

/** The message of a body that has nothing but one, uncompressed. */
function onlyMessage(body: Buffer): Buffer | undefined {
  if (body.byteLength < frameHeadBytes || body[0] !== 0) return undefined;
  return body.readUInt32BE(1) === body.byteLength - frameHeadBytes ? body.subarray(frameHeadBytes) : undefined;
}

function compressedFrame(packed: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(frameHeadBytes + packed.byteLength);
  frame.set(packed, frameHeadBytes);
  withFrameHead(frame)[0] = compressedFlag;
  return frame;
}

function compressionOf({ headers }: FastExchange, acceptHeader: string): Compression | undefined {
  const given = headers[acceptHeader];
  if (given === undefined) return undefined;
  const accepted = typeof given === "string" ? given : null;
  return compressionNegotiate(compressions, null, accepted, acceptHeader).response ?? undefined;
}

function compressInto(
  exchange: FastExchange,
  {
    compression,
    bytes,
    requestId,
    log,
  }: {
    readonly compression: Compression;
    readonly bytes: Uint8Array;
    readonly requestId: string;
    readonly log: Logger;
  },
  send: (packed: Uint8Array) => void,
): void {
  compression
    .compress(bytes)
    .then(send)
    .catch((err: unknown) => {
      log.error({ err, request_id: requestId }, "the answer could not be compressed");
      exchange.destroy();
    });
}

function rpcFailure(error: unknown, requestId: string): ConnectError {
  const fault = error instanceof Fault ? error : new Fault(Reason.INTERNAL, `internal error, request id ${requestId}`);
  return toConnectError(fault);
}
