// The fast path for gRPC calls that answer each message by one message, over raw HTTP/2 streams. It takes only ordinary
// calls: a good token, no compression, no deadline of the caller's own. Later mistakes of the caller it refuses with
// the same failures as the ordinary path; a test compares the two. Answers go out in the order of the messages; those
// of one tick of the event loop by one write. (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md)

import { constants, type ServerHttp2Stream } from "node:http2";
import type { Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { createMethodSerializationLookup } from "@connectrpc/connect/protocol";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, toConnectError, unauthenticated } from "../../src/kit/fault/fault.ts";
import { assertValid } from "../../src/kit/fault/validation.ts";
import type { RawStream, StreamHandler } from "../../src/kit/net/http2-server.ts";
import { spanOfCall, type TraceContext } from "../../src/kit/observability/tracing.ts";
import { binaryWriter } from "../../src/kit/protobuf/binary-write.ts";
import type { Credential } from "../../src/kit/rpc/context.ts";
import { toldFault } from "../../src/kit/rpc/interceptors/fault.ts";
import { callName, codeName, endCallSpan, requestIdOf } from "../../src/kit/rpc/interceptors/request.ts";
import { frameHeadBytes, MessageFrames, withFrameHead } from "../rpc/frames.ts";
import {
  bearer,
  createAuthorize,
  type FastCallContext,
  type FastPathOptions,
  type FastStreamMethod,
  logFastCall,
  needsOrdinaryPath,
  traceOfCall,
  withinTraceOf,
} from "./call.ts";

const grpcTypes: ReadonlySet<string> = new Set(["application/grpc", "application/grpc+proto"]);
const contentType = "application/grpc+proto";
/** When this many bytes wait for a caller that reads slowly, no more messages are read. */
const maxUnsentBytes = 256 * 1024;
/** How long the rest of a failed call is read and discarded. */
const discardMs = 1_000;

/** The path of a method, and a handler that takes its ordinary streams and leaves the others. */
export function createFastStream(
  fast: FastStreamMethod,
  options: FastPathOptions,
  context: FastCallContext,
): readonly [string, StreamHandler] {
  const { method } = fast;
  const authorize = createAuthorize(method, options);
  const { maxBodyBytes } = context.limits;
  const messageLimits = { readMaxBytes: maxBodyBytes, writeMaxBytes: maxBodyBytes };
  const { parse } = createMethodSerializationLookup(method, undefined, undefined, messageLimits).getI(true);
  const write = binaryWriter(method.output);
  const take: StreamHandler = ({ stream, headers }) => {
    const token = bearer.exec(headers.authorization ?? "")?.[1];
    if (token === undefined || !grpcTypes.has(headers["content-type"] ?? "") || needsOrdinaryPath(headers))
      return false;
    const credential = authorize(token);
    if (credential === undefined) return false;
    new FastStream({ stream, headers, token, credential }, { fast, options, context, parse, write }).begin();
    return true;
  };
  return [`/${method.parent.typeName}/${method.name}`, take];
}

interface Caller extends Pick<RawStream, "stream" | "headers"> {
  readonly token: string;
  readonly credential: Credential;
}

interface Parts {
  readonly fast: FastStreamMethod;
  readonly options: FastPathOptions;
  readonly context: FastCallContext;
  readonly parse: (bytes: Uint8Array) => Message;
  readonly write: (message: Message, headBytes: number) => Buffer;
}

/** The answer to one message, when it is there, or the failure that ends the call. */
interface Slot {
  answer: Message | undefined;
  failure: unknown;
}

/** One call. */
class FastStream {
  readonly #stream: ServerHttp2Stream;
  readonly #caller: Caller;
  readonly #parts: Parts;
  readonly #frames: MessageFrames;
  readonly #requestId: string;
  readonly #startedAtMs = performance.now();
  readonly #names: { readonly service: string; readonly method: string };
  /** The trace that the caller named. Without one, each message is chosen by itself: a call may last for hours. */
  readonly #trace: TraceContext | undefined;
  readonly #remoteAddress: string | undefined;
  /** In the order of the messages, including messages that wait for the end of their tick. */
  readonly #slots: Slot[] = [];
  /** Answers that go out at the end of this tick. */
  #out: Buffer[] = [];
  #idle: NodeJS.Timeout | undefined;
  #hasAllMessages = false;
  /** Nothing more can be read: the bytes are no messages, or the server closes. */
  #isUnreadable = false;
  /** One of the messages ended the call; later messages are not judged. */
  #isRefused = false;
  #isOver = false;

  constructor(caller: Caller, parts: Parts) {
    this.#stream = caller.stream;
    this.#caller = caller;
    this.#parts = parts;
    this.#frames = new MessageFrames(parts.context.limits.maxBodyBytes);
    this.#remoteAddress = caller.stream.session?.socket.remoteAddress;
    this.#requestId = requestIdOf(caller.headers["x-request-id"]);
    const { method } = parts.fast;
    this.#names = { service: method.parent.typeName, method: method.name };
    this.#trace = caller.headers.traceparent === undefined ? undefined : traceOfCall(caller.headers);
  }

  begin(): void {
    const { fast, context } = this.#parts;
    const stream = this.#stream;
    stream.respond(
      { ":status": 200, "content-type": contentType, "x-request-id": this.#requestId },
      { waitForTrailers: true },
    );
    this.#idle = setTimeout(() => this.#onIdle(), fast.idleMs);
    const onClosing = () => this.#refuseRest(context.closing.reason);
    context.closing.addEventListener("abort", onClosing, { once: true });
    stream.on("data", (chunk: Buffer) => this.#onData(chunk));
    stream.on("end", () => this.#onEnd());
    stream.on("drain", () => this.#takeIn());
    stream.on("error", () => undefined); // the caller is gone, and "close" follows
    stream.once("close", () => {
      clearTimeout(this.#idle);
      context.closing.removeEventListener("abort", onClosing);
      if (!this.#isOver) this.#count("canceled");
      this.#isOver = true;
    });
  }

  #onData(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#idle?.refresh();
    this.#frames.add(chunk);
    this.#takeIn();
  }

  #onEnd(): void {
    // The messages of a caller that is gone just end; "close" follows.
    if (this.#stream.closed || this.#stream.destroyed) return;
    this.#hasAllMessages = true;
    this.#takeIn();
  }

  /** Reads messages while there is room, and pauses the stream when there is none. */
  #takeIn(): void {
    const { maxAhead: ahead } = this.#parts.fast;
    if (this.#isOver || this.#isRefused || this.#isUnreadable) return;
    try {
      while (this.#slots.length < ahead && this.#stream.writableLength < maxUnsentBytes) {
        const bytes = this.#frames.next();
        if (bytes === undefined) {
          if (this.#hasAllMessages) this.#endOfMessages();
          else this.#stream.resume();
          return;
        }
        this.#take(bytes);
      }
      this.#stream.pause();
    } catch (error) {
      this.#refuseRest(error);
    }
  }

  /** Ends the call with a failure, after the answers to earlier messages. */
  #refuseRest(failure: unknown): void {
    if (this.#isOver || this.#isUnreadable) return;
    this.#isUnreadable = true;
    this.#slots.push({ answer: undefined, failure });
    this.#send();
  }

  #endOfMessages(): void {
    this.#frames.end();
    if (this.#slots.length === 0) this.#end();
  }

  #take(bytes: Buffer): void {
    const slot: Slot = { answer: undefined, failure: undefined };
    this.#slots.push(slot);
    this.#parts.context.take({
      judge: () => this.#judge(bytes, slot),
      answer: () => this.#send(),
    });
  }

  #judge(bytes: Buffer, slot: Slot): void {
    const { fast, options, parse } = this.#parts;
    if (this.#isOver || this.#isRefused) return;
    try {
      // Calls may be long; a token that was revoked meanwhile is good for nothing more.
      if (options.authenticate(this.#caller.token) === undefined) throw unauthenticated();
      const message = parse(bytes);
      if (!fast.isSurelyValid(message)) assertValid(fast.method.input, message);
      const answer = this.#withinTrace(() => fast.answer(message));
      if (!(answer instanceof Promise)) {
        slot.answer = answer;
        return;
      }
      answer.then(
        (late) => this.#settle(slot, { answer: late, failure: undefined }),
        (failure: unknown) => this.#settle(slot, { answer: undefined, failure }),
      );
    } catch (error) {
      this.#isRefused = true;
      slot.failure = error;
    }
  }

  #withinTrace(work: () => Message | Promise<Message>): Message | Promise<Message> {
    const own = this.#trace === undefined ? traceOfCall({}) : undefined;
    if (own === undefined) return withinTraceOf(this.#trace, work);
    const span = spanOfCall(own, callName(this.#names), performance.now());
    const answer = withinTraceOf(own, work);
    const end = () => span && endCallSpan(span, { ...this.#names, code: "ok", orgId: this.#caller.credential.orgId });
    if (answer instanceof Promise) answer.then(end, () => undefined);
    else end();
    return answer;
  }

  #settle(slot: Slot, { answer, failure }: Slot): void {
    slot.answer = answer;
    slot.failure = failure;
    this.#send();
  }

  /** Sends the answers that are there, up to the first that is not. */
  #send(): void {
    try {
      for (let oldest = this.#slots[0]; oldest !== undefined && !this.#isOver; oldest = this.#slots[0]) {
        if (oldest.failure !== undefined) {
          this.#fail(oldest.failure);
          return;
        }
        if (oldest.answer === undefined) return;
        this.#slots.shift();
        const frame = withFrameHead(this.#parts.write(oldest.answer, frameHeadBytes));
        if (this.#out.push(frame) === 1) process.nextTick(() => this.#flush());
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #flush(): void {
    const out = this.#out;
    this.#out = [];
    if (out.length === 0 || this.#stream.destroyed) return;
    this.#idle?.refresh();
    this.#stream.write(out.length === 1 ? out[0] : Buffer.concat(out));
    this.#takeIn();
  }

  #onIdle(): void {
    // A caller that reads nothing would not read the failure either.
    if (this.#stream.writableLength > 0) this.#stream.close(constants.NGHTTP2_CANCEL);
    else this.#fail(new Fault(Reason.DEADLINE_EXCEEDED, "nothing arrived on the stream for too long"));
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    const { log } = this.#parts.context;
    const fault = error instanceof Fault ? error : toldFault(error);
    if (fault === undefined) log.error({ err: error, request_id: this.#requestId }, "internal error");
    const told = fault ?? new Fault(Reason.INTERNAL, `internal error, request id ${this.#requestId}`);
    this.#end(toConnectError(told));
    // The rest is read and discarded for a while, so that the caller reads the trailers and no reset.
    const stream = this.#stream;
    stream.resume();
    const timer = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), discardMs).unref();
    stream.once("close", () => clearTimeout(timer));
  }

  #end(error?: ConnectError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#flush();
    clearTimeout(this.#idle);
    const stream = this.#stream;
    stream.once("wantTrailers", () => stream.sendTrailers(trailersOf(error)));
    stream.end();
    this.#count(error === undefined ? "ok" : codeName(error.code));
  }

  #count(code: string): void {
    const { options, context } = this.#parts;
    const names = this.#names;
    const startedAtMs = this.#startedAtMs;
    const durationMs = performance.now() - startedAtMs;
    options.countCall({ ...names, code, durationMs });
    const { headers, credential } = this.#caller;
    const call = { requestId: this.#requestId, names, credential, startedAtMs, durationMs, code, trace: this.#trace };
    logFastCall("fast_stream", { headers, remoteAddress: this.#remoteAddress }, call, context);
  }
}

function trailersOf(error: ConnectError | undefined): Record<string, string> {
  return error === undefined ? { "grpc-status": "0" } : Object.fromEntries(setTrailerStatus(new Headers(), error));
}
