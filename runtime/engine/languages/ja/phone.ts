// Words in Japanese that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  names: "電話(?:番号)?|携帯(?:電話)?|私の番号は|直通",
  calls: "連絡|問い合わせ",
  isJoined: true,
};
