// Finds which categories of language packs the enforced rules of a bundle use: those in which a language that nobody
// has covered would leave a gap.

import { catalog } from "../../../runtime/engine/detectors/catalog.ts";
import { overlayCategories } from "../../../runtime/engine/languages/overlay.ts";
import { categoriesTakenBy } from "../../../runtime/engine/overlay/extend-plan.ts";
import type { PolicyDocument } from "../../../runtime/engine/policy/document.ts";
import { type EffectiveRule, effectiveRule } from "../../../runtime/engine/policy/effective-rule.ts";
import { noPacks } from "../../../runtime/engine/policy/extend.ts";
import { layersOf } from "../../../runtime/engine/policy/parse.ts";
import type { PolicySource } from "../../../runtime/engine/policy-plan/compiled-policy.ts";
import { policySources, type StoredPart } from "./stored-part.ts";

const definitions = new Map(catalog.map((definition) => [definition.id, definition]));

/** The categories that the enforced rules of a bundle's policies use, in the order of the categories. */
export function enforcedCategories({ parts }: { readonly parts: readonly StoredPart[] }): string[] {
  const used = new Set(
    policySources(parts)
      .flatMap(rulesOf)
      .filter(({ mode, counts }) => mode === "enforce" && counts)
      .flatMap(({ terms }) => terms.flatMap(categoriesTakenBy)),
  );
  return overlayCategories.filter((name) => name !== "custom" && used.has(name));
}

function rulesOf({ document, packs = noPacks }: PolicySource): EffectiveRule[] {
  const policy = document as unknown as PolicyDocument; // it was checked before it became a part of a bundle
  return [
    ...(policy.rules ?? []).map((rule) => effectiveRule(rule, policy, definitions)),
    ...layersOf(policy, catalog, packs).flatMap((layer) =>
      (layer.document.rules ?? []).map((rule) => effectiveRule(rule, layer.document, definitions, layer)),
    ),
  ];
}
