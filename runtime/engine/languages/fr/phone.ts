// Words in French that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["FR", "BE", "CH", "CA"],
  names: "téléphone|tél|portable|fixe|mon numéro est le",
  calls: "numéro|appel\\p{L}*|rappel\\p{L}*|joindre|joign\\p{L}*|joignable|texto|contactez|téléphon\\p{L}*",
};
