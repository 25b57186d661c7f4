// Words in Russian that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  names: "телефон\\p{L}*|тел|моб\\p{L}*|сотов\\p{L}*|мо[йї] номер|факс",
  calls: "номер\\p{L}*|звон\\p{L}*|позвон\\p{L}*",
};
