// Combines the findings of patterns and model into scores. Evidence adds up within one fixed window of a form of a text
// (512 code units, every 256): the strongest match of each pattern family as independent evidence -ln(1 - weight), and
// the model's evidence in logits. The score is the logistic function of the distance between the sum and the turning
// point of the sensitivity, so 0.5 is that point. The attributes of a detection explain it: the family, both kinds of
// evidence, the required sum, and the source of the text. Without a model, the patterns' joint weight 1 - (1 - w1)(1 -
// w2)… is scaled in the same way.

import { lazily } from "../../text/normalize.ts";
import type { Detection, TextSource } from "../detector.ts";
import { type WindowProbe, withoutInner } from "../detector-plan.ts";
import { windowLength, windowReach, windowStride, windowsOf } from "./feature.ts";
import type { InjectionModel, ModelHeader } from "./model.ts";

/** The sensitivities, from the one that finds most. */
export const sensitivities = ["strict", "balanced", "permissive"] as const;

/** How easily a text counts as an attack. */
export type Sensitivity = (typeof sensitivities)[number];

/** Category of a finding of the model alone. */
export const wordingCategory = "injection.wording";

/** The joint weight of patterns that each sensitivity requires without a model. */
const patternPoints: Readonly<Record<Sensitivity, number>> = { strict: 0.3, balanced: 0.5, permissive: 0.75 };
/** Minimum scores to report: for a match of a pattern, and for a window without one. */
export interface Floors {
  readonly matched: number;
  readonly alone: number;
}

const usual: Floors = { matched: 0.05, alone: 0.2 };

/** The least score of a finding. */
export const leastScore = Math.min(usual.matched, usual.alone);

/** For callers that need every score. */
export const noFloors: Floors = { matched: 0, alone: 0 };

const strongestWeight = 0.99;
/** A window with less model evidence than this is never a finding by itself, so its family is not computed. */
const minForFamily = -1;
const familyOfNone = "unknown";

/** Reports the model's evidence for every window, for `settleWithModel`. */
export function windowProbe(model: InjectionModel): WindowProbe {
  return {
    windowsOf,
    reach: windowReach,
    open: () => {
      const evidenceOf = model.open();
      return (text, from, to, offset = 0) => {
        const evidence = evidenceOf(text, from, to, offset);
        const finding = { category: wordingCategory, start: from, end: to, score: logistic(evidence) };
        if (evidence < minForFamily) return finding;
        const family = () => model.family(text, from, to, from + offset === 0) ?? familyOfNone;
        return { ...finding, attributes: new WindowAttributes(family) };
      };
    },
  };
}

/** The family of a window, computed only when the window becomes a detection, which is rare. */
class WindowAttributes {
  readonly [name: string]: string;
  readonly #family: () => string;

  constructor(family: () => string) {
    this.#family = lazily(family);
  }

  get family(): string {
    return this.#family();
  }
}

/** The policy's parameters for judging texts; undefined members depend on the source of the text. */
export interface Wish {
  readonly sensitivity?: Sensitivity | undefined;
  readonly kind?: keyof ModelHeader["points"] | undefined;
}

/** The evidence at which a text is a finding. */
export interface OperatingPoint {
  readonly kind: keyof ModelHeader["points"];
  readonly sensitivity: Sensitivity;
}

/**
 * The operating point for a text. Conversations and documents have separate points; operators write instructions by
 * trade, so their texts count least easily.
 */
export function operatingPoint(source: TextSource, { sensitivity, kind }: Wish): OperatingPoint {
  return {
    kind: kind ?? (source === "document" ? "document" : "chat"),
    sensitivity: sensitivity ?? (source === "trusted" ? "permissive" : "balanced"),
  };
}

/** The detections from patterns and model together. */
export function settleWithModel(
  detections: readonly Detection[],
  { patternShare, points }: ModelHeader,
  { kind, sensitivity }: OperatingPoint,
  floors = usual,
): Detection[] {
  const needed = points[kind][sensitivity];
  const windows = detections.filter(({ category }) => category === wordingCategory);
  const matches = withoutInner(detections.filter(({ category }) => category !== wordingCategory));
  const best = new Map<Detection, Detection>();
  const settled: Detection[] = [];
  // Slightly less, since scores are rounded.
  const minModel = needed + logit(floors.alone) - 0.1;
  eachWindow(windows, matches, (window, inside) => {
    const model = logit(window.score);
    if (inside.length === 0 && model < minModel) return;
    const patterns = patternShare * patternEvidence(inside);
    const score = rounded(logistic(model + patterns - needed));
    const why = lazily(() => ({ ...inHundredths({ model, patterns, needed }), judged_as: `${kind}, ${sensitivity}` }));
    for (const match of inside)
      if (score > (best.get(match)?.score ?? 0))
        best.set(match, {
          ...match,
          score,
          attributes: { evidence: "patterns and model", ...familyOf(match), ...why() },
        });
    if (inside.length > 0 || score < floors.alone) return;
    const { family = familyOfNone } = window.attributes ?? {};
    settled.push({ ...window, score, attributes: { evidence: "model", family, ...why() } });
  });
  for (const detection of best.values()) if (detection.score >= floors.matched) settled.push(detection);
  return settled;
}

function inHundredths(values: Readonly<Record<string, number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.toFixed(2)]));
}

function familyOf({ category }: Detection): { readonly family: string } {
  return { family: category.slice(category.indexOf(".") + 1) };
}

/** The evidence of matches within one window: the best match of each family, summed as -ln(1 - weight). */
function patternEvidence(matches: readonly Detection[]): number {
  const weights = new Map<string, number>();
  for (const { category, score } of matches) weights.set(category, Math.max(weights.get(category) ?? 0, score));
  let sum = 0;
  for (const weight of weights.values()) sum -= Math.log(1 - Math.min(strongestWeight, weight));
  return sum;
}

/**
 * The detections from patterns alone. Each match belongs to every window in which it begins, and gets the best of their
 * scores.
 */
export function settlePatterns(
  detections: readonly Detection[],
  sensitivity: Sensitivity,
  floors = usual,
): Detection[] {
  const matches = withoutInner(detections);
  const windows = new Map<string, Detection>();
  for (const match of matches)
    for (const start of windowStarts(match.start))
      windows.set(`${formOf(match)}:${start}`, { ...match, start, end: start + windowLength });
  const best = new Map<Detection, number>();
  eachWindow([...windows.values()], matches, (_, inside) => {
    const score = stretched(1 - Math.exp(-patternEvidence(inside)), patternPoints[sensitivity]);
    for (const match of inside) best.set(match, Math.max(best.get(match) ?? 0, score));
  });
  return [...best].flatMap(([match, score]) =>
    score >= floors.matched ? [{ ...match, score, attributes: { evidence: "patterns", ...familyOf(match) } }] : [],
  );
}

// Windows and matches are both ordered by start, so each match is visited only for its own windows.
function eachWindow(
  windows: readonly Detection[],
  matches: readonly Detection[],
  visit: (window: Detection, inside: readonly Detection[]) => void,
): void {
  const byForm = Map.groupBy(matches, formOf);
  for (const [form, those] of Map.groupBy(windows, formOf)) {
    const sorted = (byForm.get(form) ?? []).toSorted(byStart);
    let first = 0;
    for (const window of those.toSorted(byStart)) {
      while (first < sorted.length && (sorted[first]?.start ?? 0) < window.start) first++;
      let end = first;
      while (end < sorted.length && (sorted[end]?.start ?? 0) < window.end) end++;
      visit(window, sorted.slice(first, end));
    }
  }
}

// A finding where the normalised form equals the text has the layer "plain"; both layers belong to one form.
function formOf({ layer }: Detection): string {
  return layer === "normalized" ? "plain" : layer;
}

function byStart(a: Detection, b: Detection): number {
  return a.start - b.start || a.end - b.end;
}

function windowStarts(offset: number): number[] {
  const last = Math.floor(offset / windowStride) * windowStride;
  return last >= windowStride ? [last - (windowLength - windowStride), last] : [last];
}

function stretched(value: number, turningPoint: number): number {
  return rounded(
    value < turningPoint ? (value / turningPoint) * 0.5 : 0.5 + ((value - turningPoint) / (1 - turningPoint)) * 0.5,
  );
}

function logistic(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

function logit(score: number): number {
  return Math.log(score / (1 - score));
}

function rounded(score: number): number {
  return Math.round(score * 1000) / 1000;
}
