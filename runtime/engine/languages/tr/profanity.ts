// Coarse words in Turkish.

import list from "naughty-words/tr.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday:
    "amlar|çingene|çingenede|çingeneden|çingeneler|çingenelerde|çingenelerden|çingenelere|çingeneleri|çingenelerin|çingenenin|çingeneye|çingeneyi|götü|göte|götün|götte|sike|sikte|yarak|siki|sikin|kaltak|am|göt|sıçmak|taşak".split(
      "|",
    ),
  more: "piç|amk|yarrak|piç kurusu|orospu çocuğu".split("|"),
};
