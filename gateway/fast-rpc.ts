// The short way for unary calls over gRPC and Connect of the methods that have one. As over REST, it answers only what is ordinary in every
// respect: one uncompressed message, a good token, no deadline of its own, a request that certainly satisfies the rules of its fields.
// Everything else goes to Connect's adapter, whatever was read of it. Messages are read and written by Connect's own serialization. A test
// compares the two ways byte by byte. (https://connectrpc.com/docs/protocol, https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md)

import type { Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import {
  type Compression,
  compressedFlag,
  compressionNegotiate,
  createMethodSerializationLookup,
  encodeEnvelope,
} from "@connectrpc/connect/protocol";
import { codeToHttpStatus, errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import { Reason } from "../gen/policyguard/common/v1/reason_pb.ts";
import type { Credential } from "../src/kit/context.ts";
import { Fault, toConnectError } from "../src/kit/error.ts";
import { requestIdOf } from "../src/kit/interceptors/request.ts";
import { methodFacts } from "../src/kit/options.ts";
import {
  accessLine,
  bearer,
  type FastMethod,
  type FastPathContext,
  type FastPathOptions,
  maxFastBytes,
  withinTime,
} from "./fast-call.ts";
import { isGone, type RestHandler, type RestRequest, type RestResponse } from "./http.ts";

/** How a message lies in a body, and what answers look like. */
interface Dialect {
  readonly isGrpc: boolean;
  readonly isBinary: boolean;
  readonly contentType: string;
  readonly acceptHeader: string;
}

const grpc: Dialect = {
  isGrpc: true,
  isBinary: true,
  contentType: "application/grpc+proto",
  acceptHeader: "grpc-accept-encoding",
};
const connect = { isGrpc: false, acceptHeader: "accept-encoding" } as const;
const dialects: ReadonlyMap<string, Dialect> = new Map([
  ["application/grpc", grpc],
  ["application/grpc+proto", grpc],
  ["application/proto", { ...connect, isBinary: true, contentType: "application/proto" }],
  ["application/json", { ...connect, isBinary: false, contentType: "application/json" }],
]);

/** Headers of calls that are not ordinary. */
const unusual = ["grpc-timeout", "connect-timeout-ms", "grpc-encoding", "content-encoding"];
const envelopeHeadBytes = 5;
/** What Connect does by default. */
const compressions: Compression[] = [compressionGzip, compressionBrotli];
const compressMinBytes = 1_024;
const messageLimits = { readMaxBytes: maxFastBytes, writeMaxBytes: 64 * 1024 * 1024 };

/** The path of a method over gRPC and Connect, and the handler that takes the short way where it can. */
export function createFastCall(
  fast: FastMethod,
  options: FastPathOptions,
  context: FastPathContext,
): readonly [string, RestHandler] {
  const { method } = fast;
  const answer = createAnswer(fast, options, context);
  const { ordinary, log } = context;
  const handler: RestHandler = (request, response) => {
    const { headers } = request;
    const dialect = dialects.get(headers["content-type"] ?? "");
    const token = bearer.exec(headers.authorization ?? "")?.[1];
    const isPlain =
      dialect !== undefined && (!dialect.isGrpc || "stream" in response) && !unusual.some((name) => name in headers);
    if (!isPlain || token === undefined || Number(headers["content-length"] ?? 0) > maxFastBytes)
      return ordinary(request, response);
    readWhole(request, (bytes, isWhole) => {
      try {
        const isAnswered = isWhole && !isGone(response) && answer({ request, response, bytes, token, dialect });
        if (isAnswered) return;
        replay(request, bytes, isWhole);
        ordinary(request, response);
      } catch (err) {
        log.error({ err }, "the fast path failed");
        response.destroy();
      }
    });
  };
  return [`/${method.parent.typeName}/${method.name}`, handler];
}

// Reads a body up to the limit of fast calls; a larger one is handed over as it is, with the rest still to come.
function readWhole(request: RestRequest, done: (bytes: Buffer, isWhole: boolean) => void): void {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const finish = (isWhole: boolean) => {
    request.off("data", onData).off("end", onEnd);
    done(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks), isWhole);
  };
  const onEnd = () => finish(true);
  const onData = (chunk: Buffer) => {
    chunks.push(chunk);
    sizeBytes += chunk.byteLength;
    if (sizeBytes <= maxFastBytes) return;
    request.pause();
    finish(false);
  };
  request.on("data", onData).once("end", onEnd);
  // One that breaks off is answered by nobody: its connection is gone.
  request.once("error", () => undefined);
}

// Connect reads a body by its iterator.
function replay(request: RestRequest, bytes: Buffer, isWhole: boolean): void {
  const rest = isWhole ? undefined : request[Symbol.asyncIterator]();
  async function* body(): AsyncGenerator<Buffer> {
    if (bytes.byteLength > 0) yield bytes;
    if (rest !== undefined) yield* rest;
  }
  Object.defineProperty(request, Symbol.asyncIterator, { value: body });
}

interface Exchange {
  readonly request: RestRequest;
  readonly response: RestResponse;
  readonly bytes: Buffer;
  readonly token: string;
  readonly dialect: Dialect;
}

/** Answers a call, at once or when its answer is there. False when it has done nothing. */
function createAnswer(
  fast: FastMethod,
  { authenticate, countCall }: FastPathOptions,
  context: FastPathContext,
): (exchange: Exchange) => boolean {
  const { method, isSurelyValid, call } = fast;
  const { kinds } = methodFacts(method).access;
  const lookup = createMethodSerializationLookup(method, undefined, undefined, messageLimits);
  const names = { service: method.parent.typeName, method: method.name };
  const { log, limits } = context;
  const attempt = ({ bytes, token, dialect }: Exchange): [Message | Promise<Message>, Credential] | undefined => {
    try {
      const credential = authenticate(token);
      const content = dialect.isGrpc ? onlyMessage(bytes) : bytes;
      if (content === undefined || credential?.orgId === undefined || !kinds.includes(credential.kind))
        return undefined;
      const message = lookup.getI(dialect.isBinary).parse(content);
      return isSurelyValid(message) ? [call(message), credential] : undefined;
    } catch {
      return undefined;
    }
  };
  return (exchange) => {
    const startedAtMs = performance.now();
    const tried = attempt(exchange);
    if (tried === undefined) return false;
    const [coming, credential] = tried;
    const requestId = requestIdOf(exchange.request.headers["x-request-id"]);
    const count = (code: string) => {
      const durationMs = performance.now() - startedAtMs;
      countCall({ ...names, code, durationMs });
      if (log.isLevelEnabled("debug"))
        log.debug(accessLine(exchange, { requestId, names, credential, durationMs, code }, context), "call");
    };
    const send = (message: Message): void => {
      sendMessage(exchange, requestId, lookup.getO(exchange.dialect.isBinary).serialize(message), log);
      count("ok");
    };
    if (!(coming instanceof Promise)) send(coming);
    else
      withinTime(coming, limits.timeoutMs)
        .then(send)
        .catch((error: unknown) => {
          const isLate = error instanceof Fault;
          if (!isLate) log.error({ err: error, request_id: requestId }, "internal error");
          const fault = isLate ? error : new Fault(Reason.INTERNAL, `internal error, request id ${requestId}`);
          sendFailure(exchange, requestId, toConnectError(fault));
          count(isLate ? "deadline_exceeded" : "internal");
        });
    return true;
  };
}

/** The message of a body that has nothing but one, uncompressed. */
function onlyMessage(bytes: Buffer): Buffer | undefined {
  if (bytes.byteLength < envelopeHeadBytes || bytes[0] !== 0) return undefined;
  return bytes.readUInt32BE(1) === bytes.byteLength - envelopeHeadBytes ? bytes.subarray(envelopeHeadBytes) : undefined;
}

function sendMessage(exchange: Exchange, requestId: string, message: Uint8Array, log: FastPathContext["log"]): void {
  const { request, dialect } = exchange;
  const given = request.headers[dialect.acceptHeader];
  const accepted = typeof given === "string" ? given : null;
  const { response: compression } = compressionNegotiate(compressions, null, accepted, dialect.acceptHeader);
  if (compression === null || message.byteLength < compressMinBytes) {
    sendBytes(exchange, { requestId, message, encoding: dialect.isGrpc ? compression?.name : undefined });
    return;
  }
  compression
    .compress(message)
    .then((bytes) => sendBytes(exchange, { requestId, message: bytes, encoding: compression.name, isCompressed: true }))
    .catch((err: unknown) => {
      log.error({ err, request_id: requestId }, "the answer could not be compressed");
      exchange.response.destroy();
    });
}

function sendBytes(
  { response, dialect }: Exchange,
  answer: {
    readonly requestId: string;
    readonly message: Uint8Array;
    readonly encoding?: string | undefined;
    readonly isCompressed?: boolean;
  },
): void {
  if (isGone(response)) return;
  const { requestId, message, encoding, isCompressed = false } = answer;
  if (!dialect.isGrpc) {
    const coding = encoding === undefined ? {} : { "content-encoding": encoding };
    const length = { "content-length": String(message.byteLength) };
    response.writeHead(200, { ...coding, ...length, "content-type": dialect.contentType, "x-request-id": requestId });
    response.end(message);
    return;
  }
  const coding = encoding === undefined ? {} : { "grpc-encoding": encoding };
  response.writeHead(200, { "content-type": dialect.contentType, ...coding, "x-request-id": requestId });
  response.addTrailers({ "grpc-status": "0" });
  response.end(encodeEnvelope(isCompressed ? compressedFlag : 0, new Uint8Array(message)));
}

function sendFailure({ response, dialect }: Exchange, requestId: string, error: ConnectError): void {
  if (isGone(response)) return;
  if (dialect.isGrpc) {
    response.writeHead(200, { "content-type": dialect.contentType, "x-request-id": requestId });
    response.addTrailers(Object.fromEntries(setTrailerStatus(new Headers(), error)));
    response.end();
    return;
  }
  const body = errorToJsonBytes(error, undefined);
  response.writeHead(codeToHttpStatus(error.code), {
    "content-length": String(body.byteLength),
    "content-type": "application/json",
    "x-request-id": requestId,
  });
  response.end(body);
}
