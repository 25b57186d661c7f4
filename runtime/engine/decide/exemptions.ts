// Exemptions cancel the effect of rules: of the rules of their own policy, and of unlocked rules of the packs that the
// policy extends. The findings stay visible.

import type { CompiledExemption, CompiledRule } from "../policy-plan/compiled-policy.ts";
import { matchesGlob } from "../text/glob.ts";

/** Finds the exemption that covers a match. Generic in the type of a hit, which is only passed through. */
export class Exemptions<C> {
  readonly #exemptions: readonly CompiledExemption[];
  readonly #holds: (exemption: CompiledExemption, segment: number, hit: C | undefined) => boolean;
  readonly #known = new Map<string, boolean>();

  constructor(
    exemptions: readonly CompiledExemption[],
    nowMs: number,
    holds: (exemption: CompiledExemption, segment: number, hit: C | undefined) => boolean,
  ) {
    this.#exemptions = exemptions.filter(({ expiresMs }) => nowMs < expiresMs);
    this.#holds = holds;
  }

  /** The id of the first exemption that covers the rule for this segment and hit. */
  exemptionOf(rule: CompiledRule, segment: number, hit: C | undefined): string | undefined {
    if (this.#exemptions.length === 0) return undefined;
    const covering = this.#exemptions.filter((exemption) => reaches(exemption, rule));
    return covering.find((exemption) => this.#covers(exemption, segment, hit))?.id;
  }

  #covers(exemption: CompiledExemption, segment: number, hit: C | undefined): boolean {
    if (exemption.when.reads.has("finding")) {
      return hit !== undefined && this.#holds(exemption, segment, hit);
    }
    const key = `${exemption.id}\u0000${segment}`;
    const known = this.#known.get(key) ?? this.#holds(exemption, segment, undefined);
    this.#known.set(key, known);
    return known;
  }
}

function reaches({ rules, level, prefix }: CompiledExemption, { id, isLocked }: CompiledRule): boolean {
  if (level > 0 && isLocked) return false;
  const name = id.slice(prefix.length);
  return rules.some((glob) => matchesGlob(glob, name));
}
