// Scans the segments of a request within its time limit.

import type { EvaluateRequest } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { UnaskedReason } from "../backend/backend.ts";
import { type BackedSegment, withBackends } from "../backend/with-backends.ts";
import type { Detection, SegmentDetections, TextSource } from "../detectors/detector.ts";
import type { KnownWindows } from "../detectors/finding.ts";
import { nameOf, stages } from "../policy/enum-names.ts";
import { DetectorTimes } from "../scan/detector-time.ts";
import { type TextSegment, textSourceOf } from "../segment/segment.ts";
import type { EvaluationContext, EvaluationTools } from "./context.ts";
import { overdueOf, scanInTime } from "./scan-in-time.ts";
import { withSplitPayloads } from "./split-payloads.ts";

/** The detections in each segment, and when its scan ended. */
export interface Scanned {
  readonly detections: SegmentDetections[];
  readonly foundAtMs: readonly number[];
  /** Why the policy of a detector asks no backend about a segment, by the index of the segment. */
  readonly unasked: readonly ReadonlyMap<string, UnaskedReason>[];
}

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
  const isOverdue = overdueOf(request, context, applicable);
  const { onDetectorTime, memory, windows } = context;
  const onTime = onDetectorTime ?? context.onScanTime;
  const times = onTime && new DetectorTimes(context.elapsedUs);
  const scan = (text: string, source: TextSource, known: KnownWindows | undefined) =>
    scanInTime(text, {
      ...{ isOverdue, lap: times?.lap },
      scan: (lap) => {
        times?.start();
        if (memory !== undefined && known === undefined && onDetectorTime === undefined)
          return memory.scan(scanner, text, source, lap);
        return scanner.scan(text, known, source, lap);
      },
    });
  const foundAtMs: number[] = [];
  const scanned = segments.map((segment, index) => {
    const { text } = segment;
    if (text === "" || applicable.length === 0) return new Map();
    const found = scan(text, textSourceOf(segment, context.stage), index === 0 ? windows : undefined);
    if (found !== undefined) foundAtMs[index] = context.elapsedUs() / 1000;
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

/** Sorts detections, so that an answer does not depend on the order in which a scanner finds them. */
function inOrder(detections: readonly Detection[]): Detection[] {
  return [...detections].sort(
    (a, b) => a.start - b.start || a.end - b.end || b.score - a.score || (a.category < b.category ? -1 : 1),
  );
}
