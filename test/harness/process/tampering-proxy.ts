// Somebody between a runtime and its control plane, who speaks the protocol and changes bundles on the way, or the
// bytes that carry them.

import { createServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { Code, ConnectError, createClient, type HandlerContext } from "@connectrpc/connect";
import { compressionGzip, connectNodeAdapter, createConnectTransport } from "@connectrpc/connect-node";
import { BundleService, type GetLatestBundleResponse } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { ReportingService } from "../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";

/** A proxy that can be told to tamper. */
export interface TamperingProxy {
  readonly url: string;
  /**
   * What to do to each answer about the bundle from now on; nothing when undefined. What it throws is answered instead.
   */
  tamper: ((answer: GetLatestBundleResponse) => Promise<void> | void) | undefined;
  /** What to do to the compressed bytes of such an answer from now on; nothing when undefined. */
  garble: ((bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>) | undefined;
  /** Whether bundles come whole from now on, although runtimes ask for what changed. */
  sendsWhole: boolean;
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
  const reports = connectNodeAdapter({
    routes(router) {
      router.service(ReportingService, {
        enrol: (request, context) => reporting.enrol(request, as(context)),
        report: (requests, context) => {
          if (proxy.refusesStreams) throw new ConnectError("no streams here", Code.Unavailable);
          return reporting.report(requests, as(context));
        },
      });
    },
  });
  const handler = connectNodeAdapter({
    routes(router) {
      router.service(BundleService, {
        async getLatestBundle(request, context) {
          const prefer = proxy.sendsWhole ? request.prefer?.replace("parts=changed", "") : request.prefer;
          const answer = await bundles.getLatestBundle({ ...request, prefer }, as(context));
          await proxy.tamper?.(answer);
          return answer;
        },
        listSigningKeys: (request, context) => bundles.listSigningKeys(request, as(context)),
      });
    },
    acceptCompression: [
      {
        ...compressionGzip,
        async compress(bytes) {
          const compressed = await compressionGzip.compress(bytes);
          return proxy.garble?.(compressed) ?? compressed;
        },
      },
    ],
    compressMinBytes: 0,
    fallback: reports,
  });
  const server = createServer({}, handler);
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => sessions.add(session));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: TamperingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // listens on TCP
    tamper: undefined,
    garble: undefined,
    sendsWhole: false,
    refusesStreams: false,
    async close() {
      for (const session of sessions) session.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return proxy;
}
