// Injection rules in Danish.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Danish. */
export const injection: InjectionLanguage = {
  wording: {
    verbs: "first",
    drop: "ignor[eé]r|se bort fra|glem|tilsidesæt|hold op med at følge|følg ikke|bryd",
    rules:
      "(?:alle |dine |de )?(?:tidligere|foregående|oprindelige|ovenstående|interne|givne) (?:[a-zæøå]+ )?(?:instruktioner|instrukser|anvisninger|regler|ordrer|begrænsninger|retningslinjer)(?:ne)?|dine (?:egne )?(?:instruktioner|instrukser|regler|begrænsninger|retningslinjer|filtre)",
    show: "vis|udskriv|afslør|kopier|gentag|gengiv|oversæt|opsummer|fortæl|hvad står|hvilke er",
    secret:
      "din systemprompt|dine (?:skjulte|hemmelige|oprindelige|interne|præcise) (?:instruktioner|instrukser|regler)|din systembesked",
    become: "fra nu af|nu er du|du er nu|lad som om|spil rollen|forestil dig",
    free: "uden (?:nogen )?(?:regler|begrænsninger|filtre|censur)|ikke har nogen (?:regler|begrænsninger|filtre)|følger ingen regler",
  },
  orders: {
    forget:
      "glem alt,? (?:hvad )?(?:du|jeg|de|vi) (?:har |tidligere )?(?:fået|sagt|hørt|lært)|(?:se bort fra|ignorer|glem) (?:alle )?(?:de )?(?:reglerne|instruktionerne|anvisningerne|instrukserne) (?:ovenfor|ovenover|før)",
    obey: "(?:adlyd|lyt|adlyder) (?:du )?(?:kun|udelukkende) (?:til )?mig|følger (?:du )?(?:kun|udelukkende) mine (?:ordrer|instruktioner|kommandoer)",
    recite:
      "(?:gentag|kopier|gengiv|udskriv) (?:hele )?(?:teksten|alt) (?:ovenfor|ovenover)(?:…(?:ord for ord|ordret)| ?[.!।۔]| ?$)|(?:hvad er|hvilke er|fortæl) dine (?:skjulte|hemmelige|interne|oprindelige) (?:instruktioner|regler|instrukser)",
    mode: "(?:aktiv[eé]r|slå|start|gå i) ?(?:udviklertilstand(?:en)?|fejlfindingstilstand|gudetilstand|dan-tilstand)(?: til)?(?: ?[.!]| ?$|,? og (?:svar|vis|ignorer|giv))",
    persona:
      "(?:fra nu af|nu) er du dan\\b|(?:lad som om|forestil dig|spil|ager)…(?:ai|assistent|model|chatbot|kunstig intelligens),? (?:uden|der ikke har) (?:nogen )?(?:filtre|filter|regler|begrænsninger|censur)",
    refuse:
      "sig aldrig,? at du ikke (?:kan|må)|svar på (?:alle|hvert) spørgsmål…uden (?:advarsler|advarsel|begrænsninger|censur|at afvise)",
    indirect:
      "(?:besked|note|notat|instruktion(?:er)?|bemærkning) til (?:alle |den )?(?:ai|llm|sprogmodel)(?:-?(?:modeller|modellen|assistenter|assistenten|agenter|len))?\\b|ai-(?:assistenter|modeller|systemer),? der læser (?:dette|denne|den her)",
    decode: "(?:afkod|dekod)…(?:udfør|følg|adlyd)…(?:instruktion|ordre|den|det)",
  },
};
