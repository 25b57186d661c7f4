// Records the steps of one evaluation for its explanation.

import type { Ask, NoMatchReason } from "../decide/decide.ts";
import type { Match } from "../decide/match.ts";
import type { Scanner, SegmentDetections } from "../detectors/detector.ts";
import type { EvaluationContext, EvaluationObserver, ScannedSegments } from "../evaluate/context.ts";
import type { ApplicablePolicy } from "../policy-plan/applicability.ts";
import type { CompiledPolicy, CompiledRule } from "../policy-plan/compiled-policy.ts";
import type { TextSegment } from "../segment/segment.ts";

/** Records the steps of one evaluation. */
export class Recorder implements EvaluationObserver {
  readonly #elapsedUs: () => number;
  readonly beganUs: number;
  scannedUs = 0;
  decidedUs = 0;
  segments: readonly TextSegment[] = [];
  detections: readonly SegmentDetections[] = [];
  unasked: ScannedSegments["unasked"] = [];
  matches: readonly Match[] = [];
  deciding: Match | undefined;
  /** Duration of each scan, in the order of the scanned segments. */
  readonly scanUs: number[] = [];
  readonly asks = new Map<CompiledPolicy, Ask>();
  readonly #passed = new Map<CompiledRule, Map<number, NoMatchReason>>();

  constructor({ elapsedUs }: EvaluationContext) {
    this.#elapsedUs = elapsedUs;
    this.beganUs = elapsedUs();
  }

  /** The scanner, with the duration of each scan recorded. */
  timed(scanner: Scanner): Scanner {
    const scan: Scanner["scan"] = (...given) => {
      const beganUs = this.#elapsedUs();
      const found = scanner.scan(...given);
      this.scanUs.push(this.#elapsedUs() - beganUs);
      return found;
    };
    return { ...scanner, scan };
  }

  scanned(segments: readonly TextSegment[], { detections, unasked }: ScannedSegments): void {
    this.segments = segments;
    this.detections = detections;
    this.unasked = unasked;
    this.scannedUs = this.#elapsedUs();
  }

  judging({ policy }: ApplicablePolicy, ask: Ask): void {
    this.asks.set(policy, ask);
  }

  passed(_policy: CompiledPolicy, rule: CompiledRule, segment: number, why: NoMatchReason): void {
    const segments = this.#passed.get(rule) ?? new Map<number, NoMatchReason>();
    this.#passed.set(rule, segments.set(segment, why));
  }

  decided(matches: readonly Match[], deciding: Match | undefined): void {
    this.matches = matches;
    this.deciding = deciding;
    this.decidedUs = this.#elapsedUs();
  }

  /** Why a rule does not match a segment, as the decision reported it. */
  whyPassed(rule: CompiledRule, segment: number): NoMatchReason | undefined {
    return this.#passed.get(rule)?.get(segment);
  }

  /** The indices of the segments that were scanned. */
  scannedSegments(): number[] {
    if (this.scanUs.length === 0) return [];
    return [...this.segments.keys()].filter(
      (index) => this.segments[index]?.text !== "" && this.detections[index] !== undefined,
    );
  }

  /** The texts of the scanned segments. */
  scannedTexts(): string[] {
    return this.scannedSegments().map((index) => this.segments[index]?.text ?? "");
  }
}
