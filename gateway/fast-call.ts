// What the short ways over REST and over gRPC and Connect have in common.

import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import { Reason } from "../gen/policyguard/common/v1/reason_pb.ts";
import { peerAddress } from "../src/kit/address.ts";
import type { Credential } from "../src/kit/context.ts";
import { Fault } from "../src/kit/error.ts";
import type { Logger } from "../src/kit/log.ts";
import type { FinishedCall } from "../src/kit/metrics.ts";
import { childTrace, parseTraceparent } from "../src/kit/tracing.ts";
import type { RestHandler, RestRequest } from "./http.ts";
import type { RestLimits } from "./operation.ts";

/** A method that has a short way. */
export interface FastMethod {
  readonly method: DescMethodUnary;
  /** Whether a request satisfies all rules of its fields; false when in doubt. */
  readonly isSurelyValid: (request: Message) => boolean;
  /** Answers it. What it throws is nothing to it: then it has done nothing, and the ordinary handler does it again. */
  readonly call: (request: Message) => Message | Promise<Message>;
}

/** What a fast path is made of. */
export interface FastPathOptions {
  readonly methods: readonly FastMethod[];
  /** The credential of a token. Throws where the ordinary path is to refuse the call. */
  readonly authenticate: (token: string) => Credential | undefined;
  readonly countCall: (call: FinishedCall) => void;
}

/** What it has in common with the ordinary path. */
export interface FastPathContext {
  readonly ordinary: RestHandler;
  readonly limits: RestLimits;
  readonly trustedHops: number;
  readonly log: Logger;
  readonly isClosing: () => boolean;
}

/** Larger bodies take the ordinary way: there they cost no more than they do anyway. */
export const maxFastBytes = 256 * 1024;

/** The header of a bearer token. */
export const bearer = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/;

/** The same facts as those that the ordinary path logs of a call. */
export function accessLine(
  { request }: { readonly request: RestRequest },
  call: {
    readonly requestId: string;
    readonly names: { readonly service: string; readonly method: string };
    readonly credential: Credential;
    readonly durationMs: number;
    readonly code?: string;
  },
  { trustedHops }: FastPathContext,
): object {
  const { traceparent, "x-forwarded-for": forwardedFor } = request.headers;
  const trace = childTrace(parseTraceparent(typeof traceparent === "string" ? traceparent : null));
  return {
    request_id: call.requestId,
    ...call.names,
    trace_id: trace.traceId,
    code: call.code ?? "ok",
    duration_ms: Math.round(call.durationMs * 1_000) / 1_000,
    org_id: call.credential.orgId,
    caller: call.credential.label,
    address: peerAddress({ socketAddress: request.socket?.remoteAddress, forwardedFor, trustedHops }) || undefined,
  };
}

/** An answer, or deadline_exceeded when it does not come in time. */
export function withinTime(answer: Promise<Message>, timeoutMs: number): Promise<Message> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(new Fault(Reason.DEADLINE_EXCEEDED, "the call did not finish within its time limit"));
    const timer = setTimeout(expire, timeoutMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
