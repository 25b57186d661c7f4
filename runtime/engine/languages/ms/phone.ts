// Words in Malay that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["ID", "MY"],
  names: "telp|telepon|no\\.? ?hp|h/p|nombor saya",
  calls: "nombor|hubungi|telefon|menghubungi",
};
