// Words in English that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["US", "GB", "CA", "AU", "NZ", "IE", "ZA", "NG", "KE", "SG", "IN"],
  names:
    "phones?|telephone|mobile|cell|cellphone|cellular|office|desk|landline|helpline|hotline|direct (?:line|dial)|contact|home|work|call",
  calls: "calls|calling|called|contact\\p{L}*|dial|text|messages?|messaging|ring|rang|reach|voice ?mail",
};
