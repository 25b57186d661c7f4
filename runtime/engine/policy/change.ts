// A change between two versions of a policy, and its effect on the strictness of the policy.

import type { JsonValue } from "@bufbuild/protobuf";

/**
 * The effect of a change on outcomes: none becomes milder, none becomes stricter, all stay, or it cannot be known
 * without trying.
 */
export type Effect = "stricter" | "weaker" | "neutral" | "unknown";

/** Kinds of changes, in the terms of the policy language. */
export type ChangeKind =
  | "rule_added"
  | "rule_removed"
  | "rule_renamed"
  | "rules_reordered"
  | "action_changed"
  | "mode_changed"
  | "rollout_changed"
  | "stages_changed"
  | "detect_changed"
  | "threshold_changed"
  | "detector_changed"
  | "condition_changed"
  | "on_error_changed"
  | "redaction_changed"
  | "severity_changed"
  | "message_changed"
  | "text_changed"
  | "exemption_added"
  | "exemption_removed"
  | "exemption_changed"
  | "list_changed"
  | "extends_changed"
  | "match_changed"
  | "defaults_changed"
  | "tests_changed";

/** One change. */
export interface PolicyChange {
  readonly kind: ChangeKind;
  /** Path in the document, such as `rules["pii.email"].action`. */
  readonly path: string;
  /** The rule that changed. */
  readonly rule?: string;
  /** The change as a sentence. */
  readonly text: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  readonly effect: Effect;
}

/** The joint effect of several changes. */
export function jointEffect(effects: Iterable<Effect>): Effect {
  const known = new Set(effects);
  known.delete("neutral");
  if (known.has("unknown") || known.size > 1) return "unknown";
  return [...known][0] ?? "neutral";
}

/** The effect of the reverse change. */
export function inverse(effect: Effect): Effect {
  if (effect === "stricter") return "weaker";
  return effect === "weaker" ? "stricter" : effect;
}

/** The effect of a change of a set whose growth is stricter: "unknown" when items were both added and removed. */
export function growth(before: readonly string[], after: readonly string[]): Effect {
  const added = after.some((item) => !before.includes(item));
  const removed = before.some((item) => !after.includes(item));
  if (added && removed) return "unknown";
  if (added) return "stricter";
  return removed ? "weaker" : "neutral";
}

/** True for equal JSON, whatever the order of keys. */
export function isSame(a: unknown, b: unknown): boolean {
  return fingerprint(a) === fingerprint(b);
}

/** A text that is equal for equal JSON. */
export function fingerprint(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? "";
}

/** Items as a list in a sentence. */
export function listed(items: readonly string[]): string {
  return items.join(", ");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .filter(([, child]) => child !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, child]) => [key, sorted(child)]);
}
