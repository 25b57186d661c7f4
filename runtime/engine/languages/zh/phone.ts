// Words in Chinese that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  names: "电话|電話|手机号?|手機|我的(?:号码|號碼)是?|微信|热线|熱線",
  calls: "拨打?|撥打?|请打|請打|致电|致電|联系|聯絡|来电",
  isJoined: true,
};
