// Words in Indonesian that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["ID", "MY"],
  names: "telp|telepon|no\\.? ?hp|h/p|nomor saya",
  calls: "wa|nomor|hubungi|telefon|menelepon|menghubungi",
};
