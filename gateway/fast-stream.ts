// The short way for gRPC calls of which each message is answered by one, over HTTP/2 streams as they are. As for single calls, it takes only
// what is ordinary: a good token, no compression, no deadline of its own. What comes wrong after that it refuses in the words of the ordinary
// path. A test compares the two. Answers go out in the order of the messages, those of one turn of the event loop by one write.
// (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md)

import { constants, type ServerHttp2Stream } from "node:http2";
import type { Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { createMethodSerializationLookup } from "@connectrpc/connect/protocol";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { Reason } from "../gen/policyguard/common/v1/reason_pb.ts";
import { binaryWriter } from "../src/kit/binary-write.ts";
import type { Credential } from "../src/kit/context.ts";
import { Fault, toConnectError, unauthenticated } from "../src/kit/error.ts";
import type { RawStream, StreamHandler } from "../src/kit/http2-server.ts";
import { toldFault } from "../src/kit/interceptors/fault.ts";
import { codeName, requestIdOf } from "../src/kit/interceptors/request.ts";
import { methodFacts } from "../src/kit/options.ts";
import { assertValid } from "../src/kit/validation.ts";
import {
  accessLine,
  bearer,
  type FastCallContext,
  type FastPathOptions,
  type FastStreamMethod,
  isUnusual,
  withinTraceOf,
} from "./fast-call.ts";
import { frameHeadBytes, headed, MessageFrames } from "./message-frames.ts";

const grpcTypes: ReadonlySet<string> = new Set(["application/grpc", "application/grpc+proto"]);
const contentType = "application/grpc+proto";
/** So much may wait for a caller that reads slowly; then nothing more is taken in. */
const mostUnsentBytes = 256 * 1024;
/** How long a call that failed is read on. */
const discardMs = 1_000;

/** The path of a method, and what takes its streams where they are ordinary. */
export function createFastStream(
  fast: FastStreamMethod,
  options: FastPathOptions,
  context: FastCallContext,
): readonly [string, StreamHandler] {
  const { method } = fast;
  const { kinds } = methodFacts(method).access;
  const { maxBodyBytes } = context.limits;
  const messageLimits = { readMaxBytes: maxBodyBytes, writeMaxBytes: maxBodyBytes };
  const { parse } = createMethodSerializationLookup(method, undefined, undefined, messageLimits).getI(true);
  const write = binaryWriter(method.output);
  const take: StreamHandler = ({ stream, headers }) => {
    const token = bearer.exec(headers.authorization ?? "")?.[1];
    if (token === undefined || !grpcTypes.has(headers["content-type"] ?? "") || isUnusual(headers)) return false;
    const credential = authenticated(token, options);
    if (credential?.orgId === undefined || !kinds.includes(credential.kind)) return false;
    new FastStream({ stream, headers, token, credential }, { fast, options, context, parse, write }).begin();
    return true;
  };
  return [`/${method.parent.typeName}/${method.name}`, take];
}

function authenticated(token: string, { authenticate }: FastPathOptions): Credential | undefined {
  try {
    return authenticate(token);
  } catch {
    return undefined; // the ordinary path refuses it
  }
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

/** The answer to one message, once it is there; or why the call ends with it. */
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
  readonly #remoteAddress: string | undefined;
  /** In the order of the messages, those that wait for their turn included. */
  readonly #slots: Slot[] = [];
  /** Answers that go out at the end of this turn. */
  #out: Buffer[] = [];
  #idle: NodeJS.Timeout | undefined;
  #hasAllMessages = false;
  /** What comes cannot be read any further. */
  #isUnreadable = false;
  /** One of the messages ended the call; what comes behind it is not judged. */
  #isRefused = false;
  #isOver = false;

  constructor(caller: Caller, parts: Parts) {
    this.#stream = caller.stream;
    this.#caller = caller;
    this.#parts = parts;
    this.#frames = new MessageFrames(parts.context.limits.maxBodyBytes);
    this.#remoteAddress = caller.stream.session?.socket.remoteAddress;
    this.#requestId = requestIdOf(caller.headers["x-request-id"]);
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

  /** Takes in messages as far as there is room, and stops reading where there is none. */
  #takeIn(): void {
    const { ahead } = this.#parts.fast;
    if (this.#isOver || this.#isRefused || this.#isUnreadable) return;
    try {
      while (this.#slots.length < ahead && this.#stream.writableLength < mostUnsentBytes) {
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

  /** What came before is answered first. */
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
      const answer = withinTraceOf(this.#caller.headers, () => fast.answer(message));
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
        const frame = headed(this.#parts.write(oldest.answer, frameHeadBytes));
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
    // A caller that takes nothing is not told anything either.
    if (this.#stream.writableLength > 0) this.#stream.close(constants.NGHTTP2_CANCEL);
    else this.#fail(new Fault(Reason.DEADLINE_EXCEEDED, "nothing came on the stream for too long"));
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    const { log } = this.#parts.context;
    const fault = error instanceof Fault ? error : toldFault(error);
    if (fault === undefined) log.error({ err: error, request_id: this.#requestId }, "internal error");
    const told = fault ?? new Fault(Reason.INTERNAL, `internal error, request id ${this.#requestId}`);
    this.#end(toConnectError(told));
    // What still comes is of no use. It is thrown away for a while, so that the caller reads its trailers and not a reset.
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
    const { fast, options, context } = this.#parts;
    const names = { service: fast.method.parent.typeName, method: fast.method.name };
    const durationMs = performance.now() - this.#startedAtMs;
    options.countCall({ ...names, code, durationMs });
    const { headers, credential } = this.#caller;
    const line = { requestId: this.#requestId, names, credential, durationMs, code };
    context.log.info(accessLine({ headers, remoteAddress: this.#remoteAddress }, line, context), "call");
  }
}

function trailersOf(error: ConnectError | undefined): Record<string, string> {
  return error === undefined ? { "grpc-status": "0" } : Object.fromEntries(setTrailerStatus(new Headers(), error));
}
