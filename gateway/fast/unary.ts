// Unary calls on the fast path, in all dialects. It answers only calls that are ordinary in every respect: a small
// body, a good token, a request that certainly satisfies the rules of its fields. Everything else goes to the ordinary
// handler together with the bytes that were read of it, so that one place knows how to refuse.
//
// An ordinary call costs ten times as much as the evaluation in it: some fifteen promises, four abort signals, two sets
// of headers.

import type { Message } from "@bufbuild/protobuf";
import { Fault } from "../../src/kit/fault/fault.ts";
import type { TraceContext } from "../../src/kit/observability/tracing.ts";
import type { Credential } from "../../src/kit/rpc/context.ts";
import { requestIdOf } from "../../src/kit/rpc/interceptors/request.ts";
import {
  type Authorize,
  bearer,
  createAuthorize,
  type FastCallContext,
  type FastMethod,
  type FastPathOptions,
  logFastCall,
  maxFastBytes,
  traceOfCall,
  withHandledRejection,
  withinTimeout,
  withinTraceOf,
} from "./call.ts";
import type { ChooseDialect, Dialect } from "./dialect.ts";
import type { FastExchange } from "./exchange.ts";

/** Takes a call; false leaves it, untouched, to the ordinary handler. */
export type TakeExchange = (exchange: FastExchange) => boolean;

/** What takes the calls of a method that come in these dialects. */
export function createFastUnary(
  fast: FastMethod,
  dialectOf: ChooseDialect,
  options: FastPathOptions,
  context: FastCallContext,
): TakeExchange {
  const authorize = createAuthorize(fast.method, options);
  const respond = createResponder(fast, options, context);
  return (exchange) => {
    const { authorization, "content-length": length } = exchange.headers;
    const dialect = dialectOf(exchange);
    const token = bearer.exec(authorization ?? "")?.[1];
    if (dialect === undefined || token === undefined || !(Number(length ?? 0) <= maxFastBytes)) return false;
    if (authorize(token) === undefined) return false;
    exchange.read((body, isWhole) => {
      const startedAtMs = performance.now();
      let attempt: Attempt | undefined;
      context.take({
        judge: () => {
          if (!isWhole || exchange.isGone()) return;
          attempt = attemptCall(fast, { exchange, dialect, token, body }, authorize);
        },
        answer: () => {
          try {
            if (attempt === undefined) exchange.handOver(body, isWhole);
            else respond(exchange, dialect, attempt, startedAtMs);
          } catch (err) {
            // Nothing that is thrown here may end the process: the listener's own guard has returned by now.
            context.log.error({ err }, "the fast path failed");
            exchange.destroy();
          }
        },
      });
    });
    return true;
  };
}

/** An answer, which may still be on its way, and the credential that asked. */
interface Attempt {
  readonly answer: Message | Promise<Message>;
  readonly credential: Credential;
  readonly trace: TraceContext | undefined;
}

interface ReadCall {
  readonly exchange: FastExchange;
  readonly dialect: Dialect;
  readonly token: string;
  readonly body: Buffer;
}

/** Answers a call; undefined for one that the ordinary handler has to answer. */
function attemptCall(
  { isSurelyValid, call }: FastMethod,
  { exchange: { headers }, dialect, token, body }: ReadCall,
  authorize: Authorize,
): Attempt | undefined {
  try {
    const credential = authorize(token); // again: the token may have been revoked while the body came
    const request = credential && dialect.decode(body);
    if (credential === undefined || request === undefined || !isSurelyValid(request)) return undefined;
    const trace = traceOfCall(headers);
    return { answer: withHandledRejection(withinTraceOf(trace, () => call(request))), credential, trace };
  } catch {
    return undefined;
  }
}

/** Sends an answer, at once or when it is there, and takes note of the end of the call. */
function createResponder(
  { method }: FastMethod,
  { countCall }: FastPathOptions,
  context: FastCallContext,
): (exchange: FastExchange, dialect: Dialect, attempt: Attempt, startedAtMs: number) => void {
  const names = { service: method.parent.typeName, method: method.name };
  const { log, limits } = context;
  return (exchange, dialect, { answer, credential, trace }, startedAtMs) => {
    const requestId = requestIdOf(exchange.headers["x-request-id"]);
    const finish = (code: string) => {
      const durationMs = performance.now() - startedAtMs;
      countCall({ ...names, code, durationMs });
      const ended = { requestId, names, credential, startedAtMs, durationMs, code, trace };
      logFastCall("fast_unary", exchange, ended, context);
    };
    const send = (message: Message): void => {
      dialect.sendMessage(exchange, requestId, message);
      finish("ok");
    };
    if (!(answer instanceof Promise)) return send(answer);
    withinTimeout(answer, limits.timeoutMs)
      .then(send)
      .catch((error: unknown) => {
        const isLate = error instanceof Fault;
        if (!isLate) log.error({ err: error, request_id: requestId }, "internal error");
        dialect.sendFailure(exchange, requestId, error);
        finish(isLate ? "deadline_exceeded" : "internal");
      });
  };
}
