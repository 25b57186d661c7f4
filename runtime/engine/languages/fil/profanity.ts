// Coarse words in Filipino.

import list from "naughty-words/fil.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday: "bobo|nognog|tanga".split("|"),
  more: "tangina|tarantado|gago ka|puke ng ina".split("|"),
};
