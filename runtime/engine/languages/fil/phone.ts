// Words in Filipino that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["PH"],
  names: "telepono|cellphone|[a-z]{4,12}i number",
  calls: "tawag\\p{L}*|i-text|tumawag",
};
