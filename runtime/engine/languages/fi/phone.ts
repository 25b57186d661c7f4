// Words in Finnish that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["SE", "NO", "DK", "FI"],
  names: "puhelin\\p{L}*|puh|numeroni on",
  calls: "soit\\p{L}*|tavoit\\p{L}*|numero(?:on|sta|ssa)",
};
