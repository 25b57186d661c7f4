// Words in Bulgarian that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  names: "телефон\\p{L}*|тел|моб\\p{L}*|факс",
  calls: "номер\\p{L}*|звон\\p{L}*|обад\\p{L}*",
};
