// Which backends have to be asked about which texts before a request can be evaluated.

import type { EvaluateRequest } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Mode } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { ApplicablePolicy } from "./applicability.ts";
import type { BackendQuestion } from "./backend.ts";
import type { EvaluationContext } from "./evaluation.ts";
import { piecesOf } from "./piece.ts";
import { modeAt } from "./rollout.ts";

/** The questions of the rules that judge the pieces of a request, each text once for each backend. */
export function questionsOf(
  request: EvaluateRequest,
  moment: Pick<EvaluationContext, "stage" | "isTranscript" | "now">,
  applicable: readonly ApplicablePolicy[],
): BackendQuestion[] {
  const nowMs = moment.now.getTime();
  const rules = applicable.flatMap(({ policy: { rules: all, timeoutMs } }) =>
    all
      .filter((rule) => modeAt(rule, nowMs) !== Mode.OFF && rule.terms.some(({ backend }) => backend !== undefined))
      .map(({ stages, terms }) => ({ stages, terms, timeoutMs })),
  );
  if (rules.length === 0) return [];
  const mostMs = request.options?.timeoutMs ?? Number.POSITIVE_INFINITY;
  const asked = new Map<string, { readonly texts: Set<string>; budgetMs: number }>();
  for (const piece of piecesOf(request, moment)) {
    if (piece.text === "") continue;
    for (const { stages, terms, timeoutMs } of rules) {
      if (!stages.has(piece.stage ?? moment.stage)) continue;
      for (const { backend } of terms) {
        if (backend === undefined) continue;
        const question = asked.get(backend) ?? { texts: new Set<string>(), budgetMs: 0 };
        question.texts.add(piece.text);
        question.budgetMs = Math.max(question.budgetMs, Math.min(mostMs, timeoutMs));
        asked.set(backend, question);
      }
    }
  }
  return [...asked].map(([backend, { texts, budgetMs }]) => ({ backend, texts: [...texts], budgetMs }));
}
