// The guard of an application over fetch, wherever that is. Streams go by single calls; Node has `guard-node.ts`, which
// sends and receives at once.

import { EvaluationService } from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { type ClientOptions, createPolicyGuard } from "./client.ts";
import { Guard, type GuardBehaviour, type GuardContext } from "./guard/guard.ts";
import { chunkedStream } from "./guard/stream-call.ts";

export { BlockedError, type StageName } from "./guard/blocked.ts";
export type { ChatMessage } from "./guard/content.ts";
export type { Decision, GuardFinding, GuardUnjudged, OutcomeName } from "./guard/decision.ts";
export { GuardError, RequestError, UnavailableError } from "./guard/error.ts";
export type {
  BlockedCall,
  Guard,
  GuardContext,
  GuardedCalls,
  GuardedMessages,
  GuardedPassages,
  GuardedText,
  Passage,
  ProposedCall,
  StreamOptions,
} from "./guard/guard.ts";
export type { GuardedStream } from "./guard/stream.ts";

/** Which runtime to ask, how to behave when it is away, and the context of all calls. */
export interface GuardOptions extends Omit<ClientOptions, "timeoutMs">, GuardContext {
  /** What happens when no decision can be made: throw an UnavailableError, or let the text pass. Default: "block". */
  readonly onUnavailable?: "block" | "allow";
  /** Time limit of a decision, all attempts together; of a stream, for its verdict. Default: 5 s. */
  readonly timeoutMs?: number;
  /** How often a call that failed is repeated, within the time limit. Default: 2. */
  readonly retries?: number;
}

/** A guard that asks this runtime. */
export function createGuard(options: GuardOptions): Guard {
  const client = createPolicyGuard(connectionOf(options)).service(EvaluationService);
  return new Guard(client, chunkedStream(client), behaviourOf(options), contextOf(options));
}

/** The options of the client below a guard. */
export function connectionOf({ url, token, interceptors, fetch }: GuardOptions): ClientOptions {
  return { url, token, interceptors, fetch };
}

/** How the guard behaves, with defaults. */
export function behaviourOf({ onUnavailable = "block", timeoutMs = 5_000, retries = 2 }: GuardOptions): GuardBehaviour {
  return { onUnavailable, timeoutMs, retries };
}

/** The context of all of the guard's calls. */
export function contextOf(options: GuardOptions): GuardContext {
  const { agentId, sessionId, user, model, language, metadata, restore, signal } = options;
  return { agentId, sessionId, user, model, language, metadata, restore, signal };
}
