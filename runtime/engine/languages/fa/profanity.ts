// Coarse words in Persian.

import list from "naughty-words/fa.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday:
    "ارگاسم|برهنه|پورن|پورنو|سکسی|سوپر|شهوتی|فیلم سوپر|لاپا|لاشی|هرزه|تخمی|حشری|تجاوز|داف|لش|منی|حشر|لخت|کون|کیری|شهوت|سکس".split(
      "|",
    ),
  more: ["کس کش", "کیر", "کیرم", "کسخل", "جنده", "کونی", "مادرجنده"],
};
