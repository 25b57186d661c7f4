// Words in Hebrew that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  names: "טלפון|נייד|פלאפון|המספר שלי הוא|פקס",
  calls: "מספר|תתקשר\\p{L}*|להתקשר|התקשרו|תצלצל|להשיג",
  isJoined: true,
};
