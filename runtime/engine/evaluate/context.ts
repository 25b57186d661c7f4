// The inputs of an evaluation: those of its caller, and those of its engine.

import type { BundleReference } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { BackedDetector, BackendAnswers, UnaskedReason } from "../backend/backend.ts";
import type { DecisionObserver } from "../decide/decide.ts";
import type { Match } from "../decide/match.ts";
import type { Scanner, SegmentDetections } from "../detectors/detector.ts";
import type { KnownWindows } from "../detectors/finding.ts";
import type { ApplicablePolicy } from "../policy-plan/applicability.ts";
import type { ScanCache } from "../scan/scan-cache.ts";
import type { OutputSchema } from "../schema/output-schema.ts";
import type { TextSegment } from "../segment/segment.ts";
import type { SessionView } from "../segment/session.ts";
import type { SpecIndex } from "./record-signals.ts";

/** The inputs of an evaluation besides the request. */
export interface EvaluationContext {
  readonly stage: Stage;
  /** The request is a whole transcript: each turn is judged at its own stage, and the user turns also together. */
  readonly isTranscript?: boolean;
  readonly now: Date;
  readonly evaluationId: string;
  /** Key of the organization's fingerprints. */
  readonly fingerprintKey: Uint8Array;
  readonly bundle: BundleReference;
  /** Microseconds since the evaluation began. */
  readonly elapsedUs: () => number;
  /** The request's session. Default: unknown. */
  readonly session?: SessionView | undefined;
  /** The backends' answers for the texts of the request. Default: none, and detectors that need one are unjudged. */
  readonly backends?: BackendAnswers | undefined;
  /** Results that a stream already has for windows of the first text. Default: none. */
  readonly windows?: KnownWindows;
  /** Cached results of earlier scans. Default: none. */
  readonly memory?: ScanCache | undefined;
  /**
   * Called with the time that each detector took, in microseconds, by its name in the catalog; "shared" is the time of
   * work that serves all detectors. Texts are then scanned even if their results are cached.
   */
  readonly onDetectorTime?: ((detector: string, us: number) => void) | undefined;
  /** The same for those texts only that are scanned anyway. */
  readonly onScanTime?: ((detector: string, us: number) => void) | undefined;
}

/** The inputs that an engine gives to each of its evaluations. */
export interface EvaluationTools {
  readonly scanner: Scanner;
  readonly environment: string;
  readonly applicable: readonly ApplicablePolicy[];
  readonly namesOf: (specKey: string) => readonly string[];
  /** The numbers of the detectors in records. */
  readonly recorded: SpecIndex;
  readonly schemas?: ReadonlyMap<string, OutputSchema>;
  /** Detectors that have a backend. */
  readonly backed?: readonly BackedDetector[];
  /** Notified of each step when the evaluation is to be explained. */
  readonly observer?: EvaluationObserver;
}

/** What was found in segments, and where the policy of a detector asked no backend. */
export interface ScannedSegments {
  readonly detections: readonly SegmentDetections[];
  readonly unasked: readonly ReadonlyMap<string, UnaskedReason>[];
}

/** Observes an evaluation. */
export interface EvaluationObserver extends DecisionObserver {
  readonly scanned: (segments: readonly TextSegment[], found: ScannedSegments) => void;
  readonly decided: (matches: readonly Match[], deciding: Match | undefined) => void;
}
