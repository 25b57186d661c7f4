// Words in Spanish that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["ES", "MX", "AR", "CO", "CL", "PE"],
  names: "tel[eé]fono|m[oó]vil|celular|cel\\.?|contacto|mi n[uú]mero es(?: el)?",
  calls: "ll[aá]m\\p{L}*|marca\\p{L}*|marque|avís\\p{L}*|contáct\\p{L}*|escríbe\\p{L}*",
};
