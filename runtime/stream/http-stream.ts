// `POST /v1/evaluate/stream`: the RPC EvaluateStream as HTTP. The body is NDJSON, one part a line; the answer is NDJSON or, for a caller
// that accepts text/event-stream, server-sent events (WHATWG HTML, section 9.2). It goes through the same handler and interceptors.

import { once } from "node:events";
import { StringDecoder } from "node:string_decoder";
import { create, type JsonValue, type Message } from "@bufbuild/protobuf";
import { createContextValues, type Transport } from "@connectrpc/connect";
import { errorAnswer } from "../../gateway/envelope.ts";
import { callHeaders } from "../../gateway/header.ts";
import {
  defaultHeaders,
  isGone,
  type RestHandler,
  type RestRequest,
  type RestResponse,
  sendAnswer,
} from "../../gateway/http.ts";
import { messagePrinter } from "../../gateway/json-print.ts";
import { messageReader } from "../../gateway/json-read.ts";
import { parseJson } from "../../gateway/json-text.ts";
import { Problems } from "../../gateway/problem.ts";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { EvaluateResponseSchema, FindingSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { StreamOpeningSchema, ToolCallPartSchema } from "../../gen/policyguard/policy/v1/stream_pb.ts";
import {
  type EvaluateStreamRequest,
  EvaluateStreamRequestSchema,
  type EvaluateStreamResponse,
  EvaluationService,
} from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { peerAddress } from "../../src/kit/address.ts";
import { connectionKey } from "../../src/kit/context.ts";
import { Fault, malformedRequest, validationFailed } from "../../src/kit/error.ts";
import { requestIdOf } from "../../src/kit/interceptors/request.ts";
import type { Logger } from "../../src/kit/log.ts";

const path = "/v1/evaluate/stream";
/** One line: a delta of the longest text, which JSON may write in up to six bytes for one. */
const longestLineBytes = 8 * 1024 * 1024;

/** What the form stands on. */
export interface HttpStreamParts {
  /** Where other requests go. */
  readonly ordinary: RestHandler;
  readonly transport: Transport;
  readonly trustedHops: number;
  readonly log: Logger;
}

/** The handler that knows the streamed form, and hands on everything else. */
export function createHttpStream(parts: HttpStreamParts): RestHandler {
  return (request, response) => {
    if (request.method !== "POST" || request.url !== path) return parts.ordinary(request, response);
    const requestId = requestIdOf(request.headers["x-request-id"]);
    serve(request, response, parts, requestId).catch((error: unknown) =>
      fail(request, response, error, { requestId, log: parts.log }),
    );
  };
}

async function serve(
  request: RestRequest,
  response: RestResponse,
  { transport, trustedHops }: HttpStreamParts,
  requestId: string,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const forwardedFor = request.headers["x-forwarded-for"];
  const address = peerAddress({ socketAddress: request.socket?.remoteAddress, forwardedFor, trustedHops });
  const type = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/x-ndjson" && type !== "application/json")
    throw new Fault(Reason.UNSUPPORTED_MEDIA_TYPE, "expected the content type application/x-ndjson");
  const { message } = await transport.stream(
    EvaluationService.method.evaluateStream,
    gone.signal,
    undefined,
    callHeaders(request.headers, requestId),
    partsOf(request),
    createContextValues().set(connectionKey, { address }),
  );
  const form = formOf(request);
  const events = message[Symbol.asyncIterator]();
  // What fails before the first event has a proper status.
  for (let next = await events.next(); next.done !== true; next = await events.next()) {
    if (isGone(response)) break;
    if (!response.headersSent) open(response, form, requestId);
    if (!response.write(form.line(next.value))) await drained(response);
  }
  await events.return?.();
  response.end();
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

const printVerdict = messagePrinter(EvaluateResponseSchema);
const printFinding = messagePrinter(FindingSchema);

function nameOf({ event }: EvaluateStreamResponse): string {
  return event.case ?? "";
}

function printed({ event }: EvaluateStreamResponse): string {
  if (event.case === "verdict") return printVerdict(event.value);
  return event.case === "finding" ? printFinding(event.value) : JSON.stringify(event.value ?? "");
}

/** The parts of a body, one a line, read as fast as they are taken. */
async function* partsOf(request: RestRequest): AsyncGenerator<EvaluateStreamRequest> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const bytes of request) {
    rest += decoder.write(bytes);
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > longestLineBytes) throw malformedRequest("a line is too long");
    for (const line of lines) if (line.trim() !== "") yield partOf(line);
  }
  rest += decoder.end();
  if (rest.trim() !== "") yield partOf(rest);
}

const readOpening = messageReader(StreamOpeningSchema);
const readCall = messageReader(ToolCallPartSchema);

function partOf(line: string): EvaluateStreamRequest {
  // Bytes that are no UTF-8 have become this; a caller who means it writes it as an escape.
  if (line.includes("\ufffd")) throw malformedRequest("the body is not UTF-8");
  const json = parseJson(line);
  const names = typeof json === "object" && json !== null && !Array.isArray(json) ? Object.keys(json) : [];
  const [name = "", ...others] = names;
  if (others.length > 0 || typeof json !== "object" || json === null || Array.isArray(json)) throw onePart();
  const value = json[name];
  const part = value === undefined ? undefined : partNamed(name, value);
  if (part === undefined) throw onePart();
  return create(EvaluateStreamRequestSchema, { part });
}

function partNamed(name: string, value: JsonValue): EvaluateStreamRequest["part"] | undefined {
  if (name === "delta") return typeof value === "string" ? { case: "delta", value } : undefined;
  if (name === "finish") return value === true ? { case: "finish", value } : undefined;
  if (name === "open") return { case: "open", value: read(create(StreamOpeningSchema), readOpening, value, name) };
  if (name === "tool_call") return { case: "toolCall", value: read(create(ToolCallPartSchema), readCall, value, name) };
  return undefined;
}

function read<M extends Message>(message: M, reader: ReturnType<typeof messageReader>, json: JsonValue, at: string): M {
  const problems = new Problems();
  reader.into(message, json, at, problems);
  const fault = problems.fault();
  if (fault !== undefined) throw fault;
  return message;
}

function onePart() {
  const message = 'expected one of {"open": {…}}, {"delta": "…"}, {"tool_call": {…}} and {"finish": true} on each line';
  return validationFailed([{ field: "body", message }]);
}

/** Waits until the caller has read, or is gone. */
async function drained(response: RestResponse): Promise<void> {
  const over = new AbortController();
  const wait = (name: string) => once(response, name, { signal: over.signal });
  await Promise.race([wait("drain"), wait("close")]).finally(() => over.abort());
}

function fail(
  request: RestRequest,
  response: RestResponse,
  error: unknown,
  { requestId, log }: { readonly requestId: string; readonly log: Logger },
): void {
  if (isGone(response)) return;
  const answer = errorAnswer(error, requestId);
  if (!response.headersSent) {
    sendAnswer(request, response, answer);
    return;
  }
  log.info({ request_id: requestId, status: answer.status }, "a stream broke off");
  const detail = JSON.parse(String(answer.body)).detail;
  response.end(formOf(request).error(JSON.stringify(detail)));
}
