// Stripe's library speaks HTTP through our own client: by the guard of outbound calls, with its limits of time and
// size, and without proxies and redirects.

import type { Outbound, OutboundResponse } from "../../kit/net/outbound/client.ts";
import { OutboundError } from "../../kit/net/outbound/error.ts";

/** One answer of Stripe, in the shape that its library reads. */
interface Answer {
  readonly getStatusCode: () => number;
  readonly getHeaders: () => Record<string, string>;
  readonly getRawResponse: () => object;
  readonly toStream: () => never;
  readonly toJSON: () => Promise<unknown>;
}

/** A list of a hundred subscriptions or invoices with their lines is some 500 KiB. */
const bodyLimitBytes = 8 * 1024 * 1024;
/** Connections to Stripe carry the installation's key, and are shared with nobody. */
const owner = "stripe";

/** The client that Stripe's library is given. */
export function createStripeHttpClient(outbound: Outbound) {
  return {
    getClientName: () => "policy-guard",
    async makeRequest(
      host: string,
      port: string,
      path: string,
      method: string,
      headers: object,
      requestData: string,
      protocol: string,
    ): Promise<Answer> {
      if (method !== "GET" && method !== "POST" && method !== "DELETE")
        throw new Error(`no call to Stripe is a ${method}`);
      const url = `${protocol}://${host.includes(":") ? `[${host}]` : host}:${port}${path}`;
      const request = { owner, url, method, headers: textsOf(headers), bodyLimitBytes } as const;
      const body = method === "POST" ? { body: Buffer.from(requestData) } : {};
      return answerOf(await outbound.request({ ...request, ...body }).catch(rethrow));
    },
  };
}

function answerOf({ statusCode, headers, bodyText, isBodyCut }: OutboundResponse): Answer {
  return {
    getStatusCode: () => statusCode,
    getHeaders: () => textsOf(headers),
    // The library writes into it.
    getRawResponse: () => ({}),
    toStream() {
      throw new Error("no answer of Stripe is streamed");
    },
    async toJSON() {
      // A connection that broke within the body; what the call did is not known.
      if (isBodyCut) throw Object.assign(new Error("the answer broke off"), { code: "ECONNABORTED" });
      return JSON.parse(bodyText);
    },
  };
}

// The library tells time limits from lost connections by their codes.
function rethrow(error: unknown): never {
  if (!(error instanceof OutboundError)) throw error;
  const isLate = error.failure === "timeout" || error.failure === "connect_timeout";
  throw Object.assign(new Error(error.message), { code: isLate ? "ETIMEDOUT" : "ECONNABORTED" });
}

function textsOf(headers: object): Record<string, string> {
  const texts = Object.entries(headers).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(texts.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : `${value}`]));
}
