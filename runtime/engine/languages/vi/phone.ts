// Words in Vietnamese that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["VN"],
  names: "điện thoại|đt|sđt|sdt|theo số|số của tôi là",
  calls: "gọi|liên hệ|alo",
};
