// Words in Bengali that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  names: "ফোন|মোবাইল|আমার নম্বর",
  calls: "নম্বর|নাম্বার|কল|যোগাযোগ",
  isJoined: true,
};
