import { request } from "node:http";
import { createNetworkGuard } from "../../src/kit/outbound/guard.ts";
import type { WebhookTransport } from "../../src/domain/webhook-request.ts";
export function loopbackTransport(): WebhookTransport {
  const guard = createNetworkGuard({ allowNetworks: ["127.0.0.0/8"], dnsServers: [] });
  return {
    check: (url) => guard.check(url),
    post: (url, { headers, body, timeoutMs }) =>
      new Promise((resolve, reject) => {
        const r = request(url, { method: "POST", headers: { ...headers, "content-length": body.length }, signal: AbortSignal.timeout(timeoutMs) }, (res) => {
          res.resume();
          res.on("end", () => resolve({ status: res.statusCode ?? 0, retryAfter: res.headers["retry-after"] }));
        });
        r.on("error", reject);
        r.end(body);
      }),
  };
}
