// The effect of changed detectors on a rule. A rule matches when `atLeast` of its terms find something, so more terms,
// lower thresholds and wider categories can only make it match more, and a higher count only less.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type ChangeKind, type Effect, growth, isSame, listed } from "./change.ts";
import type { EffectiveRule, EffectiveTerm } from "./effective-rule.ts";
import { globGrowth } from "./glob-cover.ts";

/** A change of a rule's detectors; its text continues a sentence that begins with the rule's name. */
export interface DetectChange {
  readonly kind: ChangeKind;
  readonly key: string;
  readonly text: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  readonly effect: Effect;
}

/** The changes of a rule's detectors. */
export function diffDetect(before: EffectiveRule, after: EffectiveRule): DetectChange[] {
  const [old, now] = [named(before.terms), named(after.terms)];
  const kept = [...old].flatMap(([name, term]) => {
    const other = now.get(name);
    return other === undefined ? [] : diffTerm(term, other, readsFinding(before) || readsFinding(after));
  });
  const added = [...now.keys()].filter((name) => !old.has(name));
  const removed = [...old.keys()].filter((name) => !now.has(name));
  return [...kept, ...diffCount(before, after, added, removed)];
}

/** Terms by name; a repeated name gets a number, such as "pii (2)". */
function named(terms: readonly EffectiveTerm[]): Map<string, EffectiveTerm> {
  const byName = new Map<string, EffectiveTerm>();
  for (const term of terms) {
    let name = term.name;
    for (let n = 2; byName.has(name); n++) name = `${term.name} (${n})`;
    byName.set(name, term);
  }
  return byName;
}

function diffCount(
  before: EffectiveRule,
  after: EffectiveRule,
  added: readonly string[],
  removed: readonly string[],
): DetectChange[] {
  const raised = after.atLeast - before.atLeast;
  if (added.length === 0 && removed.length === 0 && raised === 0) return [];
  const parts = [
    added.length === 0 ? "" : `also detects ${listed(added)}`,
    removed.length === 0 ? "" : `no longer detects ${listed(removed)}`,
    raised === 0
      ? ""
      : `needs ${after.atLeast} of ${after.terms.length} detectors instead of ${before.atLeast} of ${before.terms.length}`,
  ];
  return [
    {
      kind: "detect_changed",
      key: "detect",
      text: parts.filter((part) => part !== "").join(", "),
      before: detectOf(before),
      after: detectOf(after),
      effect: countEffect(before, after, { added: added.length, removed: removed.length, raised }),
    },
  ];
}

function countEffect(
  before: EffectiveRule,
  after: EffectiveRule,
  { added, removed, raised }: { added: number; removed: number; raised: number },
): Effect {
  // A rule with `detect` judges findings, a rule without it judges the segment.
  if (before.terms.length === 0 || after.terms.length === 0) return "unknown";
  if (removed === 0 && raised <= 0) return "stricter";
  if (added === 0 && raised >= 0) return "weaker";
  // With fewer detectors, a redaction leaves more of the text even when the rule matches more often.
  if (before.action === "REDACT" || after.action === "REDACT") return "unknown";
  if (removed === 0 && raised >= added) return "weaker";
  return added === 0 && -raised >= removed ? "stricter" : "unknown";
}

function detectOf({ rule }: EffectiveRule): JsonValue | undefined {
  return rule.detect as JsonValue | undefined; // a part of a document is JSON
}

function diffTerm(before: EffectiveTerm, after: EffectiveTerm, asksFindings: boolean): DetectChange[] {
  const { name } = after;
  const changes: DetectChange[] = [];
  if (before.use !== after.use) {
    const text = `${name} is now the detector ${after.use} instead of ${before.use}`;
    return [
      {
        kind: "detector_changed",
        key: `detectors.${name}.use`,
        text,
        before: before.use,
        after: after.use,
        effect: "unknown",
      },
    ];
  }
  changes.push(...diffParameters(before, after, asksFindings));
  if (before.threshold !== after.threshold) {
    const isLower = after.threshold < before.threshold;
    const text = `threshold of ${name} ${isLower ? "lowered" : "raised"} from ${before.threshold} to ${after.threshold}`;
    const effect = isLower ? "stricter" : "weaker";
    changes.push({
      kind: "threshold_changed",
      key: `${name}.threshold`,
      text,
      before: before.threshold,
      after: after.threshold,
      effect,
    });
  }
  if (!isSame(before.categories, after.categories)) {
    const text = `categories of ${name}: ${after.categories === undefined ? "all" : listed(after.categories)} instead of ${before.categories === undefined ? "all" : listed(before.categories)}`;
    const effect = globGrowth(before.categories, after.categories);
    const [was, is] = [before.categories, after.categories].map((globs) => (globs === undefined ? null : [...globs]));
    changes.push({ kind: "detect_changed", key: `${name}.categories`, text, before: was, after: is, effect });
  }
  if (before.onError !== after.onError) {
    const effect = after.onError === "fail_closed" ? "stricter" : "weaker";
    const text = `${name} ${after.onError === "fail_closed" ? "fails closed" : "fails open"} when it cannot judge`;
    changes.push({
      kind: "on_error_changed",
      key: `${name}.on_error`,
      text,
      before: before.onError,
      after: after.onError,
      effect,
    });
  }
  return changes;
}

function diffParameters(before: EffectiveTerm, after: EffectiveTerm, asksFindings: boolean): DetectChange[] {
  const keys = [...new Set([...Object.keys(before.parameters), ...Object.keys(after.parameters)])].sort();
  return keys.flatMap((key): DetectChange[] => {
    const [was, is] = [parameterOf(before, key), parameterOf(after, key)];
    if (isSame(was, is)) return [];
    const known = parameterEffect(after.use, key, was, is);
    return [
      {
        kind: "detector_changed",
        key: `${after.name}.${key}`,
        text: `${key} of ${after.name}: ${reported(was, is)}`,
        before: was,
        after: is,
        // A finding within another one is left out, so a condition may be evaluated for other findings.
        effect: asksFindings ? "unknown" : known,
      },
    ];
  });
}

/** The value of a parameter, or its default. */
function parameterOf({ parameters, definition }: EffectiveTerm, key: string): JsonValue | undefined {
  if (key in parameters) return parameters[key];
  const { properties } = (definition?.parameters ?? {}) as { properties?: Record<string, JsonObject | undefined> }; // a JSON Schema
  return properties?.[key]?.default;
}

/** "auto" is balanced, and permissive for texts of the operator of the application. */
const sensitivities = ["permissive", "auto", "balanced", "strict"];

function parameterEffect(use: string, key: string, was: JsonValue | undefined, is: JsonValue | undefined): Effect {
  if (use === "injection" && key === "sensitivity") {
    const [from, to] = [sensitivities.indexOf(String(was)), sensitivities.indexOf(String(is))];
    if (from < 0 || to < 0) return "unknown";
    return to > from ? "stricter" : "weaker";
  }
  const isGrowing =
    (use === "pii" && key === "entities") ||
    (use === "keywords" && key === "keywords") ||
    (use === "regex" && key === "patterns");
  if (!isGrowing || !Array.isArray(was) || !Array.isArray(is)) return "unknown";
  return growth(was.map(textOf), is.map(textOf));
}

function reported(was: JsonValue | undefined, is: JsonValue | undefined): string {
  if (!Array.isArray(was) || !Array.isArray(is)) return `${textOf(is)} instead of ${textOf(was)}`;
  const added = is.map(textOf).filter((item) => !was.map(textOf).includes(item));
  const removed = was.map(textOf).filter((item) => !is.map(textOf).includes(item));
  const parts = [
    added.length === 0 ? "" : `also ${clipped(added)}`,
    removed.length === 0 ? "" : `no longer ${clipped(removed)}`,
    added.length + removed.length === 0 ? "in another order" : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function clipped(items: readonly string[]): string {
  return items.length > 5 ? `${listed(items.slice(0, 5))} and ${items.length - 5} more` : listed(items);
}

function textOf(value: JsonValue | undefined): string {
  if (value === undefined) return "the default";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Whether a rule is evaluated once for each finding. */
export function readsFinding({ rule }: EffectiveRule): boolean {
  return [rule.when, rule.unless].some((source) => source !== undefined && /\bfinding\b/.test(source));
}
