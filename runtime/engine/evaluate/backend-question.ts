// Which backends must be asked about which texts before a request can be evaluated.

import type { EvaluateRequest } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Mode, type Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { type BackedDetector, type BackendQuestion, whyUnasked } from "../backend/backend.ts";
import type { Scanner } from "../detectors/detector.ts";
import type { ApplicablePolicy } from "../policy-plan/applicability.ts";
import { modeAt } from "../policy-plan/rollout.ts";
import { segmentsOf, type TextSegment, textSourceOf } from "../segment/segment.ts";
import type { EvaluationContext } from "./context.ts";
import { backedSegment } from "./segment-scan.ts";

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

/** What questions depend on besides the request. */
export interface AskingTools {
  readonly applicable: readonly ApplicablePolicy[];
  readonly scanner: Scanner;
  readonly backed: readonly BackedDetector[];
}

type AskingContext = Pick<EvaluationContext, "stage" | "isTranscript" | "now" | "memory">;

/** The questions that the rules need for the segments of a request; each text once for each backend. */
export function questionsOf(
  request: EvaluateRequest,
  context: AskingContext,
  { applicable, scanner, backed }: AskingTools,
): BackendQuestion[] {
  const nowMs = context.now.getTime();
  const rules = applicable.flatMap(({ policy: { rules: all, timeoutMs } }) =>
    all
      .filter((rule) => modeAt(rule, nowMs) !== Mode.OFF && rule.terms.some(({ backend }) => backend !== undefined))
      .map(({ stages, terms }) => ({ stages, terms, timeoutMs })),
  );
  if (rules.length === 0) return [];
  const detectors = new Map(backed.map((detector) => [detector.key, detector]));
  const maxMs = request.options?.timeoutMs ?? Number.POSITIVE_INFINITY;
  const asked = new Map<string, { readonly texts: Set<string>; budgetMs: number }>();
  for (const segment of segmentsOf(request, context)) {
    if (segment.text === "") continue;
    const isWanted = wantedIn(segment, context, scanner);
    for (const { stages, terms, timeoutMs } of rules) {
      if (!stages.has(segment.stage ?? context.stage)) continue;
      for (const { backend, specKey } of terms) {
        const detector = detectors.get(specKey);
        if (backend === undefined || (detector !== undefined && !isWanted(detector))) continue;
        const question = asked.get(backend) ?? { texts: new Set<string>(), budgetMs: 0 };
        question.texts.add(segment.text);
        question.budgetMs = Math.max(question.budgetMs, Math.min(maxMs, timeoutMs));
        asked.set(backend, question);
      }
    }
  }
  return [...asked].map(([backend, { texts, budgetMs }]) => ({ backend, texts: [...texts], budgetMs }));
}

/** Whether a detector's policy asks its backend about a segment. The segment is scanned only where that matters. */
function wantedIn(
  segment: TextSegment,
  { stage, memory }: AskingContext,
  scanner: Scanner,
): (detector: BackedDetector) => boolean {
  const { text } = segment;
  let found: ReturnType<Scanner["scan"]> | undefined;
  // The evaluation finds the result in the memory again.
  const scan = () => {
    const source = textSourceOf(segment, stage);
    found ??= memory === undefined ? scanner.scan(text, undefined, source) : memory.scan(scanner, text, source);
    return found;
  };
  return ({ inner, use }) =>
    whyUnasked(use, {
      ...backedSegment(segment, stage),
      own: () => (inner === undefined ? [] : (scan().get(inner) ?? [])),
    }) === undefined;
}
