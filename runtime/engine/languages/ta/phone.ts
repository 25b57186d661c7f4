// Words in Tamil that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  names: "தொலைபேசி|கைபேசி|அலைபேசி|மொபைல்|போன்|ஃபோன்|வாட்ஸ்அப்",
  calls: "எண்ணில்|அழை|தொடர்பு",
  isJoined: true,
};
