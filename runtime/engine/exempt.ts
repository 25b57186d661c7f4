// Exemptions take the effect of rules away: of rules of their own policy, and of those of the packs that it extends unless
// they are locked. The findings stay visible.

import type { CompiledExemption, CompiledRule } from "./compiled-policy.ts";
import { matchesGlob } from "./glob.ts";

/** Finds the exemption that covers a match. Generic in what a candidate is: it only hands it on. */
export class Exempting<C> {
  readonly #exemptions: readonly CompiledExemption[];
  readonly #holds: (exemption: CompiledExemption, piece: number, candidate: C | undefined) => boolean;
  readonly #known = new Map<string, boolean>();

  constructor(
    exemptions: readonly CompiledExemption[],
    nowMs: number,
    holds: (exemption: CompiledExemption, piece: number, candidate: C | undefined) => boolean,
  ) {
    this.#exemptions = exemptions.filter(({ expiresMs }) => nowMs < expiresMs);
    this.#holds = holds;
  }

  /** The id of the first exemption that covers the rule here. */
  exemptionOf(rule: CompiledRule, piece: number, candidate: C | undefined): string | undefined {
    if (this.#exemptions.length === 0) return undefined;
    const covering = this.#exemptions.filter((exemption) => reaches(exemption, rule));
    return covering.find((exemption) => this.#covers(exemption, piece, candidate))?.id;
  }

  #covers(exemption: CompiledExemption, piece: number, candidate: C | undefined): boolean {
    if (exemption.when.reads.has("finding")) {
      return candidate !== undefined && this.#holds(exemption, piece, candidate);
    }
    const key = `${exemption.id}\u0000${piece}`;
    const known = this.#known.get(key) ?? this.#holds(exemption, piece, undefined);
    this.#known.set(key, known);
    return known;
  }
}

function reaches({ rules, level, prefix }: CompiledExemption, { id, isLocked }: CompiledRule): boolean {
  if (level > 0 && isLocked) return false;
  const name = id.slice(prefix.length);
  return rules.some((glob) => matchesGlob(glob, name));
}
