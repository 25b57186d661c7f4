// What the short ways over REST and over gRPC and Connect have in common.

import type { IncomingHttpHeaders } from "node:http";
import type { DescMethodBiDiStreaming, DescMethodUnary, Message } from "@bufbuild/protobuf";
import { Reason } from "../gen/policyguard/common/v1/reason_pb.ts";
import { peerAddress } from "../src/kit/address.ts";
import type { Credential } from "../src/kit/context.ts";
import { Fault } from "../src/kit/error.ts";
import type { Logger } from "../src/kit/log.ts";
import type { FinishedCall } from "../src/kit/metrics.ts";
import { childTrace, parseTraceparent, type TraceContext, withinTrace } from "../src/kit/tracing.ts";
import type { RestHandler } from "./http.ts";
import type { RestLimits } from "./operation.ts";
import type { TakeCall, Together } from "./turn.ts";

/** A method that has a short way. */
export interface FastMethod {
  readonly method: DescMethodUnary;
  /** Whether a request satisfies all rules of its fields; false when in doubt. */
  readonly isSurelyValid: (request: Message) => boolean;
  /** Answers it. What it throws is nothing to it: then it has done nothing, and the ordinary handler does it again. */
  readonly call: (request: Message) => Message | Promise<Message>;
}

/** A method of which each message is answered by one, and that has a short way. */
export interface FastStreamMethod {
  readonly method: DescMethodBiDiStreaming;
  /** Whether a message satisfies the rules of its fields; false when in doubt. */
  readonly isSurelyValid: (message: Message) => boolean;
  /** Answers a message that satisfies them. What it throws ends the call. */
  readonly answer: (message: Message) => Message | Promise<Message>;
  /** Messages that are taken in before the first of them is answered. */
  readonly ahead: number;
  /** Time without a message after which the call ends. */
  readonly idleMs: number;
}

/** What a fast path is made of. */
export interface FastPathOptions {
  readonly methods: readonly FastMethod[];
  readonly streams: readonly FastStreamMethod[];
  /** The credential of a token. Throws where the ordinary path is to refuse the call. */
  readonly authenticate: (token: string) => Credential | undefined;
  readonly countCall: (call: FinishedCall) => void;
  /** Runs work so that what it recorded is written by one write, when this returns. */
  readonly together: Together;
}

/** What it has in common with the ordinary path. */
export interface FastPathContext {
  readonly ordinary: RestHandler;
  readonly limits: RestLimits;
  readonly trustedHops: number;
  readonly log: Logger;
  /** Aborted when the server begins to close. */
  readonly closing: AbortSignal;
}

/** The same, and where its calls wait for the end of their turn. */
export interface FastCallContext extends FastPathContext {
  readonly take: TakeCall;
}

/** Larger bodies take the ordinary way: there they cost no more than they do anyway. */
export const maxFastBytes = 256 * 1024;

/** The header of a bearer token. */
export const bearer = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/;

const unusual = ["grpc-timeout", "connect-timeout-ms", "grpc-encoding", "content-encoding"];

/** Whether the headers of an RPC ask for more than the short way does. */
export function isUnusual(headers: IncomingHttpHeaders): boolean {
  return unusual.some((name) => headers[name] !== undefined);
}

/** Does the work of a call within the trace that its headers name, if they name one. */
export function withinTraceOf<T>(headers: IncomingHttpHeaders, work: () => T): T {
  return headers.traceparent === undefined ? work() : withinTrace(traceOf(headers), work);
}

function traceOf({ traceparent }: IncomingHttpHeaders): TraceContext {
  return childTrace(parseTraceparent(typeof traceparent === "string" ? traceparent : null));
}

/** The same facts as those that the ordinary path logs of a call. */
export function accessLine(
  { headers, remoteAddress }: { readonly headers: IncomingHttpHeaders; readonly remoteAddress: string | undefined },
  call: {
    readonly requestId: string;
    readonly names: { readonly service: string; readonly method: string };
    readonly credential: Credential;
    readonly durationMs: number;
    readonly code?: string;
  },
  { trustedHops }: FastPathContext,
): object {
  const { "x-forwarded-for": forwardedFor } = headers;
  return {
    request_id: call.requestId,
    ...call.names,
    trace_id: traceOf(headers).traceId,
    code: call.code ?? "ok",
    duration_ms: Math.round(call.durationMs * 1_000) / 1_000,
    org_id: call.credential.orgId,
    caller: call.credential.label,
    address: peerAddress({ socketAddress: remoteAddress, forwardedFor, trustedHops }) || undefined,
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

/** The same answer. One that fails before anybody waits for it is no rejection that nobody handled. */
export function noted(answer: Message | Promise<Message>): Message | Promise<Message> {
  if (answer instanceof Promise) answer.catch(() => undefined);
  return answer;
}
