// Words in Thai that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  names: "เบอร์(?:โทร)?\\p{L}{0,8}|โทร\\p{L}{0,6}|มือถือ",
  calls: "ติดต่อ|โทร",
  isJoined: true,
};
