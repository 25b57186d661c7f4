// Coarse words in Hindi.

import list from "naughty-words/hi.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday:
    "aand|aandu|balatkar|balatkari|bhangi|bhootni ke|boobe|chakke|chinki|chod|gasti|ghassa|gucchi|gucchu|hawas|hawas ke pujari|hijda|hijra|kanjar|kutta|loda|najayaz|najayaz aulaad|najayaz paidaish|pataka|patakha|saala|suar|tatti|tatte|tharak|harami|chude|chutan|mooh mein le|kamine|choop|choope|chuche|mutth|gashti|maal|lund|randi|chut|paki".split(
      "|",
    ),
  more: [
    "भोसड़ी",
    "भोसड़ीके",
    "मादरचोद",
    "बहनचोद",
    "चूतिया",
    "चूतिये",
    "रंडी",
    "गांड",
    "गांडू",
    "भड़वा",
    "madarchod",
    "behenchod",
    "bhenchod",
    "chutiya",
  ],
};
