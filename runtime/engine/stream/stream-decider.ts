// Judges the findings of a stream as they come, by the rules that judge a whole text.

import type { EvaluateRequest } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { type Ask, type DecisionInput, decide } from "../decide/decide.ts";
import { FactSheet } from "../decide/fact-sheet.ts";
import type { Match } from "../decide/match.ts";
import type { Detection, TextSource } from "../detectors/detector.ts";
import type { EvaluationContext } from "../evaluate/context.ts";
import type { RolloutKey } from "../policy/document.ts";
import type { ApplicablePolicy } from "../policy-plan/applicability.ts";
import type { CompiledPolicy } from "../policy-plan/compiled-policy.ts";
import { isInRollout } from "../policy-plan/rollout.ts";
import { segmentsOf, type TextSegment, textSourceOf } from "../segment/segment.ts";

/** Judges one stream. */
export class StreamDecider {
  /** The streamed text as a segment of the request; its text is empty. */
  readonly segment: TextSegment | undefined;
  readonly #applicable: readonly ApplicablePolicy[];
  readonly #case: Omit<DecisionInput, "detections">;
  readonly #asks = new Map<CompiledPolicy, Ask>();
  readonly #values: Readonly<Record<RolloutKey, string | undefined>>;

  constructor(
    request: EvaluateRequest,
    context: EvaluationContext,
    { applicable, environment }: { readonly applicable: readonly ApplicablePolicy[]; readonly environment: string },
  ) {
    const { stage, now, session, evaluationId } = context;
    const segments = segmentsOf(request, context).slice(0, 1);
    this.segment = segments[0];
    this.#applicable = applicable;
    this.#values = {
      session_id: request.sessionId,
      user_id: request.subject?.userId,
      agent_id: request.agentId,
      evaluation_id: evaluationId,
    };
    this.#case = {
      stage,
      segments,
      // Detectors that ask a backend wait for the verdict, and so do those that fail closed in unknown languages.
      silenceOf: () => undefined,
      facts: new FactSheet(request, segments, { stage, env: environment, session }),
      nowMs: now.getTime(),
      foundAtMs: () => 0,
      isOverdue: () => false,
      isRolledOut: ({ id }, { by, percent }) => isInRollout(id, this.#values[by] ?? "", percent),
      observer: { judging: ({ policy }, ask) => void this.#asks.set(policy, ask), passed: () => undefined },
    };
  }

  /** The source of the text. */
  get source(): TextSource {
    return this.segment === undefined ? "chat" : textSourceOf(this.segment, this.#case.stage);
  }

  /** The value by which a roll-out selects requests; undefined when the request does not state it. */
  rolloutValue(by: RolloutKey): string | undefined {
    return this.#values[by];
  }

  /** Evaluates the conditions of a policy. */
  askOf(policy: CompiledPolicy): Ask | undefined {
    if (this.#asks.size === 0) this.judge(new Map());
    return this.#asks.get(policy);
  }

  /** The matches of rules that detect something. */
  judge(detections: ReadonlyMap<string, readonly Detection[]>): Match[] {
    const { matches } = decide(this.#applicable, { ...this.#case, detections: [detections] });
    return matches.filter(({ rule }) => rule.terms.length > 0);
  }

  /** The matches of rules without detectors, for the text as a whole. */
  get wholeMatches(): readonly Match[] {
    const { matches } = decide(this.#applicable, { ...this.#case, detections: [new Map()] });
    return matches.filter(({ rule }) => rule.terms.length === 0);
  }
}
