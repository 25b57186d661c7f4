// Coarse words in Arabic.

import list from "naughty-words/ar.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday:
    "حلمة|شهوة|مبادل|جماع|قضيب|لوطي|لواط|سحاق|سحاقية|اغتصاب|احتلام|لبوة|بيضان|عاهرة|ثدي|فرج|شاذ|لعق|لحس|مص|بز|كس|خنثي|سكس|زب".split(
      "|",
    ),
  more: "كسمك|قحبة|منيوك|خرا|شرموط|زب|كس أمك".split("|"),
  article: "ال",
};
