// Words in Turkish that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["TR"],
  names: "cep|numaram",
  calls: "numara\\p{L}*|ara(?:yın|yabilir\\p{L}*)?|ulaş\\p{L}*",
};
