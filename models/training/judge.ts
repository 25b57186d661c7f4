// Judges texts as the detector does: the model's evidence in each window, with what the patterns find there.

import type { Detection } from "../../runtime/engine/detectors/detector.ts";
import { featureCount } from "../../runtime/engine/detectors/injection/feature.ts";
import { type ModelHeader, writeModel } from "../../runtime/engine/detectors/injection/model.ts";
import { compileDetectors } from "../../runtime/engine/scan/scanner.ts";
import type { Instance } from "./instance.ts";
import type { Learner } from "./learn.ts";

/** Evidence in one window. */
export interface WindowEvidence {
  readonly model: number;
  readonly patterns: number;
}

const neutralPoints = { strict: 0, balanced: 0, permissive: 0 };
const silent: ModelHeader = {
  format: 3,
  version: "silent",
  features: featureCount,
  scale: 0,
  bias: 0,
  damping: 0,
  patternShare: 1,
  points: { chat: neutralPoints, document: neutralPoints },
  families: [],
  familyBiases: [],
  familyScale: 0,
};

/** What the patterns find in plain text, each match with the evidence of those that it meets. */
export function createPatternReader(): (text: string) => readonly Detection[] {
  const bytes = writeModel(silent, new Int8Array(featureCount));
  const spec = { key: "injection", use: "injection", parameters: {} };
  const scanner = compileDetectors([spec], { models: new Map([["injection", bytes]]) });
  return (text) =>
    (scanner.scan(text).get("injection") ?? []).filter(
      ({ layer, attributes }) => layer === "plain" && attributes?.evidence !== "model",
    );
}

/** Evidence in each window of a text. */
export function evidenceIn(
  windows: readonly Instance[],
  learner: Learner,
  matches: readonly Detection[],
): WindowEvidence[] {
  return windows.map((window) => ({
    model: learner.evidence(window),
    patterns: strongest(matches.filter(({ start }) => start >= window.from && start < window.to)),
  }));
}

// With a silent model a score says the evidence of all patterns that meet: 1 / (1 + exp(-evidence)).
function strongest(matches: readonly Detection[]): number {
  return matches.length === 0
    ? 0
    : Math.max(...matches.map(({ score }) => Math.log(score / (1 - Math.min(score, 0.9999)))));
}

/** The evidence of a text: that of its strongest window. */
export function totalOf(windows: readonly WindowEvidence[], patternShare: number): number {
  return Math.max(...windows.map(({ model, patterns }) => model + patternShare * patterns));
}
