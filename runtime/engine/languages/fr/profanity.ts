// Coarse words in French.

import list from "naughty-words/fr.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday:
    "baiser|bloblos|bourré|bourrée|clito|folle|gerbe|gerber|gouine|grande folle|gueule|jouir|malpt|ménage à trois|meuf|nègre|palucher|péter|pisser|ramoner|suce|tanche|tapette|teuch|trique|tringler|turlute|bordel|étron|brouter le cresson|bitte|bite|clitoris|pipi|pédale|zizi|negro|pute|chatte|bander|caca".split(
      "|",
    ),
  more: "bordel de merde|emmerdes|foutaises|merdique|putains|fait chier|ta gueule|chiant|chiante".split("|"),
};
