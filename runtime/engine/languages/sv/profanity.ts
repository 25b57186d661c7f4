// Coarse words in Swedish.

import list from "naughty-words/sv.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday:
    "brutta|fittig|hård|moona|moonade|moonar|moonat|pippa|pitt|prutt|subba|sätta på|tusan|skita|arsle|köttnacke|kötthuvud|neger|mutta|olla|stake|satan|fan|helvete|sås|jävlar".split(
      "|",
    ),
  more: "jävla jävlar jävel jävligt kukjävel jävlarna".split(" "),
};
