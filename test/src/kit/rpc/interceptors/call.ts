// Real services behind the real interceptors, without a network.

import { create } from "@bufbuild/protobuf";
import {
  Code,
  type ConnectError,
  ConnectError as ConnectFailure,
  type ConnectRouter,
  createRouterTransport,
  type Interceptor,
  type Transport,
} from "@connectrpc/connect";
import { ErrorDetailSchema, Reason } from "../../../../../gen/policyguard/common/v1/reason_pb.ts";
import { CredentialKind, Role } from "../../../../../gen/policyguard/options/v1/options_pb.ts";
import { createLog } from "../../../../../src/kit/observability/log.ts";
import { createMetrics, type Metrics } from "../../../../../src/kit/observability/metrics.ts";
import { type Connection, type Credential, connectionKey } from "../../../../../src/kit/rpc/context.ts";
import type { CountRequest } from "../../../../../src/kit/rpc/interceptors/address-limit.ts";
import type { AuthenticationContext } from "../../../../../src/kit/rpc/interceptors/authenticate.ts";
import type { Entitlements } from "../../../../../src/kit/rpc/interceptors/entitle.ts";
import { createInterceptors } from "../../../../../src/kit/rpc/interceptors/order.ts";

/** The organization that most credentials belong to. */
export const orgId = "0b9c5d0e-6a8f-4a57-9f0e-6f1f6d2a1c01";
/** An organization that no credential belongs to. */
export const foreignOrgId = "0b9c5d0e-6a8f-4a57-9f0e-6f1f6d2a1c02";
/** The project of the runtime and the ci token. */
export const projectId = "0b9c5d0e-6a8f-4a57-9f0e-6f1f6d2a1c03";
/** A project that is not the runtime and ci token's. */
export const otherProjectId = "0b9c5d0e-6a8f-4a57-9f0e-6f1f6d2a1c04";

const noScope = { orgId, projectId: undefined, environment: undefined, roles: new Map<string, Role>() };

function member(label: string, roles: readonly [string, Role][]): Credential {
  const sessionId = `session of ${label}`;
  return {
    ...noScope,
    kind: CredentialKind.MEMBER,
    id: label,
    label,
    sessionId,
    orgId: undefined,
    roles: new Map(roles),
  };
}

/** Credentials by the token that stands for them. */
export const credentials: Readonly<Record<string, Credential>> = {
  admin: { ...noScope, kind: CredentialKind.ADMIN, id: "admin", label: "gr_adm_aaaa" },
  ci: { ...noScope, kind: CredentialKind.CI, id: "ci", label: "gr_ci_aaaa", projectId },
  runtime: { ...noScope, kind: CredentialKind.RUNTIME, id: "rt", label: "gr_rt_aaaa", projectId, environment: "prod" },
  viewer: member("viewer@example.com", [[orgId, Role.VIEWER]]),
  editor: member("editor@example.com", [[orgId, Role.EDITOR]]),
  owner: member("owner@example.com", [[orgId, Role.OWNER]]),
  consultant: member("consultant@example.com", [
    [otherProjectId, Role.VIEWER],
    [orgId, Role.ADMIN],
  ]),
  guest: member("guest@example.com", []),
};

/** A server under test. */
export interface Fixture {
  readonly transport: Transport;
  readonly metrics: Metrics;
  /** What was logged. */
  readonly lines: Record<string, unknown>[];
  /** Tokens that were looked up, with what was known of their calls. */
  readonly lookUps: [string, AuthenticationContext][];
  /** Organizations whose entitlements were looked up. */
  readonly entitlementLookUps: string[];
}

/** What a fixture may change. */
export interface FixtureOptions {
  readonly entitlements?: Entitlements;
  readonly maxTimeoutMs?: number;
  readonly shutdownSignal?: AbortSignal;
  readonly readMaxBytes?: number;
  /** What the listener and the gateway know of the connection. */
  readonly connection?: Connection;
  readonly countRequest?: CountRequest;
}

/** Serves routes behind the interceptors. */
export function serve(routes: (router: ConnectRouter) => void, options: FixtureOptions = {}): Fixture {
  const lines: Record<string, unknown>[] = [];
  const lookUps: [string, AuthenticationContext][] = [];
  const entitlementLookUps: string[] = [];
  const metrics = createMetrics();
  const interceptors = createInterceptors({
    authenticate: async (token, context) => {
      lookUps.push([token, context]);
      return credentials[token];
    },
    entitlements: async (id) => {
      entitlementLookUps.push(id);
      return options.entitlements ?? { plan: "growth", billingBlocked: false };
    },
    countRequest: options.countRequest,
    log: createLog({
      name: "test",
      level: "info",
      destination: { write: (line) => void lines.push(JSON.parse(line)) },
    }),
    metrics,
    maxTimeoutMs: options.maxTimeoutMs ?? 5_000,
  });
  const connect: Interceptor = (next) => (req) => {
    if (options.connection !== undefined) req.contextValues.set(connectionKey, options.connection);
    return next(req);
  };
  const { shutdownSignal, readMaxBytes } = options;
  const router = { interceptors: [connect, ...interceptors], shutdownSignal, readMaxBytes };
  return { transport: createRouterTransport(routes, { router }), metrics, lines, lookUps, entitlementLookUps };
}

/** Call options with a bearer token. */
export function as(token: string, headers: Readonly<Record<string, string>> = {}): { headers: Record<string, string> } {
  return { headers: { Authorization: `Bearer ${token}`, ...headers } };
}

/** All messages of a stream. */
export async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const messages: T[] = [];
  for await (const message of stream) messages.push(message);
  return messages;
}

/** What a caller is told of a failure. */
export interface Told {
  readonly code: string;
  readonly reason: string;
  readonly message: string;
  readonly extra: unknown;
  readonly error: ConnectError;
}

/** What the caller is told when this fails. Throws when it succeeds. */
export async function failureOf(call: Promise<unknown>): Promise<Told> {
  const error = await call.then(
    () => {
      throw new Error("the call succeeded");
    },
    (failure: unknown) => ConnectFailure.from(failure),
  );
  const detail = error.findDetails(ErrorDetailSchema)[0] ?? create(ErrorDetailSchema);
  const name = Object.entries(Reason).find(([, value]) => value === detail.reason)?.[0] ?? "";
  return { code: Code[error.code], reason: name, message: error.rawMessage, extra: detail.extra, error };
}
