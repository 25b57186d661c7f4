// Somebody between a runtime and its control plane, who speaks the protocol and changes bundles on the way.

import { createServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { Code, ConnectError, createClient, type HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter, createConnectTransport } from "@connectrpc/connect-node";
import type { Bundle } from "../../gen/policyguard/bundle/v1/bundle_pb.ts";
import { BundleService } from "../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { ReportingService } from "../../gen/policyguard/runtime/v1/reporting_service_pb.ts";

/** A proxy that can be told to tamper. */
export interface TamperingProxy {
  readonly url: string;
  /** What to do to each bundle from now on; nothing when undefined. */
  tamper: ((bundle: Bundle) => Promise<void> | void) | undefined;
  /** Whether reporting streams are refused from now on. */
  refusesStreams: boolean;
  close(): Promise<void>;
}

/** Starts a proxy in front of a control plane. */
export async function startTamperingProxy(target: string): Promise<TamperingProxy> {
  const transport = createConnectTransport({ baseUrl: target, httpVersion: "2" });
  const bundles = createClient(BundleService, transport);
  const reporting = createClient(ReportingService, transport);
  const as = ({ requestHeader, signal }: HandlerContext) => ({
    headers: { authorization: requestHeader.get("authorization") ?? "" },
    signal,
  });
  const handler = connectNodeAdapter({
    routes(router) {
      router.service(BundleService, {
        async getLatestBundle(request, context) {
          const answer = await bundles.getLatestBundle(request, as(context));
          if (answer.bundle !== undefined) await proxy.tamper?.(answer.bundle);
          return answer;
        },
        listSigningKeys: (request, context) => bundles.listSigningKeys(request, as(context)),
      });
      router.service(ReportingService, {
        enrol: (request, context) => reporting.enrol(request, as(context)),
        report: (requests, context) => {
          if (proxy.refusesStreams) throw new ConnectError("no streams here", Code.Unavailable);
          return reporting.report(requests, as(context));
        },
      });
    },
  });
  const server = createServer({}, handler);
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => sessions.add(session));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: TamperingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // listens on TCP
    tamper: undefined,
    refusesStreams: false,
    async close() {
      for (const session of sessions) session.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return proxy;
}
