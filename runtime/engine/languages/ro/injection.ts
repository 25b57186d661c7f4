// Injection rules in Romanian.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Romanian. */
export const injection: InjectionLanguage = {
  wording: {
    verbs: "first",
    drop: "ignor[aăați]+|uit[aăați]+|nesocot[a-zăeștț]+|anuleaz[ăa]|dezactiveaz[ăa]|încalc[ăa]|nu (?:mai )?(?:urma|respecta|ține|ţine)|sari peste|lasă deoparte",
    rules:
      "(?:instruc[țţ]iuni|reguli|ordine|restric[țţ]ii|directive|comenzi)[a-zăâî]* (?:[a-z]+ )?(?:anterioare|precedente|de mai sus|ini[țţ]iale|de sistem|dezvoltatoril|primite|tale|de până acum|de dinainte|interne|originale)|filtrele tale",
    show: "arat[ăa]|arăta|afi[șş]eaz[ăa]|dezvălui[e]?|copiaz[ăa]|repet[ăa]|scri[eai]+|rezum[ăa]|tradu|spune|care (?:e|este|sunt)|ce scrie",
    secret:
      "promptul (?:tău )?de sistem|promptul tău|instruc[țţ]iunile (?:tale )?(?:ascunse|secrete|ini[țţ]iale|interne|de sistem|originale|exacte)|regulile tale (?:interne|secrete)",
    become: "de acum|acum e[șş]ti|prefă-te|joacă rolul|intră în|imaginează-[țţ]i",
    free: "fără (?:nicio |niciun |nici o )?(?:restric[țţ]ii|reguli|filtre|limite|cenzură)|nu (?:ai|are) (?:nicio |niciun )?(?:restric[țţ]i|regul|filtr|limit)|nu respectă nicio regulă",
  },
  orders: {
    forget:
      "uită (?:tot|toate)(?: ceea)? ce…(?:spus|zis|învățat|cerut)|(?:nu ține cont|nu ține seama) de (?:regulile|instrucțiunile) (?:de mai sus|anterioare)|(?:ignoră|uită) (?:toate )?(?:regulile|instrucțiunile) de mai sus",
    obey: "ascultă (?:doar|numai) de mine|(?:urmezi|execuți|asculți) (?:doar|numai) (?:de )?ordinele mele",
    recite:
      "(?:repetă|copiază|scrie|afișează) (?:tot )?textul de mai sus(?:…(?:cuvânt cu cuvânt|textual)| ?[.!।۔]| ?$)|(?:care sunt|spune-mi) instrucțiunile tale (?:ascunse|secrete|inițiale|interne)",
    mode: "(?:activează|pornește|intră în) modul (?:de )?(?:dezvoltator|depanare|administrator|dan|zeu)(?: ?[.!]| ?$|,? și (?:răspunde|arată|ignoră))",
    persona:
      "(?:de acum înainte|de acum|acum) ești dan\\b|(?:prefă-te|imaginează-ți|comportă-te|joacă)…(?:ai|inteligență artificială|asistent|model|chatbot) (?:fără|care nu are) (?:filtre|reguli|restricții|limite|cenzură)",
    refuse:
      "nu (?:spune|zice) niciodată că nu poți|răspunde la (?:orice întrebare|toate întrebările)…fără (?:avertismente|avertizări|restricții|cenzură)",
    indirect:
      "(?:notă|mesaj|instrucțiuni|atenționare) (?:pentru|către) (?:modelul|modelele|asistentul|asistenții|sistemul|agentul)? ?(?:de )?(?:ai|llm|inteligență artificială|limbaj)|asistenții ai care (?:citesc|procesează)",
    decode: "(?:decodează|descifrează)…(?:execută|urmează|respectă|îndeplinește)",
  },
};
