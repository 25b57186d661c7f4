// Scans the segments of a request within its time limit.

import type { EvaluateRequest } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { UnaskedReason } from "../backend/backend.ts";
import { type BackedSegment, withBackends } from "../backend/with-backends.ts";
import type { Detection, Lap, SegmentDetections, TextSource } from "../detectors/detector.ts";
import type { KnownWindows } from "../detectors/finding.ts";
import { nameOf, stages } from "../policy/enum-names.ts";
import { DetectorTimes } from "../scan/detector-time.ts";
import { type TextSegment, textSourceOf } from "../segment/segment.ts";
import type { EvaluationContext, EvaluationTools } from "./context.ts";
import { withSplitPayloads } from "./split-payloads.ts";

/** The detections in each segment, and when its scan ended. */
export interface Scanned {
  readonly detections: SegmentDetections[];
  readonly foundAtMs: readonly number[];
  /** Why the policy of a detector asks no backend about a segment, by the index of the segment. */
  readonly unasked: readonly ReadonlyMap<string, UnaskedReason>[];
}

/**
 * Texts of at least this many code units can be abandoned when time runs out; shorter ones are scanned in well under a
 * millisecond.
 */
const minWatched = 8_192;

/**
 * Scans the segments one after the other. Segments that time does not suffice for are left out; a long text may be
 * abandoned midway.
 */
export function scanSegments(
  segments: readonly TextSegment[],
  request: EvaluateRequest,
  context: EvaluationContext,
  { applicable, scanner, backed = [] }: EvaluationTools,
): Scanned {
  const budgetMs = budgetMsOf(request, applicable);
  const isOverdue = () => context.elapsedUs() > budgetMs * 1000;
  const { onDetectorTime, memory, windows } = context;
  const onTime = onDetectorTime ?? context.onScanTime;
  const times = onTime && new DetectorTimes(context.elapsedUs);
  const lapOf = (text: string): Lap | undefined => {
    if (text.length < minWatched) return times?.lap;
    return (key) => {
      times?.lap(key);
      if (isOverdue()) throw new OutOfTime();
    };
  };
  const scan = (text: string, source: TextSource, known: KnownWindows | undefined) => {
    const lap = lapOf(text);
    times?.start();
    if (memory !== undefined && known === undefined && onDetectorTime === undefined)
      return memory.scan(scanner, text, source, lap);
    return scanner.scan(text, known, source, lap);
  };
  const foundAtMs: number[] = [];
  const scanned = segments.map((segment, index) => {
    const { text } = segment;
    if (text === "" || applicable.length === 0) return new Map();
    if (isOverdue()) return undefined;
    const found = inTime(() => scan(text, textSourceOf(segment, context.stage), index === 0 ? windows : undefined));
    foundAtMs[index] = context.elapsedUs() / 1000;
    return found;
  });
  if (onTime !== undefined) times?.report(onTime);
  const complete =
    context.isTranscript !== true || applicable.length === 0
      ? scanned
      : withSplitPayloads(segments, scanned, (text) => scanner.scan(text));
  const { found, unasked } =
    backed.length === 0
      ? { found: complete, unasked: [] }
      : withBackends(
          segments.map((each) => backedSegment(each, context.stage)),
          complete,
          backed,
          context.backends,
        );
  const detections = found.map((each) => each && new Map([...each].map(([key, list]) => [key, inOrder(list)])));
  return { detections, foundAtMs, unasked };
}

/** A segment, as far as it matters whether backends are asked about it. */
export function backedSegment({ text, origin, stage }: TextSegment, ofRequest: Stage): BackedSegment {
  return { text, origin, stage: nameOf(stages, stage ?? ofRequest) };
}

/** The time limit of a request, in milliseconds since its evaluation began. */
export function budgetMsOf(request: EvaluateRequest, applicable: EvaluationTools["applicable"]): number {
  const maxMs = Math.max(0, ...applicable.map(({ policy }) => policy.timeoutMs));
  return Math.min(maxMs, request.options?.timeoutMs ?? maxMs);
}

class OutOfTime extends Error {}

function inTime<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof OutOfTime) return undefined;
    throw error;
  }
}

/** Sorts detections, so that an answer does not depend on the order in which a scanner finds them. */
function inOrder(detections: readonly Detection[]): Detection[] {
  return [...detections].sort(
    (a, b) => a.start - b.start || a.end - b.end || b.score - a.score || (a.category < b.category ? -1 : 1),
  );
}
