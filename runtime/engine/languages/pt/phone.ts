// Words in Portuguese that identify a phone number.

import type { PhoneLanguage } from "../phone-part.ts";

/** The words. */
export const phone: PhoneLanguage = {
  regions: ["BR", "PT"],
  names: "telefone|telem[oó]vel|celular|zap|contato|meu n[uú]mero é(?: o)?",
  calls: "ligue|ligar|liga|chama|telefonar",
};
