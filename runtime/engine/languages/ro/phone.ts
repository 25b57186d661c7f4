// Words in Romanian that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["HU", "RO", "HR", "RS", "SI"],
  names: "num[aă]rul meu este",
  calls: "num[aă]r(?:ul)?|sun[aă]\\p{L}*|apela[tț]i",
};
