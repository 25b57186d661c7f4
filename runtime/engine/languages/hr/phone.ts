// Words in Croatian that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["HU", "RO", "HR", "RS", "SI"],
  names: "broj telefona",
  calls: "broj|nazov\\p{L}*",
};
