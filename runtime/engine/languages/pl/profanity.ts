// Coarse words in Polish.

import list from "naughty-words/pl.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday:
    "burdel|burdelmama|ciota|debil|dmuchać|duperele|dupek|jajco|jajko|pieprzyć|rzygać|sraczka|cipa|lizać pałę|dupa|cyc|syf|suka".split(
      "|",
    ),
  more: "chuja chuje chujowy jebana jebane kurwa kurwą pierdol pierdole pierdolę spierdalaj wypierdalaj wkurwiony zajebać skurwysyn skurwysyny zajebisty zajebista zajebiście".split(
    " ",
  ),
};
