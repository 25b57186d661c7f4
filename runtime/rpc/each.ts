// Many evaluations over one call, by Connect's adapter. gateway/fast/stream.ts serves most such calls without it.

import type { ServiceImpl } from "@connectrpc/connect";
import { Code, ConnectError } from "@connectrpc/connect";
import type { EvaluationService } from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { unauthenticated } from "../../src/kit/fault/fault.ts";
import type { Credential } from "../../src/kit/rpc/context.ts";
import { eachLimits, type JudgeEach } from "../evaluate/evaluate-each.ts";
import { inOrder } from "../evaluate/in-order.ts";
import { whileTaken, withinTime } from "../stream/timeouts.ts";

/** The parts that the handler uses. */
export interface EachParts {
  readonly judgeEach: JudgeEach;
  readonly authenticate: (token: string) => Credential | undefined;
}

/** The handler of calls with many evaluations. */
export function eachHandler({
  judgeEach,
  authenticate,
}: EachParts): Pick<ServiceImpl<typeof EvaluationService>, "evaluateEach"> {
  const limits = { idleMs: eachLimits.idleMs, maxDurationMs: Number.POSITIVE_INFINITY };
  return {
    evaluateEach: (requests, { signal, requestHeader }) => {
      // The authenticate interceptor has accepted it.
      const token =
        requestHeader
          .get("authorization")
          ?.replace(/^Bearer +/i, "")
          .trim() ?? "";
      const stalled = new AbortController();
      const messages = withinTime(requests, limits, AbortSignal.any([signal, stalled.signal]));
      const answers = inOrder(
        messages,
        (message) => {
          // Calls may be long: a token that was revoked in the meantime must not evaluate any more.
          if (authenticate(token) === undefined) throw unauthenticated();
          return judgeEach(message);
        },
        eachLimits.ahead,
      );
      const onStalled = () => stalled.abort(new ConnectError("the caller does not take the answers", Code.Canceled));
      return whileTaken(answers, eachLimits.idleMs, onStalled);
    },
  };
}
