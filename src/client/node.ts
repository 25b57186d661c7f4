// The typed client over HTTP/2, which carries streams in both directions. For Node only.

import { createConnectTransport } from "@connectrpc/connect-node";
import { type ClientOptions, clientsOver, interceptorsOf, type PolicyGuard } from "./client.ts";

/** A client of a control plane or of a runtime over HTTP/2. Its connection ends by itself when it is idle. */
export function createNodePolicyGuard(options: Omit<ClientOptions, "fetch">): PolicyGuard {
  const { url, timeoutMs = 30_000 } = options;
  return clientsOver(
    createConnectTransport({
      baseUrl: url.replace(/\/+$/, ""),
      httpVersion: "2",
      defaultTimeoutMs: timeoutMs,
      interceptors: interceptorsOf(options),
      // A connection that was dropped without a word is noticed before the next call goes over it.
      pingIntervalMs: 30_000,
    }),
  );
}
