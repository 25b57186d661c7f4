// Exemptions cancel the effect of rules: of the rules of their own policy, and of unlocked rules of the packs that the
// policy extends. The findings stay visible.

import type { CompiledExemption, CompiledRule } from "../policy-plan/compiled-policy.ts";
import { matchesGlob } from "../text/glob.ts";
import { type Joinable, or, type Truth } from "./truth.ts";

/** An exemption, and whether it covers a match. */
export interface Exempting<D extends Joinable<D>> {
  readonly id: string;
  readonly truth: Truth<D>;
}

/** Finds the exemption that covers a match. Generic in the type of a hit, which is only passed through. */
export class Exemptions<C, D extends Joinable<D>> {
  readonly #exemptions: readonly CompiledExemption[];
  readonly #holds: (exemption: CompiledExemption, segment: number, hit: C | undefined) => Truth<D>;
  readonly #known = new Map<string, Truth<D>>();

  constructor(
    exemptions: readonly CompiledExemption[],
    nowMs: number,
    holds: (exemption: CompiledExemption, segment: number, hit: C | undefined) => Truth<D>,
  ) {
    this.#exemptions = exemptions.filter(({ expiresMs }) => nowMs < expiresMs);
    this.#holds = holds;
  }

  /**
   * The first exemption that covers the rule for this segment and hit; if none surely does, the first that may;
   * undefined when none does.
   */
  exemptionOf(rule: CompiledRule, segment: number, hit: C | undefined): Exempting<D> | undefined {
    let perhaps: Exempting<D> | undefined;
    for (const exemption of this.#exemptions) {
      if (!reaches(exemption, rule)) continue;
      const truth = this.#covers(exemption, segment, hit);
      if (truth === true) return { id: exemption.id, truth };
      if (truth !== false) perhaps = { id: perhaps?.id ?? exemption.id, truth: or(perhaps?.truth ?? false, truth) };
    }
    return perhaps;
  }

  #covers(exemption: CompiledExemption, segment: number, hit: C | undefined): Truth<D> {
    if (exemption.when.reads.has("finding")) {
      return hit === undefined ? false : this.#holds(exemption, segment, hit);
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
