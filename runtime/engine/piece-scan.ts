// What the detectors find in the pieces of a request, within its time.

import type { EvaluateRequest } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { withBackends } from "./backed.ts";
import type { Detection, Lap, TextSource } from "./detector.ts";
import { DetectorTimes } from "./detector-time.ts";
import type { EvaluationContext, EvaluationTools } from "./evaluation.ts";
import { type Piece, textSourceOf } from "./piece.ts";
import type { KnownWindows } from "./plan.ts";
import { withSplitPayloads } from "./turns.ts";

/** Detections in one piece by the key of their spec; undefined when time did not suffice. */
export type PieceDetections = ReadonlyMap<string, readonly Detection[]> | undefined;

/** What was found in each piece, and when that was known. */
export interface Scanned {
  readonly detections: PieceDetections[];
  readonly foundAtMs: readonly number[];
}

/** A text of so many units is given up when the time ends; a shorter one is read in a moment. */
const leastWatched = 8_192;

/** Scans the pieces one after the other. What time does not suffice for is left out, in part of a long text too. */
export function scanPieces(
  pieces: readonly Piece[],
  request: EvaluateRequest,
  context: EvaluationContext,
  { applicable, scanner, backed = [] }: EvaluationTools,
): Scanned {
  const longestMs = Math.max(0, ...applicable.map(({ policy }) => policy.timeoutMs));
  const budgetMs = Math.min(longestMs, request.options?.timeoutMs ?? longestMs);
  const isOverdue = () => context.elapsedUs() > budgetMs * 1000;
  const { onDetectorTime, memory, windows } = context;
  const times = onDetectorTime && new DetectorTimes(context.elapsedUs);
  const lapOf = (text: string): Lap | undefined => {
    if (text.length < leastWatched) return times?.lap;
    return (key) => {
      times?.lap(key);
      if (isOverdue()) throw new OutOfTime();
    };
  };
  const scan = (text: string, source: TextSource, known: KnownWindows | undefined) => {
    const lap = lapOf(text);
    if (memory !== undefined && known === undefined && times === undefined)
      return memory.scan(scanner, text, source, lap);
    times?.start();
    return scanner.scan(text, known, source, lap);
  };
  const foundAtMs: number[] = [];
  const scanned = pieces.map((piece, index) => {
    const { text } = piece;
    if (text === "" || applicable.length === 0) return new Map();
    if (isOverdue()) return undefined;
    const found = inTime(() => scan(text, textSourceOf(piece, context.stage), index === 0 ? windows : undefined));
    foundAtMs[index] = context.elapsedUs() / 1000;
    return found;
  });
  if (onDetectorTime !== undefined) times?.tell(onDetectorTime);
  const complete =
    context.isTranscript !== true || applicable.length === 0
      ? scanned
      : withSplitPayloads(pieces, scanned, (text) => scanner.scan(text));
  const found = backed.length === 0 ? complete : withBackends(pieces, complete, backed, context.backends);
  const detections = found.map((each) => each && new Map([...each].map(([key, list]) => [key, inOrder(list)])));
  return { detections, foundAtMs };
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

/** Sorted, so that an answer does not depend on the order in which a scanner finds things. */
function inOrder(detections: readonly Detection[]): Detection[] {
  return [...detections].sort(
    (a, b) => a.start - b.start || a.end - b.end || b.score - a.score || (a.category < b.category ? -1 : 1),
  );
}
