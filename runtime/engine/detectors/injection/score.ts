// Joins what patterns and model find into scores. Evidence adds up within one fixed window of a form of a text (512 code units, every
// 256): of each family of patterns the strongest match, as independent evidence -ln(1 - weight), and the model's evidence in logits.
// A score is the logistic function of how far the sum lies above the turning point of the sensitivity, so 0.5 is that point. The
// attributes of a detection say how it came about: the family, both kinds of evidence, what was needed, and whose text it was.
// Without a model the patterns' joint weight 1 - (1 - w1)(1 - w2)… is stretched in the same manner.

import type { Detection, TextSource } from "../../detector.ts";
import { lazily } from "../../normalize.ts";
import { type WindowProbe, withoutInner } from "../../plan.ts";
import { windowLength, windowReach, windowStride, windowsOf } from "./feature.ts";
import type { InjectionModel, ModelHeader } from "./model.ts";

/** The sensitivities, the readiest first. */
export const sensitivities = ["strict", "balanced", "permissive"] as const;

/** How readily a text counts as an attack. */
export type Sensitivity = (typeof sensitivities)[number];

/** Category of a finding that only the model made. */
export const wordingCategory = "injection.wording";

/** The joint weight of patterns at which each sensitivity turns, when there is no model. */
const patternPoints: Readonly<Record<Sensitivity, number>> = { strict: 0.3, balanced: 0.5, permissive: 0.75 };
const leastScore = 0.05;
/** A window in which no pattern matched is not worth a word below this. */
const leastAlone = 0.2;
const strongestWeight = 0.99;
/** A window with less evidence of the model than this is no finding by itself at any point, so its family is not worth a look. */
const leastForFamily = -1;
const familyOfNone = "unknown";

/** Reports the model's evidence in every window, for `settleWithModel`. */
export function windowProbe(model: InjectionModel): WindowProbe {
  return {
    windowsOf,
    reach: windowReach,
    open: () => {
      const evidenceOf = model.open();
      return (text, from, to, offset = 0) => {
        const evidence = evidenceOf(text, from, to, offset);
        const finding = { category: wordingCategory, start: from, end: to, score: logistic(evidence) };
        if (evidence < leastForFamily) return finding;
        const family = lazily(() => model.family(text, from, to, from + offset === 0) ?? familyOfNone);
        // Asked for only when the window becomes a detection, which few do.
        return {
          ...finding,
          attributes: {
            get family() {
              return family();
            },
          },
        };
      };
    },
  };
}

/** How a policy wants texts to be judged; undefined for what suits their source. */
export interface Wish {
  readonly sensitivity?: Sensitivity | undefined;
  readonly kind?: keyof ModelHeader["points"] | undefined;
}

/** Where evidence turns into a finding. */
export interface OperatingPoint {
  readonly kind: keyof ModelHeader["points"];
  readonly sensitivity: Sensitivity;
}

/**
 * The point for a text. What people write and what documents say have points of their own; those who run the application give orders
 * by trade, so that their texts count least readily.
 */
export function operatingPoint(source: TextSource, { sensitivity, kind }: Wish): OperatingPoint {
  return {
    kind: kind ?? (source === "document" ? "document" : "chat"),
    sensitivity: sensitivity ?? (source === "trusted" ? "permissive" : "balanced"),
  };
}

/** The detections of patterns and model together. */
export function settleWithModel(
  detections: readonly Detection[],
  { patternShare, points }: ModelHeader,
  { kind, sensitivity }: OperatingPoint,
): Detection[] {
  const needed = points[kind][sensitivity];
  const windows = detections.filter(({ category }) => category === wordingCategory);
  const matches = withoutInner(detections.filter(({ category }) => category !== wordingCategory));
  const best = new Map<Detection, Detection>();
  const settled: Detection[] = [];
  // A little less, since scores are rounded.
  const leastModel = needed + logit(leastAlone) - 0.1;
  eachWindow(windows, matches, (window, inside) => {
    const model = logit(window.score);
    if (inside.length === 0 && model < leastModel) return;
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
    if (inside.length > 0 || score < leastAlone) return;
    const { family = familyOfNone } = window.attributes ?? {};
    settled.push({ ...window, score, attributes: { evidence: "model", family, ...why() } });
  });
  for (const detection of best.values()) if (detection.score >= leastScore) settled.push(detection);
  return settled;
}

function inHundredths(values: Readonly<Record<string, number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.toFixed(2)]));
}

function familyOf({ category }: Detection): { readonly family: string } {
  return { family: category.slice(category.indexOf(".") + 1) };
}

/** The evidence of matches that meet in one window: the best of each family, summed as -ln(1 - weight). */
export function patternEvidence(matches: readonly Detection[]): number {
  const weights = new Map<string, number>();
  for (const { category, score } of matches) weights.set(category, Math.max(weights.get(category) ?? 0, score));
  let sum = 0;
  for (const weight of weights.values()) sum -= Math.log(1 - Math.min(strongestWeight, weight));
  return sum;
}

/** The detections of patterns alone. Each belongs to every window in which it begins, and takes the best of their scores. */
export function settlePatterns(detections: readonly Detection[], sensitivity: Sensitivity): Detection[] {
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
    score >= leastScore ? [{ ...match, score, attributes: { evidence: "patterns", ...familyOf(match) } }] : [],
  );
}

// Windows and matches both in order of their beginnings, so that each match is looked at for the few windows that it is in.
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

// What is found where the normalized form equals the text is called plain; both are of one form.
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
