// Which backends must be asked about which texts before a request can be evaluated.

import type { EvaluateRequest } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Mode, type Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { BackendQuestion } from "../backend/backend.ts";
import type { ApplicablePolicy } from "../policy-plan/applicability.ts";
import { modeAt } from "../policy-plan/rollout.ts";
import { segmentsOf } from "../segment/segment.ts";
import type { EvaluationContext } from "./context.ts";

/** Whether any rule asks a backend about text of a stage. */
export function asksAt(
  backend: string,
  stage: Stage,
  { applicable, nowMs }: { readonly applicable: readonly ApplicablePolicy[]; readonly nowMs: number },
): boolean {
  return applicable.some(({ policy: { rules } }) =>
    rules.some(
      (rule) =>
        rule.stages.has(stage) &&
        rule.terms.some((term) => term.backend === backend) &&
        modeAt(rule, nowMs) !== Mode.OFF,
    ),
  );
}

/** The questions that the rules need for the segments of a request; each text once for each backend. */
export function questionsOf(
  request: EvaluateRequest,
  context: Pick<EvaluationContext, "stage" | "isTranscript" | "now">,
  applicable: readonly ApplicablePolicy[],
): BackendQuestion[] {
  const nowMs = context.now.getTime();
  const rules = applicable.flatMap(({ policy: { rules: all, timeoutMs } }) =>
    all
      .filter((rule) => modeAt(rule, nowMs) !== Mode.OFF && rule.terms.some(({ backend }) => backend !== undefined))
      .map(({ stages, terms }) => ({ stages, terms, timeoutMs })),
  );
  if (rules.length === 0) return [];
  const maxMs = request.options?.timeoutMs ?? Number.POSITIVE_INFINITY;
  const asked = new Map<string, { readonly texts: Set<string>; budgetMs: number }>();
  for (const segment of segmentsOf(request, context)) {
    if (segment.text === "") continue;
    for (const { stages, terms, timeoutMs } of rules) {
      if (!stages.has(segment.stage ?? context.stage)) continue;
      for (const { backend } of terms) {
        if (backend === undefined) continue;
        const question = asked.get(backend) ?? { texts: new Set<string>(), budgetMs: 0 };
        question.texts.add(segment.text);
        question.budgetMs = Math.max(question.budgetMs, Math.min(maxMs, timeoutMs));
        asked.set(backend, question);
      }
    }
  }
  return [...asked].map(([backend, { texts, budgetMs }]) => ({ backend, texts: [...texts], budgetMs }));
}
