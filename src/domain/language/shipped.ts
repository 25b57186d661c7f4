// The language packs that ship with the product, and how their languages are named.

import { type LanguagePack, readLanguagePacks } from "../../../runtime/engine/authoring/language-pack/language-pack.ts";
import { notFound } from "../../kit/fault/fault.ts";
import { readLanguageFiles } from "../../kit/process/language-file.ts";

/** Finds packs by their tags. */
export class LanguageLibrary {
  /** All packs, ordered by tag. */
  readonly packs: readonly LanguagePack[];
  readonly #byTag: ReadonlyMap<string, LanguagePack>;

  constructor(packs: readonly LanguagePack[]) {
    this.packs = packs;
    this.#byTag = new Map(packs.map((pack) => [pack.overlay.language, pack]));
  }

  /** The pack of exactly this tag. */
  find(tag: string): LanguagePack | undefined {
    return this.#byTag.get(tag);
  }

  /** The pack of a tag in any spelling, or a 404. */
  require(given: string): LanguagePack {
    const pack = this.find(canonicalTag(given) ?? "");
    if (pack === undefined) throw notFound("language pack");
    return pack;
  }
}

/**
 * The canonical form of a BCP 47 tag in any case, with hyphens or underscores: "pl" for "PL", "no" for "nb" and "iw"
 * as "he". A region or script that the packs do not distinguish is dropped: "pt" for "pt_BR". Undefined for what is no
 * tag.
 */
export function canonicalTag(given: string): string | undefined {
  try {
    const { language } = new Intl.Locale(given.trim().replaceAll("_", "-"));
    return language === "nb" || language === "nn" ? "no" : language;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

let library: LanguageLibrary | undefined;

/** The packs that ship with the product, which the suite checks. Read when first asked for, and once in a process. */
export function shippedLanguages(): LanguageLibrary {
  library ??= new LanguageLibrary(readLanguagePacks(readLanguageFiles(), { checked: true }));
  return library;
}
