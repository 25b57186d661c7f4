// The server's side of node:http and node:http2, as far as the gateway uses it.

import { once } from "node:events";
import type { OutgoingHttpHeaders } from "node:http";
import type { ConnectNodeAdapterOptions } from "@connectrpc/connect-node";

/** A request handler for node:http and node:http2; also the form of a Connect adapter's fallback. */
export type RestHandler = NonNullable<ConnectNodeAdapterOptions["fallback"]>;
/** A request of node:http or node:http2. */
export type RestRequest = Parameters<RestHandler>[0];
/** A response of node:http or node:http2. */
export type RestResponse = Parameters<RestHandler>[1];

/** The host that a request names, with its port. */
export function hostOf({ headers }: RestRequest): string | undefined {
  const authority = headers[":authority"];
  return typeof authority === "string" ? authority : headers.host;
}

/** A whole answer. */
export interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** Undefined: the answer has no body. A large one is a list of pieces. */
  readonly body: string | Uint8Array | readonly Uint8Array[] | undefined;
}

/** Headers of every answer, unless the operation says otherwise. */
export const defaultHeaders: Readonly<OutgoingHttpHeaders> = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** An answer with a JSON body. */
export function jsonAnswer(status: number, json: unknown, headers: OutgoingHttpHeaders): Answer {
  return jsonTextAnswer(status, JSON.stringify(json), headers);
}

/** The same, of a finished text. */
export function jsonTextAnswer(status: number, body: Answer["body"], headers: OutgoingHttpHeaders): Answer {
  return { status, headers: { "content-type": "application/json; charset=utf-8", ...headers }, body };
}

/** Sends the answer; to HEAD without its body. Does nothing when the connection is gone. */
export function sendAnswer(request: RestRequest, response: RestResponse, answer: Answer): void {
  if (isGone(response) || response.headersSent) return;
  discardBody(request);
  const body = chunksOf(answer.body);
  const length = answer.body === undefined ? {} : { "content-length": sizeOf(body) };
  response.writeHead(answer.status, { ...defaultHeaders, ...answer.headers, ...length });
  const [only] = body;
  if (only === undefined || request.method === "HEAD") response.end();
  else if (body.length === 1) response.end(only);
  else writeChunks(response, body).catch(() => response.destroy());
}

/** The body as pieces; none for an answer without one. */
export function chunksOf(body: Answer["body"]): readonly Uint8Array[] {
  if (body === undefined) return [];
  if (typeof body === "string") return [Buffer.from(body)];
  return body instanceof Uint8Array ? [body] : body;
}

/** How many bytes the pieces have. */
export function sizeOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

async function writeChunks(response: RestResponse, pieces: readonly Uint8Array[]): Promise<void> {
  for (const piece of pieces) {
    if (isGone(response)) return;
    if (!response.write(piece)) await drained(response);
  }
  response.end();
}

/** Waits until the caller has read, or is gone. */
export async function drained(response: RestResponse): Promise<void> {
  const gone = new AbortController();
  await Promise.race([
    once(response, "drain", { signal: gone.signal }),
    once(response, "close", { signal: gone.signal }),
  ]).finally(() => gone.abort());
}

/** Bytes of an unread body that are still read and discarded, so that the caller reads the answer and no reset. */
export const discardedBytes = 16 * 1024 * 1024;

// An unread body must not block the connection, and not occupy it for ever.
function discardBody(request: RestRequest): void {
  if (!request.readableEnded) {
    let sizeBytes = 0;
    request.on("data", (chunk: Buffer) => {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > discardedBytes) request.destroy();
    });
  }
  request.resume();
}

/** Whether the connection, or the stream within it, has closed. */
export function isGone(response: RestResponse): boolean {
  return "stream" in response ? response.stream.destroyed : response.destroyed;
}

/** Path (still encoded) and query of the request's target. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  // An absolute target has to be understood, though only proxies send one (RFC 9112 section 3.2.2).
  const origin = /^https?:\/\/[^/?#]*/i.exec(target)?.[0] ?? "";
  const rest = target.slice(origin.length);
  const end = rest.indexOf("?");
  return end === -1 ? { path: rest, query: "" } : { path: rest.slice(0, end), query: rest.slice(end + 1) };
}
