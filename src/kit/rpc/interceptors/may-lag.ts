import type { Interceptor } from "@connectrpc/connect";
import { lagging, laggingEach } from "../../process/may-lag.ts";
import { methodFacts } from "../options.ts";

/** Lets the handlers of methods that say so read from a replica. */
export function createMayLagInterceptor(): Interceptor {
  return (next) => async (req) => {
    if (!methodFacts(req.method).mayLag) return next(req);
    const answer = await lagging(() => next(req));
    return answer.stream ? { ...answer, message: laggingEach(answer.message) } : answer;
  };
}
