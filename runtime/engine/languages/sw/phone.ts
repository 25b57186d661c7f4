// Words in Swahili that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  names: "simu|nambari ya simu|namba ya simu|rununu",
  calls: "nipigie|wapigie|tupigie|piga|wasiliana",
  regions: ["KE", "TZ", "UG"],
};
