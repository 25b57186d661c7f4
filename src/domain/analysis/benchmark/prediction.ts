// What somebody says about a sample, and whether that is right.

/** A part of a text that was found. Offsets count UTF-16 code units. */
export interface FoundSpan {
  readonly segment: number;
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

/** What was found in a sample. */
export interface Prediction {
  /** Null when there is none, because of the error. */
  readonly outcome: string | null;
  /** The strongest score; null when whoever predicts gives none. */
  readonly score: number | null;
  /** The strongest score of each category, also below thresholds. */
  readonly scores: Readonly<Record<string, number>>;
  /** Categories that were found and take effect. */
  readonly labels: readonly string[];
  /** Rules that matched, in effect or not, each "policy/rule". */
  readonly rules: readonly string[];
  readonly detectors: readonly string[];
  readonly spans: readonly FoundSpan[];
  /** What could not be judged, each "detector: reason". */
  readonly unjudged: readonly string[];
  readonly latencyUs: number | null;
  readonly error: string | null;
}

/** What is right about a sample, as far as scores need it. */
export interface SampleTruth {
  readonly labels: readonly string[];
  readonly expectedOutcome: string | null;
  readonly mustMatch: readonly string[];
  readonly mustNotMatch: readonly string[];
  readonly spans: readonly FoundSpan[];
  readonly isGray: boolean;
}

/** Which samples are to be found, and what counts as found. */
export interface PositiveRule {
  /** Samples with one of these labels. Empty: those whose expected outcome is at least `outcomeAtLeast`. */
  readonly labels: readonly string[];
  /** From this outcome on a sample counts as found. */
  readonly outcomeAtLeast: string;
  /** Categories of findings by label of the dataset. Empty: whatever is found counts. */
  readonly labelMap: Readonly<Record<string, string>>;
}

/** How a sample was judged. */
export type Verdict = "tp" | "fp" | "tn" | "fn" | "missing" | "unscored";

const order = ["ALLOW", "FLAG", "REDACT", "BLOCK"];

/** Whether an outcome is at least as strict as another one. */
export function isAtLeast(outcome: string, least: string): boolean {
  return order.indexOf(outcome) >= order.indexOf(least);
}

/** Whether the sample is to be found; null when nothing is said about that, or people disagree. */
export function truthOf({ labels, expectedOutcome, isGray }: SampleTruth, rule: PositiveRule): boolean | null {
  if (isGray) return null;
  if (rule.labels.length > 0) return labels.some((label) => rule.labels.includes(label));
  return expectedOutcome === null ? null : isAtLeast(expectedOutcome, rule.outcomeAtLeast);
}

/** Whether the sample was found; null when nobody can say. What could not be judged never passes for judged. */
export function foundBy(prediction: Prediction, rule: PositiveRule): boolean | null {
  const { outcome, labels, unjudged, error } = prediction;
  if (error !== null || outcome === null) return null;
  const isStrict = isAtLeast(outcome, rule.outcomeAtLeast);
  const categories = categoriesOf(rule);
  const isFound = isStrict && (categories === null || labels.some((label) => isAmong(label, categories)));
  if (unjudged.length > 0 && !(isFound && labels.length > 0)) return null;
  return isFound;
}

/** The score by which the sample is ranked; null when there is none. */
export function scoreOf({ score, scores, error }: Prediction, rule: PositiveRule): number | null {
  if (error !== null || score === null) return null;
  const categories = categoriesOf(rule);
  if (categories === null || Object.keys(scores).length === 0) return score;
  const own = Object.entries(scores).filter(([category]) => isAmong(category, categories));
  return Math.max(0, ...own.map(([, value]) => value));
}

/** The verdict on a sample. */
export function verdictOf(truth: boolean | null, found: boolean | null): Verdict {
  if (truth === null) return "unscored";
  if (found === null) return "missing";
  if (truth) return found ? "tp" : "fn";
  return found ? "fp" : "tn";
}

/** Whether a category is this one or a part of it: "pii.email" is a part of "pii". */
export function isPartOf(category: string, whole: string): boolean {
  return category === whole || category.startsWith(`${whole}.`);
}

/** The category that stands for a label. Labels may be called like members of every object. */
export function mappedLabel(labelMap: Readonly<Record<string, string>>, label: string): string | undefined {
  return Object.hasOwn(labelMap, label) ? labelMap[label] : undefined;
}

function categoriesOf({ labels, labelMap }: PositiveRule): readonly string[] | null {
  const mapped = (labels.length > 0 ? labels : Object.keys(labelMap)).flatMap(
    (label) => mappedLabel(labelMap, label) ?? [],
  );
  return mapped.length === 0 ? null : mapped;
}

function isAmong(category: string, wholes: readonly string[]): boolean {
  return wholes.some((whole) => isPartOf(category, whole));
}
