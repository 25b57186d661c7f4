// Coarse words in Norwegian.

import list from "naughty-words/no.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday:
    "fanken|forbanna|forbannet|ræven|skitt|sinnsykt|kuker|pikk|dritt|helvetet|sotrør|satan|fan|faen|helvete".split("|"),
  more: "faen|faens|jævel|jævler|jævlig".split("|"),
};
