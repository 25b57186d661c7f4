// The way to the control plane. Calls carry the browser's cookie by themselves; the header says which session this page
// was loaded with, and proves that the call is the page's own.

import type { Interceptor, Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";

const header = "X-Policy-Guard-Console";

/** The session of this page; `1` until it is known. */
let sessionId = "1";

/** Sets the session that calls are made for. */
export function setSession(id: string | undefined): void {
  sessionId = id ?? "1";
}

/** The headers that make a call the page's own, for downloads that are no RPCs. */
export function pageHeaders(): Record<string, string> {
  return { [header]: sessionId };
}

const ofThisPage: Interceptor = (next) => (req) => {
  req.header.set(header, sessionId);
  return next(req);
};

/** The transport of all calls. */
export const transport: Transport = createConnectTransport({
  baseUrl: location.origin,
  useBinaryFormat: !import.meta.env.DEV,
  interceptors: [ofThisPage],
});
