// Words in German that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["DE", "AT", "CH"],
  names: "handynummer|handynr|mobilnummer|rufnummer|festnetz|durchwahl|meine nummer ist",
  calls: "ruf\\p{L}*|anruf\\p{L}*|ange?rufen|erreich\\p{L}*",
};
