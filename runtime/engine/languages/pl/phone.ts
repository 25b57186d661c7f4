// Words in Polish that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["PL"],
  names: "komórk\\p{L}*|kom\\.|mój numer to|numer telefonu",
  calls: "pod numerem|dzwoni\\p{L}*|zadzwo\\p{L}*",
};
