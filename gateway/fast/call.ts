// What the fast paths of unary calls and of streams have in common.

import type { IncomingHttpHeaders } from "node:http";
import type { DescMethod, DescMethodBiDiStreaming, DescMethodUnary, Message } from "@bufbuild/protobuf";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../src/kit/fault/fault.ts";
import { peerAddress } from "../../src/kit/net/address.ts";
import type { Logger } from "../../src/kit/observability/log.ts";
import type { FinishedCall } from "../../src/kit/observability/metrics.ts";
import {
  childTrace,
  isRecording,
  parseTraceparent,
  spanOfCall,
  type TraceContext,
  withinTrace,
} from "../../src/kit/observability/tracing.ts";
import { type CallPath, logCall } from "../../src/kit/rpc/access-log.ts";
import type { Credential } from "../../src/kit/rpc/context.ts";
import { callName, endCallSpan } from "../../src/kit/rpc/interceptors/request.ts";
import { methodFacts } from "../../src/kit/rpc/options.ts";
import type { RestHandler } from "../http/http.ts";
import type { RestLimits } from "../rest/operation.ts";
import type { TakeCall, Together } from "./tick-batch.ts";

/** A unary method on the fast path. */
export interface FastMethod {
  readonly method: DescMethodUnary;
  /** Whether a request satisfies all rules of its fields; false when in doubt. */
  readonly isSurelyValid: (request: Message) => boolean;
  /** Answers the request. When it throws, it has changed nothing, and the ordinary handler answers instead. */
  readonly call: (request: Message) => Message | Promise<Message>;
}

/** A streaming method on the fast path. It answers each message by one message. */
export interface FastStreamMethod {
  readonly method: DescMethodBiDiStreaming;
  /** Whether a message satisfies the rules of its fields; false when in doubt. */
  readonly isSurelyValid: (message: Message) => boolean;
  /** Answers a message that satisfies the rules. When it throws, the call ends with that failure. */
  readonly answer: (message: Message) => Message | Promise<Message>;
  /** Upper bound of messages that were read and are not answered yet. */
  readonly maxAhead: number;
  /** Time without a message after which the call ends. */
  readonly idleMs: number;
}

/** The methods on the fast path, and the parts of the process that it needs. */
export interface FastPathOptions {
  readonly methods: readonly FastMethod[];
  readonly streams: readonly FastStreamMethod[];
  /** The credential of a token. Throws where the ordinary path is to refuse the call. */
  readonly authenticate: (token: string) => Credential | undefined;
  readonly countCall: (call: FinishedCall) => void;
  /** Runs work; when it returns, all records that the work made have been written, by one write. */
  readonly together: Together;
}

/** What the fast paths have in common with the ordinary path. */
export interface FastPathContext {
  readonly ordinary: RestHandler;
  readonly limits: RestLimits;
  readonly trustedHops: number;
  readonly log: Logger;
  /** Aborted when the server begins to close. */
  readonly closing: AbortSignal;
}

/** The same, and the batch in which calls wait for the end of their tick. */
export interface FastCallContext extends FastPathContext {
  readonly take: TakeCall;
}

/** The credential of a token that may call a method; undefined where the ordinary path has to answer. */
export type Authorize = (token: string) => Credential | undefined;

/** Checks all that a method on the fast path asks of a token: see eligible.ts. */
export function createAuthorize(method: DescMethod, { authenticate }: FastPathOptions): Authorize {
  const { kinds } = methodFacts(method).access;
  return (token) => {
    try {
      const credential = authenticate(token);
      return credential?.orgId !== undefined && kinds.includes(credential.kind) ? credential : undefined;
    } catch {
      return undefined; // the ordinary path refuses the token
    }
  };
}

/** Larger bodies take the ordinary path, whose cost is small beside that of judging them. */
export const maxFastBytes = 256 * 1024;

/** The header of a bearer token. */
export const bearer = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/;

const unusual = ["grpc-timeout", "connect-timeout-ms", "grpc-encoding", "content-encoding"];

/** Whether the headers of an RPC ask for more than the fast path does. */
export function needsOrdinaryPath(headers: IncomingHttpHeaders): boolean {
  return unusual.some((name) => headers[name] !== undefined);
}

/** The trace of a call: undefined when no header names one and none is chosen here, which spares its cost. */
export function traceOfCall(headers: IncomingHttpHeaders): TraceContext | undefined {
  if (headers.traceparent !== undefined) return traceOf(headers);
  if (!isRecording()) return undefined;
  const trace = childTrace(undefined);
  return trace.isSampled ? trace : undefined;
}

/** Does the work of a call within its trace. */
export function withinTraceOf<T>(trace: TraceContext | undefined, work: () => T): T {
  return trace === undefined ? work() : withinTrace(trace, work);
}

function traceOf({ traceparent }: IncomingHttpHeaders): TraceContext {
  return childTrace(parseTraceparent(typeof traceparent === "string" ? traceparent : null));
}

/** The peer of a call, and the headers that it sent. */
export interface Peer {
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string | undefined;
}

/** A call that has ended. */
export interface EndedCall {
  readonly requestId: string;
  readonly names: { readonly service: string; readonly method: string };
  readonly credential: Credential;
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly code: string;
  /** Where it stands in a trace; undefined for a call that no trace names. */
  readonly trace: TraceContext | undefined;
}

/** Records the span of a call, where its trace is recorded, and writes its line to the access log. */
export function logFastCall(path: CallPath, peer: Peer, call: EndedCall, { log, trustedHops }: FastPathContext): void {
  const { trace, names, code, startedAtMs } = call;
  const span = trace && spanOfCall(trace, callName(names), startedAtMs);
  if (span !== undefined) endCallSpan(span, { ...names, code, orgId: call.credential.orgId });
  logCall(log, path, () => {
    const { requestId, credential, durationMs } = call;
    const { headers, remoteAddress } = peer;
    return {
      identity: { requestId, ...names, traceId: (trace ?? traceOf(headers)).traceId },
      code,
      durationMs,
      orgId: credential.orgId,
      caller: credential.label,
      address: peerAddress({ socketAddress: remoteAddress, forwardedFor: headers["x-forwarded-for"], trustedHops }),
    };
  });
}

/** An answer, or deadline_exceeded when it does not come in time. */
export function withinTimeout(answer: Promise<Message>, timeoutMs: number): Promise<Message> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(new Fault(Reason.DEADLINE_EXCEEDED, "the call did not finish within its time limit"));
    const timer = setTimeout(expire, timeoutMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The same answer. If it fails before anybody waits for it, the rejection does not count as unhandled. */
export function withHandledRejection(answer: Message | Promise<Message>): Message | Promise<Message> {
  if (answer instanceof Promise) answer.catch(() => undefined);
  return answer;
}
