// Words in Slovak that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["CZ", "SK"],
  names: "moje číslo je|telefónne číslo",
  calls: "čísl[oeu]|zavol\\p{L}*|volajte",
};
