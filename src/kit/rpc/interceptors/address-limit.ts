import type { Interceptor } from "@connectrpc/connect";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../fault/fault.ts";
import { peerGroup } from "../../net/address.ts";
import { connectionKey } from "../context.ts";
import { methodFacts } from "../options.ts";

/** Counts a request of a peer; returns the seconds to wait when the peer has used up its share. */
export type CountRequest = (peer: string) => Promise<number | undefined>;

/** Refuses authentication requests of an address that sends too many. Everything else is not counted. */
export function createAddressLimitInterceptor({ countRequest }: { countRequest?: CountRequest }): Interceptor {
  return (next) => async (req) => {
    if (!methodFacts(req.method).access.addressLimited) return next(req);
    if (countRequest === undefined) throw new Error("this process does not count requests by their address");
    const waitSeconds = await countRequest(peerGroup(req.contextValues.get(connectionKey).address));
    if (waitSeconds !== undefined) throw tooManyRequests(waitSeconds);
    return next(req);
  };
}

function tooManyRequests(waitSeconds: number): Fault {
  const message = `too many authentication requests from this address; try again in ${waitSeconds} seconds`;
  return new Fault(Reason.RATE_LIMITED, message, {
    extra: { retry_after: waitSeconds },
    headers: { "Retry-After": String(waitSeconds) },
  });
}
