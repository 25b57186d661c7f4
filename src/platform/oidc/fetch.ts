// `fetch` for libraries that speak HTTP to addresses that customers gave, such as those of an identity provider:
// through the guard, to the address that it checked, without redirects, within limits of time and size. A body beyond
// the limit is an error, since half a document is useless.

import type { MethodRequest, Outbound } from "../../kit/net/outbound/client.ts";
import { OutboundError } from "../../kit/net/outbound/error.ts";

/** Enough for the metadata and the keys of the largest providers. */
const bodyLimitBytes = 256 * 1024;

/** What callers of the fetch may set; redirects are never followed, whatever they say. */
export interface GuardedInit {
  readonly method?: string;
  readonly headers?: HeadersInit;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
}

/** A fetch for these owners' connections. */
export type GuardedFetch = (url: string, init?: GuardedInit) => Promise<Response>;

/** A guarded fetch on behalf of an owner. */
export function createGuardedFetch(outbound: Pick<Outbound, "request">, owner: string): GuardedFetch {
  return async (url, { method = "GET", headers, body, signal } = {}) => {
    const answer = await outbound.request({
      owner,
      url,
      method: methodOf(method),
      headers: Object.fromEntries(new Headers(headers)),
      bodyLimitBytes,
      ...(body === undefined || body === null ? {} : { body: bytesOf(body) }),
      ...(signal ? { signal } : {}),
    });
    if (answer.isBodyCut)
      throw new OutboundError("body_too_large", `${new URL(url).host} sent too much, or an incomplete answer`);
    // These statuses have no body.
    const text = [204, 205, 304].includes(answer.statusCode) ? null : answer.bodyText;
    return new Response(text, { status: answer.statusCode, headers: pairsOf(answer.headers) });
  };
}

function methodOf(method: string): MethodRequest["method"] {
  if (method === "GET" || method === "POST") return method;
  throw new Error(`a guarded fetch does not ${method}`);
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === "string" || body instanceof URLSearchParams) return Buffer.from(body.toString(), "utf8");
  if (body instanceof Uint8Array) return body;
  throw new Error("a guarded fetch sends text and bytes only");
}

function pairsOf(headers: Readonly<Record<string, string | string[] | undefined>>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  );
}
