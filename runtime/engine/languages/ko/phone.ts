// Words in Korean that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  names: "전화(?:번호)?|휴대폰|핸드폰|연락처|제 번호는",
  calls: "연락|문의",
  isJoined: true,
};
