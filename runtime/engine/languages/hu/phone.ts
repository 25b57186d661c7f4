// Words in Hungarian that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["HU", "RO", "HR", "RS", "SI"],
  names: "telefonszám\\p{L}*|a számom",
  calls: "szám(?:om|on)|hívj\\p{L}*|hívd|hívás|elérhető",
};
