// Which backends must be asked about which texts before a request can be evaluated.

import type { EvaluateRequest } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Mode, type Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { type BackedDetector, type BackendQuestion, whyUnasked } from "../backend/backend.ts";
import type { Found, Lap, Scanner } from "../detectors/detector.ts";
import type { ApplicablePolicy } from "../policy-plan/applicability.ts";
import { modeAt } from "../policy-plan/rollout.ts";
import { segmentsOf, type TextSegment, textSourceOf } from "../segment/segment.ts";
import type { EvaluationContext } from "./context.ts";
import { overdueOf, scanInTime } from "./scan-in-time.ts";
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

/** What questions depend on of the evaluation that they are for. */
export type AskingContext = Pick<EvaluationContext, "stage" | "isTranscript" | "now" | "memory" | "elapsedUs">;

/**
 * The questions that the rules need for the segments of a request; each text once for each backend. Where scores have to
 * be known first and time runs out, no question is left: the evaluation has no time to wait for an answer either.
 */
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
  const found = foundIn(segments, context, { scanner, isOverdue: overdueOf(request, context, applicable) });
  for (const [index, segment] of segments.entries()) {
    if (segment.text === "") continue;
    const about = backedSegment(segment, context.stage);
    const isWanted = ({ inner, use }: BackedDetector) => {
      let isKnown = true;
      const own = () => {
        const scanned = inner === undefined ? none : found(index);
        isKnown = scanned !== undefined;
        return scanned?.get(inner ?? "") ?? [];
      };
      return whyUnasked(use, { ...about, own }) === undefined && isKnown;
    };
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

const none: Found = new Map();

/**
 * What the detectors themselves find in a segment of a request, by its index; undefined when there was no time to find
 * out. Segments are scanned only when needed.
 */
function foundIn(
  segments: readonly TextSegment[],
  { stage, isTranscript, memory }: AskingContext,
  { scanner, isOverdue }: { readonly scanner: Scanner; readonly isOverdue: () => boolean },
): (index: number) => Found | undefined {
  const alone = segments.map((segment) =>
    once(() => {
      const { text } = segment;
      const source = textSourceOf(segment, stage);
      // The evaluation finds the result in the memory again.
      const scan = (lap: Lap | undefined) =>
        memory === undefined ? scanner.scan(text, undefined, source, lap) : memory.scan(scanner, text, source, lap);
      return scanInTime(text, { isOverdue, scan });
    }),
  );
  if (isTranscript !== true) return (index) => alone[index]?.();
  const joined = once(() => {
    const scanned = alone.map((scan) => scan());
    return isOverdue() ? scanned : withSplitPayloads(segments, scanned, (text) => scanner.scan(text));
  });
  return (index) => joined()[index];
}

function once<T>(work: () => T): () => T {
  let done: { readonly result: T } | undefined;
  return () => {
    done ??= { result: work() };
    return done.result;
  };
}
