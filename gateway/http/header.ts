// Which headers cross the gateway, each way.

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";

/**
 * Request headers that reach the transport: credentials, what tells calls of the console's page from others, traces.
 * Others do not: an operation that reads a header has a field for it.
 */
const forwarded = [
  ...["authorization", "x-api-key", "cookie", "x-policy-guard-console", "origin", "sec-fetch-site"],
  ...["traceparent", "tracestate", "user-agent"],
];

/** The headers of the call that a request leads to. */
export function callHeaders(headers: IncomingHttpHeaders, requestId: string): Headers {
  const call = new Headers({ "x-request-id": requestId });
  for (const name of forwarded) {
    const value = headers[name];
    if (typeof value === "string") call.set(name, value);
  }
  return call;
}

/** Headers that belong to one hop or to the RPC protocols, and not to the answer. */
const protocol =
  /^(?:content-(?:type|length|encoding)|accept-encoding|connection|keep-alive|transfer-encoding|trailer|te|upgrade|date|vary|(?:connect|grpc|trailer)-.*|.*-bin)$/;

/** The headers of an RPC's answer that belong to the REST answer. */
export function forwardHeaders(headers: Headers): OutgoingHttpHeaders {
  const answer: OutgoingHttpHeaders = {};
  for (const [name, value] of headers) {
    if (!protocol.test(name) && name !== "set-cookie") answer[name] = value;
  }
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) answer["set-cookie"] = cookies;
  return answer;
}
