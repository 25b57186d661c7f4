// The short way for unary calls over gRPC and Connect of the methods that have one. As over REST, it answers only what is ordinary in every
// respect: one uncompressed message, a good token, no deadline of its own, a request that certainly satisfies the rules of its fields.
// Everything else goes to Connect's adapter, whatever was read of it. Messages are read by Connect's own serialization. A test
// compares the two ways byte by byte. (https://connectrpc.com/docs/protocol, https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md)

import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
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
import { Reason } from "../gen/policyguard/common/v1/reason_pb.ts";
import { binaryWriter } from "../src/kit/binary-write.ts";
import type { Credential } from "../src/kit/context.ts";
import { Fault, toConnectError } from "../src/kit/error.ts";
import { requestIdOf } from "../src/kit/interceptors/request.ts";
import { methodFacts } from "../src/kit/options.ts";
import {
  accessLine,
  bearer,
  type FastCallContext,
  type FastMethod,
  type FastPathContext,
  type FastPathOptions,
  isUnusual,
  maxFastBytes,
  noted,
  withinTime,
  withinTraceOf,
} from "./fast-call.ts";
import type { FastLine } from "./fast-line.ts";
import { rpcJson } from "./rpc-json.ts";

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

const envelopeHeadBytes = 5;
/** What Connect does by default. */
const compressions: Compression[] = [compressionGzip, compressionBrotli];
const compressMinBytes = 1_024;
const messageLimits = { readMaxBytes: maxFastBytes, writeMaxBytes: 64 * 1024 * 1024 };

/** The path of a method over gRPC and Connect, and what takes the short way where it can. */
export function createFastCall(
  fast: FastMethod,
  options: FastPathOptions,
  context: FastCallContext,
): readonly [string, (line: FastLine) => boolean] {
  const { method } = fast;
  const attempt = createAttempt(fast, options);
  const respond = createResponder(method, options, context);
  const { log } = context;
  const take = (line: FastLine): boolean => {
    const { headers } = line;
    const dialect = dialects.get(headers["content-type"] ?? "");
    const token = bearer.exec(headers.authorization ?? "")?.[1];
    const isPlain = dialect !== undefined && (!dialect.isGrpc || line.isHttp2) && !isUnusual(headers);
    if (!isPlain || token === undefined || Number(headers["content-length"] ?? 0) > maxFastBytes) return false;
    line.read((bytes, isWhole) => {
      const startedAtMs = performance.now();
      const exchange = { line, bytes, token, dialect };
      let result: Attempt | undefined;
      context.take({
        judge: () => {
          result = isWhole && !line.isGone() ? attempt(exchange) : undefined;
        },
        answer: () => {
          try {
            if (result !== undefined) respond(exchange, result, startedAtMs);
            else line.handOver(bytes, isWhole);
          } catch (err) {
            log.error({ err }, "the fast path failed");
            line.destroy();
          }
        },
      });
    });
    return true;
  };
  return [`/${method.parent.typeName}/${method.name}`, take];
}

interface Exchange {
  readonly line: FastLine;
  readonly bytes: Buffer;
  readonly token: string;
  readonly dialect: Dialect;
}

type Attempt = readonly [message: Message | Promise<Message>, credential: Credential];

function createAttempt(
  { method, isSurelyValid, call }: FastMethod,
  { authenticate }: FastPathOptions,
): (exchange: Exchange) => Attempt | undefined {
  const { kinds } = methodFacts(method).access;
  const lookup = createMethodSerializationLookup(method, undefined, rpcJson, messageLimits);
  return ({ line: { headers }, bytes, token, dialect }) => {
    try {
      const credential = authenticate(token);
      const content = dialect.isGrpc ? onlyMessage(bytes) : bytes;
      if (content === undefined || credential?.orgId === undefined || !kinds.includes(credential.kind))
        return undefined;
      const message = lookup.getI(dialect.isBinary).parse(content);
      return isSurelyValid(message) ? [noted(withinTraceOf(headers, () => call(message))), credential] : undefined;
    } catch {
      return undefined;
    }
  };
}

/** Sends an answer, at once or when it is there. */
function createResponder(
  method: DescMethodUnary,
  { countCall }: FastPathOptions,
  context: FastPathContext,
): (exchange: Exchange, attempt: Attempt, startedAtMs: number) => void {
  const lookup = createMethodSerializationLookup(method, undefined, rpcJson, messageLimits);
  const write = binaryWriter(method.output);
  const names = { service: method.parent.typeName, method: method.name };
  const { log, limits } = context;
  return (exchange, [coming, credential], startedAtMs) => {
    const requestId = requestIdOf(exchange.line.headers["x-request-id"]);
    const count = (code: string) => {
      const durationMs = performance.now() - startedAtMs;
      countCall({ ...names, code, durationMs });
      if (log.isLevelEnabled("debug"))
        log.debug(accessLine(exchange.line, { requestId, names, credential, durationMs, code }, context), "call");
    };
    const send = (message: Message): void => {
      const { isBinary } = exchange.dialect;
      const bytes = isBinary ? write(message, envelopeHeadBytes) : withRoom(lookup.getO(false).serialize(message));
      sendMessage(exchange, requestId, bytes, log);
      count("ok");
    };
    if (!(coming instanceof Promise)) return send(coming);
    withinTime(coming, limits.timeoutMs)
      .then(send)
      .catch((error: unknown) => {
        const isLate = error instanceof Fault;
        if (!isLate) log.error({ err: error, request_id: requestId }, "internal error");
        const fault = isLate ? error : new Fault(Reason.INTERNAL, `internal error, request id ${requestId}`);
        sendFailure(exchange, requestId, toConnectError(fault));
        count(isLate ? "deadline_exceeded" : "internal");
      });
  };
}

/** The message of a body that has nothing but one, uncompressed. */
function onlyMessage(bytes: Buffer): Buffer | undefined {
  if (bytes.byteLength < envelopeHeadBytes || bytes[0] !== 0) return undefined;
  return bytes.readUInt32BE(1) === bytes.byteLength - envelopeHeadBytes ? bytes.subarray(envelopeHeadBytes) : undefined;
}

// Messages lie behind room for the head of an envelope, so that those that need one are not copied.
function withRoom(message: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(envelopeHeadBytes + message.byteLength);
  bytes.set(message, envelopeHeadBytes);
  return bytes;
}

function sendMessage(exchange: Exchange, requestId: string, bytes: Buffer, log: FastPathContext["log"]): void {
  const { line, dialect } = exchange;
  const given = line.headers[dialect.acceptHeader];
  if (given === undefined) {
    sendBytes(exchange, { requestId, bytes });
    return;
  }
  const accepted = typeof given === "string" ? given : null;
  const { response: compression } = compressionNegotiate(compressions, null, accepted, dialect.acceptHeader);
  const message = bytes.subarray(envelopeHeadBytes);
  if (compression === null || message.byteLength < compressMinBytes) {
    sendBytes(exchange, { requestId, bytes, encoding: dialect.isGrpc ? compression?.name : undefined });
    return;
  }
  compression
    .compress(message)
    .then((packed) =>
      sendBytes(exchange, { requestId, bytes: withRoom(packed), encoding: compression.name, isCompressed: true }),
    )
    .catch((err: unknown) => {
      log.error({ err, request_id: requestId }, "the answer could not be compressed");
      line.destroy();
    });
}

const okTrailers = { "grpc-status": "0" };

function sendBytes(
  { line, dialect }: Exchange,
  answer: {
    readonly requestId: string;
    readonly bytes: Buffer;
    readonly encoding?: string | undefined;
    readonly isCompressed?: boolean;
  },
): void {
  if (line.isGone()) return;
  const { requestId, bytes, encoding, isCompressed = false } = answer;
  if (!dialect.isGrpc) {
    const coding = encoding === undefined ? {} : { "content-encoding": encoding };
    const message = bytes.subarray(envelopeHeadBytes);
    const length = { "content-length": String(message.byteLength) };
    const headers = { ...coding, ...length, "content-type": dialect.contentType, "x-request-id": requestId };
    line.send({ status: 200, headers, body: message });
    return;
  }
  const coding = encoding === undefined ? {} : { "grpc-encoding": encoding };
  const headers = { "content-type": dialect.contentType, ...coding, "x-request-id": requestId };
  bytes[0] = isCompressed ? compressedFlag : 0;
  bytes.writeUInt32BE(bytes.length - envelopeHeadBytes, 1);
  line.send({ status: 200, headers, body: bytes, trailers: okTrailers });
}

function sendFailure({ line, dialect }: Exchange, requestId: string, error: ConnectError): void {
  if (line.isGone()) return;
  if (dialect.isGrpc) {
    const headers = { "content-type": dialect.contentType, "x-request-id": requestId };
    const trailers = Object.fromEntries(setTrailerStatus(new Headers(), error));
    line.send({ status: 200, headers, body: undefined, trailers });
    return;
  }
  const body = errorToJsonBytes(error, undefined);
  const headers = {
    "content-length": String(body.byteLength),
    "content-type": "application/json",
    "x-request-id": requestId,
  };
  line.send({ status: codeToHttpStatus(error.code), headers, body });
}
