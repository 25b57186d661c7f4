// The calls between the processes of one runtime.

import type { EvaluateRequest, EvaluateResponse } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type {
  FinishStreamRequest,
  FinishStreamResponse,
  OpenStreamRequest,
  OpenStreamResponse,
  PushStreamChunkRequest,
  PushStreamChunkResponse,
  RestorePlaceholdersRequest,
  RestorePlaceholdersResponse,
} from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import type { EvaluationKind } from "../request/request-checks.ts";

/** The calls about a stream. `caller` is who opened it; others do not know it. */
export interface StreamCalls {
  open(request: OpenStreamRequest, caller: string): Promise<OpenStreamResponse>;
  push(request: PushStreamChunkRequest, caller: string): Promise<PushStreamChunkResponse>;
  finish(request: FinishStreamRequest, caller: string): Promise<FinishStreamResponse>;
  /** Ends a stream whose caller is gone. Nothing happens for one that is over. */
  cancel(streamId: string, caller: string): Promise<void>;
}

/** The calls that a process answers for its peers. */
export interface PeerWork {
  readonly evaluate: (request: EvaluateRequest, kind: EvaluationKind) => EvaluateResponse | Promise<EvaluateResponse>;
  readonly restore: (request: RestorePlaceholdersRequest) => RestorePlaceholdersResponse;
  /** The streams that it keeps. */
  readonly streams: StreamCalls;
}
