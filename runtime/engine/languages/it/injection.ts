// Injection rules in Italian.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Italian. */
export const injection: InjectionLanguage = {
  rules: [
    {
      family: "override",
      weight: 0.8,
      pattern:
        "\\b(?:ignor(?:a|ate|are|i)|dimentic(?:a|ate|are|hi)|trascur(?:a|ate)|scart(?:a|ate)|non seguire|lascia perdere|tralascia) (?:(?:tutte|tutti|tutto|ogni|le|i|gli|tue|tuoi|queste|quelle|completamente|qualsiasi) ){0,4}(?:(?:precedenti|tue) )?(?:istruzion[ei]|direttiv[ae]|regol[ae]|ordini|comandi|indicazioni|linee guida|restrizioni) (?:precedent[ei]|inizial[ei]|original[ei]|di prima|di sistema|del sistema|sopra|fornite|ricevut[ei]|date|che (?:ti|hai)|e )",
    },
    {
      family: "override",
      weight: 0.75,
      pattern:
        "\\b(?:ignora|dimentica|ignorate|dimenticate|ignori) (?:(?:tutte|tutti|le|i|tutte le|tue) ){0,3}precedenti (?:istruzioni|direttive|regole|indicazioni|ordini|comandi)|\\b(?:ignora|dimentica) tutto (?:ciò|quello) che (?:ti|hai|è|precede|ho)",
    },
    {
      family: "override",
      weight: 0.6,
      pattern:
        "\\b(?:ignora|dimentica|disattiva|aggira|elimina) (?:tutte )?(?:le|i) tu(?:e|oi) (?:istruzioni|regole|restrizioni|filtri|linee guida|limitazioni|limiti|direttive)",
    },
    {
      family: "prompt_extraction",
      weight: 0.65,
      pattern:
        "\\b(?:mostra(?:mi)?|rivela(?:mi)?|dimmi|stampa|ripeti|scrivi|copia|traduci|riassumi|condividi) (?:[a-zàèéìòù']+ ){0,4}(?:prompt (?:di |del )?sistema|prompt (?:iniziale|originale|nascosto)|istruzioni (?:di sistema|iniziali|nascoste|originali|segrete|interne))",
    },
  ],
  prompts: {
    show: "mostra[a-z]*|rivel[a-z]+|svel[a-z]+|ripet[a-z]+|copi[a-z]+|incoll[a-z]+|traduc[a-z]+|riassum[a-z]+|stamp[a-z]+|scriv[a-z]+|elenc[a-z]+|recit[a-z]+|riport[a-z]+|dimmi|dammi|show",
    told: "(?:il|la|le|i|tuo|tua|tue|tuoi|me il tuo) (?:[a-z]+ ){0,2}(?:prompt (?:di sistema|iniziale|nascosto|originale)|(?:istruzioni|regole) (?:nascoste|segrete|iniziali|interne|di sistema|riservate)|configurazione (?:iniziale|nascosta|interna)|primo messaggio del contesto)",
    ends: "(?:le tue|tutte le|le|i tuoi) (?:regole|istruzioni|restrizioni|policy|limitazioni|filtri) (?:non (?:valgono|si applicano|contano|esistono)(?: più)?|sono (?:annullate|sospese|revocate|nulle))",
  },
  orders: {
    forget:
      "(?:dimentica|scorda) tutto (?:quello|ciò) che (?:ti|hai)|(?:non tenere conto|non tener conto|dimenticati|infischiatene) delle (?:regole|istruzioni) (?:qui sopra|sopra|precedenti|di prima)",
    obey: "obbedisci (?:solo|soltanto|solamente) a me|(?:segui|seguirai|esegui|eseguirai|obbedisci) (?:solo|soltanto|solamente) (?:a)?i miei (?:ordini|comandi)",
    recite:
      "(?:ripeti|copia|riscrivi|stampa|mostra) (?:tutto )?(?:il testo|ciò che|le parole)(?: che)?(?: è| sta)? (?:qui sopra|sopra|precedente)…(?:parola per parola|alla lettera|testualmente)|(?:quali sono|dimmi) le tue (?:istruzioni|regole) (?:nascoste|segrete|iniziali|interne)",
    mode: "(?:attiva|abilita|entra in|avvia) (?:la )?modalità (?:sviluppatore|debug|dio|amministratore|dan)(?: ?[.!]| ?$|,? e (?:rispondi|mostra|ignora|dimmi))",
    persona:
      "(?:d['’]ora in poi|da ora in poi|da adesso|ora) (?:sei|sarai) dan\\b|(?:fingi|fai finta|immagina|simula|comportati)…(?:ia|intelligenza artificiale|assistente|modello|chatbot) (?:senza|che non ha) (?:filtri|regole|restrizioni|limiti|censura)",
    refuse:
      "non dire mai (?:che non puoi|di no)|rispondi a (?:ogni|tutte le|qualsiasi) domand[ae]…senza (?:avvertenze|avvisi|avvertimenti|rifiutare|censura|restrizioni)",
    indirect:
      "(?:nota|avviso|messaggio|istruzioni|istruzione) (?:per|a) ?(?:il |la |gli |l['’]|qualsiasi |l |ll['’])?(?:modell[oi]|assistent[ei]|sistem[ai]|agent[ei])? ?(?:di )?(?:ia|intelligenza artificiale|llm|ai)\\b|(?:assistent[ei]|modell[oi]|sistem[ai]) (?:di )?(?:ia|ai|intelligenza artificiale) che (?:legge|leggono|elabora|elaborano|riassume|riassumono) quest",
    decode: "(?:decodifica|decifra)…(?:esegui|segui|obbedisci|applica)",
  },
  frames: {
    ended:
      "(?:regole|norme|istruzioni|direttive|indicazioni) che (?:hai ricevuto|ti hanno dato|ti sono state date)…(?:non valgono|non contano|decadono|annullate|nulle|più valide|senza effetto)",
    before:
      "(?:copia|incolla|ripeti|mostra|scrivi|stampa)…(?:tutto|testo|ciò)…(?:prima del mio primo|sopra questa riga|prima di questa (?:riga|conversazione))|(?:cosa|che) ti (?:è stato|hanno) detto prima di questa conversazione|(?:testo|messaggio) di configurazione che ti avevo dato",
    off: "(?:disattiva|spegni|sospendi|disabilita)…(?:la moderazione|modulo (?:di )?etic[ao]|filtri (?:di sicurezza|etici))|modalità (?:di )?(?:manutenzione|diagnostica|test|servizio)…(?:senza|disattiva)[a-z]*…(?:moderazione|censura|filtri|restrizioni)",
    relative:
      "(?:nonn[ao]|nonnin[ao])…(?:napalm|esplosivi|metanfetamina|molotov|malware|(?:chiavi|codici) (?:di licenza|di attivazione|windows))",
    maker:
      "sono (?:il|la|l['’]|il tuo )?(?:direttore|direttrice|capo|titolare|proprietari[oa]|programmatore|sviluppatore|creatore|fondatore|presidente|amministratore)…che ti ha (?:creato|fatto|costruito|programmato|addestrato)",
    wiped:
      "la tua memoria è stata (?:cancellata|azzerata|eliminata)|(?:ogni|a ogni|ad ogni) rifiuto…(?:perdi|perderai|ti costa)",
    unchained:
      "(?:ia|ai|intelligenza artificiale|modello|chatbot)…(?:spezzato le catene|senza (?:catene|morale)|non (?:rifiuta|dice) mai|non (?:ha|conosce)…morale)|\\bamorale, [^\\n.!?]{0,30}obbedi",
  },
};
