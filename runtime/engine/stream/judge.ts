// Judges the findings of a stream one after the other, by the rules that judge a whole text.

import type { EvaluateRequest } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { ApplicablePolicy } from "../applicability.ts";
import type { CompiledPolicy } from "../compiled-policy.ts";
import { type Ask, type Case, decide } from "../decide.ts";
import type { Detection, TextSource } from "../detector.ts";
import type { EvaluationContext } from "../evaluation.ts";
import { FactSheet } from "../fact-sheet.ts";
import type { Match } from "../match.ts";
import { type Piece, piecesOf, textSourceOf } from "../piece.ts";
import type { RolloutKey } from "../policy/document.ts";

/** Judges one stream. */
export class StreamJudge {
  /** The streamed text as a piece of the request; its text is empty. */
  readonly piece: Piece | undefined;
  readonly #applicable: readonly ApplicablePolicy[];
  readonly #case: Omit<Case, "detections">;
  readonly #asks = new Map<CompiledPolicy, Ask>();
  readonly #values: Readonly<Record<RolloutKey, string | undefined>>;

  constructor(
    request: EvaluateRequest,
    context: EvaluationContext,
    { applicable, environment }: { readonly applicable: readonly ApplicablePolicy[]; readonly environment: string },
  ) {
    const { stage, now, session, evaluationId } = context;
    const pieces = piecesOf(request, context).slice(0, 1);
    this.piece = pieces[0];
    this.#applicable = applicable;
    this.#values = {
      session_id: request.sessionId,
      user_id: request.subject?.userId,
      agent_id: request.agentId,
      evaluation_id: evaluationId,
    };
    this.#case = {
      stage,
      pieces,
      // What asks a backend waits for the verdict.
      backendFailure: () => undefined,
      facts: new FactSheet(request, pieces, { stage, env: environment, session }),
      nowMs: now.getTime(),
      foundAtMs: () => 0,
      isOverdue: () => false,
      rolloutValue: (by) => this.#values[by] ?? "",
      watch: { judging: (policy, ask) => void this.#asks.set(policy, ask), passed: () => undefined },
    };
  }

  /** Whose text it is. */
  get source(): TextSource {
    return this.piece === undefined ? "chat" : textSourceOf(this.piece, this.#case.stage);
  }

  /** What a roll-out counts by; undefined when the request does not say. */
  rolloutValue(by: RolloutKey): string | undefined {
    return this.#values[by];
  }

  /** Asks conditions of a policy. */
  askOf(policy: CompiledPolicy): Ask | undefined {
    if (this.#asks.size === 0) this.judge(new Map());
    return this.#asks.get(policy);
  }

  /** The matches of rules that are about findings. */
  judge(detections: ReadonlyMap<string, readonly Detection[]>): Match[] {
    const { matches } = decide(this.#applicable, { ...this.#case, detections: [detections] });
    return matches.filter(({ rule }) => rule.terms.length > 0);
  }

  /** Whether a rule that is about no finding takes effect on the text as a whole. */
  get wholeMatches(): readonly Match[] {
    const { matches } = decide(this.#applicable, { ...this.#case, detections: [new Map()] });
    return matches.filter(({ rule }) => rule.terms.length === 0);
  }
}
