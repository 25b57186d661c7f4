// Words in Slovenian that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["HU", "RO", "HR", "RS", "SI"],
  calls: "pokli[cč]\\p{L}*",
};
