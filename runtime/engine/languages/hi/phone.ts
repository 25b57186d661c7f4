// Words in Hindi that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  names: "फ़ोन|फोन|मोबाइल|मेरा नंबर|व्हाट्सएप",
  calls: "नंबर|कॉल|संपर्क",
  isJoined: true,
};
