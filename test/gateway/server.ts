// A REST handler over a real socket and an in-memory transport, with small services that answer what a test says.

import { createServer, type Server } from "node:http";
import { createServer as createHttp2Server, type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import type { DescService } from "@bufbuild/protobuf";
import type { ConnectRouter, Interceptor } from "@connectrpc/connect";
import { pino } from "pino";
import type { Pages } from "../../gateway/docs/static-page.ts";
import type { RestHandler } from "../../gateway/http/http.ts";
import { createRestHandler } from "../../gateway/rest/handler.ts";
import type { RestLimits } from "../../gateway/rest/operation.ts";
import { createInProcessTransport } from "../../gateway/rpc/in-process.ts";
import { BundleService } from "../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { EnvironmentService } from "../../gen/policyguard/control/v1/environment_service_pb.ts";
import { PolicyService } from "../../gen/policyguard/control/v1/policy_service_pb.ts";
import { TraceService } from "../../gen/policyguard/control/v1/trace_service_pb.ts";
import { WebhookService } from "../../gen/policyguard/control/v1/webhook_service_pb.ts";
import { Fault, toConnectError } from "../../src/kit/fault/fault.ts";
import { connectionKey } from "../../src/kit/rpc/context.ts";
import { requestFault } from "../../src/kit/rpc/parameter.ts";

/** The services that the handler under test serves. */
export const services = [WebhookService, TraceService, BundleService, PolicyService, EnvironmentService];

/** The path of an organization. */
export const org = "/v1/orgs/o1";

/** A POST of a value as JSON. */
export function post(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

/** What of the handler a test sets. */
export interface ServerOptions {
  readonly routes: (router: ConnectRouter) => void;
  /** Other services than those above. */
  readonly services?: readonly DescService[];
  /** Other interceptors than the few that the gateway needs. */
  readonly interceptors?: Interceptor[];
  readonly limits?: Partial<RestLimits>;
  readonly pages?: Pages;
  readonly trustedHops?: number;
  readonly http2?: boolean;
}

/** A running handler. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  /** Lines that the handler logged. */
  readonly logged: string[];
}

/**
 * Raises what the gateway could not bind, and turns faults into Connect errors, as the server's own interceptors do.
 */
const faults: Interceptor = (next) => async (req) => {
  const { readBody } = req.contextValues.get(connectionKey);
  try {
    const unbound = await readBody?.();
    if (unbound !== undefined) throw unbound;
    return await next(req);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw toConnectError(requestFault(error, req.method, req.stream ? undefined : req.message));
  }
};

/** Starts a server on a free port of the loopback interface. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const logged: string[] = [];
  const handler = createRestHandler({
    services: options.services ?? services,
    transport: createInProcessTransport(options.routes, { interceptors: options.interceptors ?? [faults] }),
    limits: { maxBodyBytes: 64 * 1024, timeoutMs: 60_000, streamTimeoutMs: 60_000, ...options.limits },
    trustedHops: options.trustedHops ?? 0,
    log: pino({ level: "info" }, { write: (line: string) => void logged.push(line) }),
    pages: options.pages,
  });
  const server = options.http2 === true ? http2Server(handler) : createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has no other form of address
  return {
    url: `http://127.0.0.1:${port}`,
    logged,
    [Symbol.asyncDispose]: () => close(server),
  };
}

function http2Server(handler: RestHandler): Http2Server {
  return createHttp2Server({}, handler);
}

function close(server: Server | Http2Server): Promise<void> {
  if ("closeAllConnections" in server) server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
