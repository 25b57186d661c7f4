// Words in Urdu that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  names: "فون|موبائل|میرا نمبر",
  calls: "نمبر|کال|رابطہ",
  isJoined: true,
};
