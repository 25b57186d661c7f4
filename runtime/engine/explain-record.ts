// What happens during one evaluation, noted down for its explanation.

import type { CompiledPolicy, CompiledRule } from "./compiled-policy.ts";
import type { Ask, Passed } from "./decide.ts";
import type { Scanner } from "./detector.ts";
import type { EvaluationContext, EvaluationWatch } from "./evaluation.ts";
import type { Match } from "./match.ts";
import type { Piece } from "./piece.ts";
import type { PieceDetections } from "./piece-scan.ts";

/** Notes down what happens during one evaluation. */
export class Recorder implements EvaluationWatch {
  readonly #elapsedUs: () => number;
  readonly beganUs: number;
  scannedUs = 0;
  decidedUs = 0;
  pieces: readonly Piece[] = [];
  detections: readonly PieceDetections[] = [];
  matches: readonly Match[] = [];
  deciding: Match | undefined;
  /** Time of each scan, in the order of the pieces that were scanned. */
  readonly scanUs: number[] = [];
  readonly asks = new Map<CompiledPolicy, Ask>();
  readonly #passed = new Map<CompiledRule, Map<number, Passed>>();

  constructor({ elapsedUs }: EvaluationContext) {
    this.#elapsedUs = elapsedUs;
    this.beganUs = elapsedUs();
  }

  /** The scanner, with each scan's time taken. */
  timed(scanner: Scanner): Scanner {
    const scan: Scanner["scan"] = (...given) => {
      const beganUs = this.#elapsedUs();
      const found = scanner.scan(...given);
      this.scanUs.push(this.#elapsedUs() - beganUs);
      return found;
    };
    return { ...scanner, scan };
  }

  scanned(pieces: readonly Piece[], detections: readonly PieceDetections[]): void {
    this.pieces = pieces;
    this.detections = detections;
    this.scannedUs = this.#elapsedUs();
  }

  judging(policy: CompiledPolicy, ask: Ask): void {
    this.asks.set(policy, ask);
  }

  passed(_policy: CompiledPolicy, rule: CompiledRule, piece: number, why: Passed): void {
    const pieces = this.#passed.get(rule) ?? new Map<number, Passed>();
    this.#passed.set(rule, pieces.set(piece, why));
  }

  decided(matches: readonly Match[], deciding: Match | undefined): void {
    this.matches = matches;
    this.deciding = deciding;
    this.decidedUs = this.#elapsedUs();
  }

  /** Why a rule does not match a piece, as the decision said. */
  whyPassed(rule: CompiledRule, piece: number): Passed | undefined {
    return this.#passed.get(rule)?.get(piece);
  }

  /** The pieces that were scanned, by their positions. */
  scannedPieces(): number[] {
    if (this.scanUs.length === 0) return [];
    return [...this.pieces.keys()].filter(
      (index) => this.pieces[index]?.text !== "" && this.detections[index] !== undefined,
    );
  }

  /** The texts of those pieces. */
  scannedTexts(): string[] {
    return this.scannedPieces().map((index) => this.pieces[index]?.text ?? "");
  }
}
