// Words in Italian that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["IT", "CH"],
  names: "telefono|cellulare|recapito|contatto|il mio numero è",
  calls: "chiam\\p{L}*|telefona\\p{L}*|trovi al|richiam\\p{L}*",
};
