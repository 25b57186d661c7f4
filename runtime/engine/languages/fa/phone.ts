// Words in Persian that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  names: "تلفن|موبایل|همراه|شماره من",
  calls: "شماره|تماس|زنگ",
  isJoined: true,
};
