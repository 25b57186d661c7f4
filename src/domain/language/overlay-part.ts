// The overlays that an organization's bundles get: of each enabled language, the pack's with the organization's own
// keywords. Equal settings make equal bytes.

import type { JsonObject } from "@bufbuild/protobuf";
import {
  type LanguagePack,
  overlayOfCategories,
} from "../../../runtime/engine/authoring/language-pack/language-pack.ts";
import { type Overlay, type OverlayTerm, overlayPath } from "../../../runtime/engine/languages/overlay.ts";
import { canonicalBytes } from "../../kit/crypto/canonical.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { type CustomKeywordsRow, customKeywordsOf } from "../../store/language/custom-keywords.ts";
import { enabledLanguages } from "../../store/language/enabled-language.ts";
import type { StoredPart } from "../analysis/stored-part.ts";
import { type LanguageLibrary, shippedLanguages } from "./shipped.ts";

/** An organization's own keywords, as far as an overlay needs them. */
type OwnKeywords = Pick<CustomKeywordsRow, "keywords" | "allow">;

/** The overlay of a pack as everybody may read it, and as bundles carry it. */
export function overlayDocument({ overlay, coverage }: LanguagePack, own?: OwnKeywords): JsonObject {
  const merged = own === undefined ? overlay : withKeywords(overlay, own);
  // An overlay is JSON; its interface only names the keys.
  return { ...(merged as unknown as JsonObject), coverage: coverage as unknown as JsonObject };
}

/** The overlays for the organization's next bundles, by path. */
export async function overlayParts(
  tx: Transaction,
  library: LanguageLibrary = shippedLanguages(),
): Promise<StoredPart[]> {
  const rows = await enabledLanguages(tx);
  if (rows.length === 0) return [];
  const own = new Map(
    (
      await customKeywordsOf(
        tx,
        rows.map(({ language }) => language),
      )
    ).map((row) => [row.language, row]),
  );
  return rows.flatMap(({ language, categories }) => {
    // A pack that no longer ships is left out.
    const pack = library.find(language);
    if (pack === undefined) return [];
    const overlay = categories == null ? pack.overlay : overlayOfCategories(pack.overlay, categories);
    const document = overlayDocument({ ...pack, overlay }, own.get(language));
    return [{ path: overlayPath(language), data: canonicalBytes(document) }];
  });
}

function withKeywords(overlay: Overlay, { keywords, allow }: OwnKeywords): Overlay {
  const terms: Record<string, OverlayTerm[]> = {};
  for (const [category, list] of Object.entries(overlay.terms)) terms[category] = [...list];
  for (const { category, ...term } of keywords) {
    const list = terms[category] ?? [];
    terms[category] = list;
    list.push({ ...term, layer: "custom" });
  }
  return { ...overlay, terms, allow: [...new Set([...overlay.allow, ...allow])] };
}
