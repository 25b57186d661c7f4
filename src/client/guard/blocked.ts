import type { Decision } from "./decision.ts";
import { GuardError } from "./error.ts";

/** The moment at which something was judged. */
export type StageName = "input" | "output" | "tool_call" | "tool_result" | "retrieval";

/** A policy says that the text must not go on. `message` is meant for the person. */
export class BlockedError extends GuardError {
  override readonly name = "BlockedError";
  readonly stage: StageName;
  readonly decision: Decision;

  constructor(stage: StageName, decision: Decision) {
    super(decision.message ?? "This was blocked by a policy.");
    this.stage = stage;
    this.decision = decision;
  }
}
