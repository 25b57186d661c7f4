// The guard for Node: HTTP/2, so that streams are sent and received at once. What packages name `guard` is this in Node
// and `guard.ts` elsewhere; both export the same names.

import { EvaluationService } from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { Guard } from "./guard/guard.ts";
import { duplexStream } from "./guard/stream-call.ts";
import { behaviourOf, connectionOf, contextOf, createGuard as createFetchGuard, type GuardOptions } from "./guard.ts";
import { createNodePolicyGuard } from "./node.ts";

export { BlockedError, GuardError, RequestError, UnavailableError } from "./guard.ts";

/** A guard that asks this runtime over HTTP/2, or by the given `fetch`, as proxies that speak HTTP/1.1 only need it. */
export function createGuard(options: GuardOptions): Guard {
  if (options.fetch !== undefined) return createFetchGuard(options);
  const client = createNodePolicyGuard(connectionOf(options)).service(EvaluationService);
  return new Guard(client, duplexStream(client), behaviourOf(options), contextOf(options));
}
