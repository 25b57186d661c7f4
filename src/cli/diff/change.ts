// A difference between two versions of a policy, and what it does to strictness. A direction is only stated where it
// can be decided; whatever depends on a condition's meaning is "unknown".

/** What a change does to what is enforced. */
export type Effect = "none" | "stricter" | "weaker" | "unknown";

/** What all changes together do. "mixed" is stricter in one place and weaker in another. */
export type Verdict = "same" | "stricter" | "weaker" | "mixed" | "unknown";

/** One difference. */
export interface Change {
  /** "policy", "match", "defaults", "list", "detector", "rule", "exemption" or "test". */
  readonly on: string;
  /** Name or id of what changed; "" where there is only one. */
  readonly name: string;
  readonly what: string;
  readonly effect: Effect;
}

/** The effect of several changes that are one. */
export function together(effects: readonly Effect[]): Effect {
  const real = [...new Set(effects)].filter((effect) => effect !== "none");
  if (real.length === 0) return "none";
  return real.length === 1 ? (real[0] ?? "none") : "unknown";
}

/** The opposite direction. */
export function opposite(effect: Effect): Effect {
  if (effect === "stricter") return "weaker";
  return effect === "weaker" ? "stricter" : effect;
}

/** What the changes do as a whole. */
export function verdictOf(changes: readonly Change[]): Verdict {
  const effects = new Set(changes.map(({ effect }) => effect));
  if (effects.has("unknown")) return "unknown";
  if (effects.has("stricter")) return effects.has("weaker") ? "mixed" : "stricter";
  return effects.has("weaker") ? "weaker" : "same";
}

/** The effect of a value that grows from `before` to `after`, where more is `direction`. */
export function byGrowth(before: number, after: number, direction: "stricter" | "weaker"): Effect {
  if (before === after) return "none";
  return after > before ? direction : opposite(direction);
}

/** Members that only one of two lists has. */
export function setDifference<T extends string>(before: readonly T[], after: readonly T[]) {
  return {
    added: after.filter((item) => !before.includes(item)),
    removed: before.filter((item) => !after.includes(item)),
  };
}

/** Whether two JSON values are equal. Both come from canonical documents, in which keys have one order. */
export function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
