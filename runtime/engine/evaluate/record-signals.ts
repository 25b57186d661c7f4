// The scores of an evaluation as its record keeps them: the strongest first for each detector and piece. Where there
// are too many, the detectors and pieces that have the most lose their weakest, so that a reader can tell from the
// counts where something is missing.

import type { Signal } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { Detection, SegmentDetections } from "../detectors/detector.ts";
import type { TextSegment } from "../segment/segment.ts";

/** Maximum number of signals in a record. */
export const maxSignals = 1_000;

/** The detectors of an engine as its records number them. */
export interface SpecIndex {
  readonly digests: readonly Uint8Array[];
  /** The same as text, for maps. */
  readonly names: readonly string[];
  /** The number of a detector, by its key; a detector that no policy names alone has none. */
  readonly indexOf: ReadonlyMap<string, number>;
}

/** The signals of a record. */
export interface RecordedSignals {
  readonly signals: readonly Signal[];
  readonly omitted: number;
  /** The first signal of a detection; undefined when it was left out. */
  readonly indexOf: (piece: number, specKey: string, detection: Detection) => number | undefined;
}

/** One detection under one name of its detector. */
interface Source {
  readonly piece: number;
  readonly key: string;
  readonly name: string;
  readonly detection: Detection;
}

const nothing: RecordedSignals = { signals: [], omitted: 0, indexOf: () => undefined };

/** The signals of the detections in the segments of a request. */
export function recordSignals(
  segments: readonly TextSegment[],
  detections: readonly SegmentDetections[],
  { namesOf, recorded }: { readonly namesOf: (key: string) => readonly string[]; readonly recorded: SpecIndex },
): RecordedSignals {
  const groups: Source[][] = [];
  for (const [piece, found] of detections.entries()) {
    for (const [key, list] of found ?? []) {
      const ranked = list.length === 1 ? list : list.toSorted((a, b) => b.score - a.score);
      for (const name of namesOf(key)) groups.push(ranked.map((detection) => ({ piece, key, name, detection })));
    }
  }
  if (groups.length === 0) return nothing;
  const all = groups.reduce((sum, { length }) => sum + length, 0);
  const kept = all <= maxSignals ? groups.flat() : strongest(groups);
  return {
    signals: kept.map((source) => signalOf(source, segments, recorded)),
    omitted: all - kept.length,
    indexOf: (piece, key, detection) => {
      const index = kept.findIndex((each) => each.detection === detection && each.key === key && each.piece === piece);
      return index < 0 ? undefined : index;
    },
  };
}

/** The first of each group, as many as fit; with more groups than fit, those that score highest. */
function strongest(groups: readonly (readonly Source[])[]): Source[] {
  let each = 1;
  const sizeWith = (count: number) => groups.reduce((sum, { length }) => sum + Math.min(length, count), 0);
  while (sizeWith(each + 1) <= maxSignals) each += 1;
  const kept = groups.flatMap((group) => group.slice(0, each));
  if (kept.length <= maxSignals) return kept;
  const best = new Set(kept.toSorted((a, b) => b.detection.score - a.detection.score).slice(0, maxSignals));
  return kept.filter((source) => best.has(source));
}

// Written out: create would look at every field anew.
function signalOf(
  { piece, key, name, detection }: Source,
  segments: readonly TextSegment[],
  recorded: SpecIndex,
): Signal {
  const { category, score, start, end, layer } = detection;
  return {
    $typeName: "policyguard.policy.v1.Signal",
    ...{ detector: name, segment: segments[piece]?.id ?? "", category, score, start, end },
    spec: recorded.indexOf.get(key),
    layer,
  };
}
