// The interceptors of a server, and the one place that states their order. Connect calls the first of them first.

import type { Interceptor } from "@connectrpc/connect";
import type { Logger } from "../../observability/log.ts";
import type { Metrics } from "../../observability/metrics.ts";
import { type CountRequest, createAddressLimitInterceptor } from "./address-limit.ts";
import { createAuditInterceptor } from "./audit.ts";
import { type Authenticate, type ConsoleSessions, createAuthenticateInterceptor } from "./authenticate.ts";
import { createAuthorizeInterceptor } from "./authorize.ts";
import { createCookieInterceptor } from "./cookies.ts";
import { createDeadlineInterceptor } from "./deadline.ts";
import { createEntitleInterceptor, type LookUpEntitlements } from "./entitle.ts";
import { createFaultInterceptor } from "./fault.ts";
import { createMayLagInterceptor } from "./may-lag.ts";
import { createRequestInterceptor } from "./request.ts";
import { createValidateInterceptor } from "./validate.ts";

/** What the interceptors need from their process. */
export interface InterceptorParts {
  readonly authenticate: Authenticate;
  /** Accepts the cookie of the console's sessions. A process without a console accepts none. */
  readonly console?: ConsoleSessions;
  readonly entitlements: LookUpEntitlements;
  /** Counts authentication requests. A process that serves no method with such a limit needs none. */
  readonly countRequest?: CountRequest;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Time limit of calls with one answer. */
  readonly maxTimeoutMs: number;
}

/** One interceptor, and the reason for its position. */
export interface Step {
  readonly name: string;
  readonly reason: string;
  create(parts: InterceptorParts): Interceptor;
}

/** The order. */
export const order: readonly Step[] = [
  {
    name: "request",
    reason: "outermost, so that every call has an id and a log line, whatever refuses it",
    create: createRequestInterceptor,
  },
  {
    name: "fault",
    reason: "around all that can fail, inside what logs, so that the access log sees the answer that the caller sees",
    create: createFaultInterceptor,
  },
  {
    name: "deadline",
    reason: "before any look-up, since a credential check can hang too; inside fault, which words its error",
    create: createDeadlineInterceptor,
  },
  {
    name: "address limit",
    reason:
      "before credentials and passwords are looked at, since it is there to make guessing slow and hashing cheap: 429",
    create: createAddressLimitInterceptor,
  },
  {
    name: "audit",
    reason: "before authentication, since authorize hands its intent on with the caller",
    create: createAuditInterceptor,
  },
  { name: "authenticate", reason: "who calls, before what they may do: 401", create: createAuthenticateInterceptor },
  {
    name: "authorize",
    reason: "before anything that depends on the organization or the content, so that strangers learn nothing: 403",
    create: createAuthorizeInterceptor,
  },
  {
    name: "entitle",
    reason: "needs the organization that authorize settled: 402 or 403",
    create: createEntitleInterceptor,
  },
  {
    name: "validate",
    reason:
      "after all that says who may call, so that only callers who may make the call are told what is wrong with it; the body of a REST call is read here: 400, 413, 415 or 422",
    create: createValidateInterceptor,
  },
  {
    name: "cookies",
    reason: "after the body is read: a cookie has precedence over what the message says",
    create: createCookieInterceptor,
  },
  {
    name: "may lag",
    reason: "around the handler alone: who may call is never read from a replica",
    create: createMayLagInterceptor,
  },
];

/** The interceptors in their order, as Connect takes them. */
export function createInterceptors(parts: InterceptorParts): Interceptor[] {
  return order.map(({ create }) => create(parts));
}
