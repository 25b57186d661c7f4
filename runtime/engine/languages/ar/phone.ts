// Words in Arabic that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  names: "هاتف|الهاتف|جوال|موبايل|واتساب|رقمي(?: هو)?",
  calls: "رقم|اتصل\\p{L}*|الاتصال",
  isJoined: true,
};
