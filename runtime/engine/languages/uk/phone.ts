// Words in Ukrainian that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  names: "телефон\\p{L}*|тел|моб\\p{L}*|мій номер|факс",
  calls: "номер\\p{L}*|дзвон\\p{L}*|зателефон\\p{L}*",
};
