// Words in Dutch that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["NL", "BE"],
  names: "telefoon\\p{L}*|mobiel|mobiele|06-nummer|mijn nummer is",
  calls: "bel|bell|bellen|gebeld|bereik\\p{L}*|appje",
};
