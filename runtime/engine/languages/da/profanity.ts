// Coarse words in Danish.

import list from "naughty-words/da.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday: "cock|lort|luder|anus".split("|"),
  more: "kælling|kællinger|røvhul|røvhuller|fandeme|fandens|satans|rend mig i røven".split("|"),
};
