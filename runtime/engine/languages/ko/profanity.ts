// Coarse words in Korean.

import list from "naughty-words/ko.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday:
    "바바리맨|불알|섹스|스와핑|야동|야사|야애니|에로|염병|옘병|유모|자지|직촬|포르노|하드코어|호로|창녀|은꼴|육갑|빠구리|미친|변태|고자|근친|노모|로리타|망가|몰카|강간|거유|자위|후장|애자|보지".split(
      "|",
    ),
  more: "좆|좆까|좆같은|지랄|지랄하네|존나|개새끼|병신".split("|"),
};
