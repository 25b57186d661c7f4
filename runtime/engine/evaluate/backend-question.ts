// Which backends must be asked about which texts before a request can be evaluated.

import type { EvaluateRequest } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Mode, type Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { type BackedDetector, type BackendQuestion, whyUnasked } from "../backend/backend.ts";
import type { Found, Scanner } from "../detectors/detector.ts";
import type { ApplicablePolicy } from "../policy-plan/applicability.ts";
import { modeAt } from "../policy-plan/rollout.ts";
import { segmentsOf, type TextSegment, textSourceOf } from "../segment/segment.ts";
import type { EvaluationContext } from "./context.ts";
import { backedSegment } from "./segment-scan.ts";
import { withSplitPayloads } from "./split-payloads.ts";

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
  const segments = segmentsOf(request, context);
  const found = foundIn(segments, context, scanner);
  for (const [index, segment] of segments.entries()) {
    if (segment.text === "") continue;
    const about = backedSegment(segment, context.stage);
    const isWanted = ({ inner, use }: BackedDetector) =>
      whyUnasked(use, { ...about, own: () => (inner === undefined ? [] : (found(index).get(inner) ?? [])) }) ===
      undefined;
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

/** What the detectors themselves find in a segment of a request, by its index. Segments are scanned only when needed. */
function foundIn(
  segments: readonly TextSegment[],
  { stage, isTranscript, memory }: AskingContext,
  scanner: Scanner,
): (index: number) => Found {
  const alone = segments.map((segment) => {
    let found: Found | undefined;
    return () => {
      const source = textSourceOf(segment, stage);
      // The evaluation finds the result in the memory again.
      found ??=
        memory === undefined
          ? scanner.scan(segment.text, undefined, source)
          : memory.scan(scanner, segment.text, source);
      return found;
    };
  });
  if (isTranscript !== true) return (index) => alone[index]?.() ?? new Map();
  let joined: readonly (Found | undefined)[] | undefined;
  return (index) => {
    joined ??= withSplitPayloads(
      segments,
      alone.map((scan) => scan()),
      (text) => scanner.scan(text),
    );
    return joined[index] ?? new Map();
  };
}
