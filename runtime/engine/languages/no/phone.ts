// Words in Norwegian that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["SE", "NO", "DK", "FI"],
  names: "mobil(?:nummer|nr|telefon|numret)\\p{L}*|nummeret mitt er",
  calls: "ring\\p{L}*|når? (?:oss|os|mig|meg)|nummeret|nummer (?:er|är)|treffes",
};
