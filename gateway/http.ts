// The server's side of node:http and node:http2, as far as the gateway uses it.

import type { OutgoingHttpHeaders } from "node:http";
import type { ConnectNodeAdapterOptions } from "@connectrpc/connect-node";

/** A request handler for node:http and node:http2; also the form of a Connect adapter's fallback. */
export type RestHandler = NonNullable<ConnectNodeAdapterOptions["fallback"]>;
/** A request of node:http or node:http2. */
export type RestRequest = Parameters<RestHandler>[0];
/** A response of node:http or node:http2. */
export type RestResponse = Parameters<RestHandler>[1];

/** A whole answer. */
export interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** Undefined: the answer has no body. */
  readonly body: string | Uint8Array | undefined;
}

/** Headers of every answer, unless the operation says otherwise. */
export const defaultHeaders: Readonly<OutgoingHttpHeaders> = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** An answer with a JSON body. */
export function jsonAnswer(status: number, json: unknown, headers: OutgoingHttpHeaders): Answer {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
    body: JSON.stringify(json),
  };
}

/** Sends the answer; to HEAD without its body. Does nothing when the connection is gone. */
export function sendAnswer(request: RestRequest, response: RestResponse, answer: Answer): void {
  if (isGone(response) || response.headersSent) return;
  request.resume(); // a body that nobody read must not hold up the connection
  const body = typeof answer.body === "string" ? Buffer.from(answer.body) : answer.body;
  const length = body === undefined ? {} : { "content-length": body.byteLength };
  response.writeHead(answer.status, { ...defaultHeaders, ...answer.headers, ...length });
  if (body === undefined || request.method === "HEAD") response.end();
  else response.end(body);
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
