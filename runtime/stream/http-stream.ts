// `POST /v1/evaluate/stream`: the RPC EvaluateStream over HTTP. The body is NDJSON with one part in each line. The
// answer is NDJSON too or, for a caller that accepts text/event-stream, server-sent events (WHATWG HTML, section 9.2).
// It passes the same handler and interceptors as the RPC.

import { once } from "node:events";
import { createContextValues } from "@connectrpc/connect";
import { callHeaders } from "../../gateway/http/header.ts";
import { defaultHeaders, isGone, type RestRequest, type RestResponse } from "../../gateway/http/http.ts";
import { messageTextEncoder } from "../../gateway/json/encode-text.ts";
import { checkMediaType } from "../../gateway/rest/body.ts";
import { errorAnswer } from "../../gateway/rest/envelope.ts";
import type { Conversation } from "../../gateway/rest/handler.ts";
import type { Exchange } from "../../gateway/route/entry.ts";
import type { ConversationParts } from "../../gateway/serve.ts";
import { EvaluateResponseSchema, FindingSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import {
  type EvaluateStreamRequest,
  type EvaluateStreamResponse,
  EvaluationService,
} from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { peerAddress } from "../../src/kit/net/address.ts";
import { letTakeTime } from "../../src/kit/net/http1-server.ts";
import type { Logger } from "../../src/kit/observability/log.ts";
import { connectionKey } from "../../src/kit/rpc/context.ts";
import { methodFacts } from "../../src/kit/rpc/options.ts";
import { partsOf } from "./part-line.ts";

/** The HTTP form of EvaluateStream. */
export function createHttpStream(parts: ConversationParts): Conversation {
  return { method: EvaluationService.method.evaluateStream, serve: (exchange) => serve(exchange, parts) };
}

// An error before the first event is thrown, so that the answer has its status.
async function serve(exchange: Exchange, parts: ConversationParts): Promise<void> {
  const { request, response, requestId } = exchange;
  const form = formOf(request);
  const { message } = await call(exchange, parts);
  const events = message[Symbol.asyncIterator]();
  try {
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      if (isGone(response)) break;
      if (!response.headersSent) open(response, form, requestId);
      if (!response.write(form.line(next.value))) await drained(response);
    }
    await events.return?.();
    response.end();
  } catch (error) {
    if (!response.headersSent) throw error;
    breakOff(response, form, error, { requestId, log: parts.log });
  }
}

function call({ request, response, requestId, signal }: Exchange, { transport, trustedHops }: ConversationParts) {
  const forwardedFor = request.headers["x-forwarded-for"];
  const address = peerAddress({ socketAddress: request.socket?.remoteAddress, forwardedFor, trustedHops });
  return transport.stream(
    EvaluationService.method.evaluateStream,
    signal,
    undefined,
    callHeaders(request.headers, requestId),
    admitted(request, response),
    createContextValues().set(connectionKey, { address }),
  );
}

/** The parts, which are read after the caller is authenticated. From then on the stream has time limits of its own. */
async function* admitted(request: RestRequest, response: RestResponse): AsyncGenerator<EvaluateStreamRequest> {
  checkMediaType(request.headers, methodFacts(EvaluationService.method.evaluateStream).requestMediaTypes);
  letTakeTime(request, response);
  yield* partsOf(request);
}

function open(response: RestResponse, form: Form, requestId: string): void {
  response.writeHead(200, { ...defaultHeaders, "x-request-id": requestId, "content-type": form.type });
}

interface Form {
  readonly type: string;
  readonly line: (event: EvaluateStreamResponse) => string;
  readonly error: (json: string) => string;
}

function formOf({ headers }: RestRequest): Form {
  const asEvents = /(?:^|[,\s])text\/event-stream(?:[;,\s]|$)/i.test(headers.accept ?? "");
  if (!asEvents)
    return {
      type: "application/x-ndjson; charset=utf-8",
      line: (event) => `{${JSON.stringify(nameOf(event))}:${printed(event)}}\n`,
      error: (json) => `{"error":${json}}\n`,
    };
  return {
    type: "text/event-stream; charset=utf-8",
    line: (event) => `event: ${nameOf(event)}\ndata: ${printed(event)}\n\n`,
    error: (json) => `event: error\ndata: ${json}\n\n`,
  };
}

const printVerdict = messageTextEncoder(EvaluateResponseSchema);
const printFinding = messageTextEncoder(FindingSchema);

function nameOf({ event }: EvaluateStreamResponse): string {
  return event.case ?? "";
}

function printed({ event }: EvaluateStreamResponse): string {
  if (event.case === "verdict") return printVerdict(event.value);
  return event.case === "finding" ? printFinding(event.value) : JSON.stringify(event.value ?? "");
}

/** Waits until the caller has read, or is gone. */
async function drained(response: RestResponse): Promise<void> {
  const over = new AbortController();
  const wait = (name: string) => once(response, name, { signal: over.signal });
  await Promise.race([wait("drain"), wait("close")]).finally(() => over.abort());
}

/** Reports an error after the first event, when the status was sent already. */
function breakOff(
  response: RestResponse,
  form: Form,
  error: unknown,
  { log, requestId }: { log: Logger; requestId: string },
): void {
  if (isGone(response)) return;
  const { status, body } = errorAnswer(error, requestId);
  log.info({ request_id: requestId, status }, "a stream broke off");
  response.end(form.error(JSON.stringify(JSON.parse(String(body)).detail)));
}
