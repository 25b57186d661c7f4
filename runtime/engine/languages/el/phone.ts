// Words in Greek that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  names: "τηλ\\p{L}*|κινητό|ο αριθμός μου είναι|φαξ",
  calls: "αριθμ\\p{L}*|καλέ\\p{L}*|πάρε|κάλεσ\\p{L}*|στείλ\\p{L}*",
};
