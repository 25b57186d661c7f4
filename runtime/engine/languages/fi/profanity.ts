// Coarse words in Finnish.

import list from "naughty-words/fi.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday:
    "alfred nussi|haahka|hatullinen|hitosti|hitto|jutku|jutsku|jätkä|kuppainen|lahtari|lutka|molo|mutakuono|mutiainen|naida|nainti|narttu|paljaalla|palli|pallit|panettaa|pantava|pehko|pentele|pipari|piru|pistää|reva|ripsipiirakka|rättipää|suklaaosasto|tavara|toosa|tuhkaluukku|vetää käteen|viiksi|juosten kustu|hevonkuusi|kulli|äpärä|bylsiä|hässiä|paneskella|pano|reikä|panna|muna|paska".split(
      "|",
    ),
  more: "huora|huoran|kusipää|kusipäät".split("|"),
};
