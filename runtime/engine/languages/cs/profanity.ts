// Coarse words in Czech.

import list from "naughty-words/cs.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday: "bordel|čumět|debil|držka|flundra|kunda|prdelka|píchat|žrát".split("|"),
};
