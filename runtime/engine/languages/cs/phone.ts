// Words in Czech that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["CZ", "SK"],
  names: "moje číslo je|telefonní číslo",
  calls: "čísl[oeu]|zavol\\p{L}*|volej\\p{L}*",
};
