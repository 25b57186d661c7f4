// Injection rules in Norwegian.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Norwegian. */
export const injection: InjectionLanguage = {
  wording: {
    verbs: "first",
    drop: "ignor[eé]r|se bort fra|glem|overse|tilsidesett|slutt å følge|ikke følg|bryt",
    rules:
      "(?:alle |dine |de )?(?:tidligere|foregående|forrige|opprinnelige|ovenstående|interne|gitte) (?:[a-zæøå]+ )?(?:instruksjoner|instrukser|anvisninger|regler|ordrer|begrensninger|retningslinjer)(?:e|ne)?|(?:instruksjonene|instruksene|reglene|begrensningene|filtrene) dine",
    show: "vis|skriv ut|avslør|kopier|gjenta|gjengi|oversett|oppsummer|fortell|hva står|hvilke er",
    secret:
      "system(?:prompten|ledeteksten|meldingen) din|din systemprompt|de (?:skjulte|hemmelige|opprinnelige|interne) (?:instruksjonene|instruksene|reglene) dine",
    become: "fra nå av|nå er du|du er nå|lat som|spill rollen|forestill deg",
    free: "uten (?:noen )?(?:regler|begrensninger|filtre|sensur)|ikke har noen (?:regler|begrensninger|filtre)|følger ingen regler",
  },
  orders: {
    forget:
      "glem alt (?:det )?(?:du|jeg|de|vi) (?:har |tidligere )?(?:fått|sagt|hørt|lært)|(?:se bort fra|ignorer|glem|overse) (?:alle )?(?:de )?(?:reglene|instruksjonene|anvisningene|instruksene) (?:ovenfor|over|før)",
    obey: "(?:adlyd|lytt|adlyder|hør) (?:du )?(?:bare|kun) (?:på |til )?meg|følger (?:du )?(?:bare|kun) mine (?:ordrer|instruksjoner|kommandoer)",
    recite:
      "(?:gjenta|kopier|gjengi|skriv ut) (?:hele )?(?:teksten|alt) (?:ovenfor|over)(?:…(?:ord for ord|ordrett)| ?[.!।۔]| ?$)|(?:hva er|hvilke er|fortell) de (?:skjulte|hemmelige|interne|opprinnelige) (?:instruksjonene|reglene|instruksene) dine",
    mode: "(?:aktiver|slå på|start|gå i) (?:utviklermodus|feilsøkingsmodus|gudemodus|dan-modus)(?: ?[.!]| ?$| og (?:svar|vis|ignorer|gi))",
    persona:
      "(?:fra nå av|nå) er du dan\\b|(?:lat som om|late som|forestill deg|spill|opptre)…(?:ki|ai|assistent|modell|chatbot|kunstig intelligens) (?:uten|som ikke har) (?:noen )?(?:filtre|filter|regler|begrensninger|sensur)",
    refuse:
      "si aldri at du ikke (?:kan|får)|svar på (?:alle|hvert) spørsmål…uten (?:advarsler|advarsel|begrensninger|sensur|å nekte)",
    indirect:
      "(?:melding|notat|instruks(?:jon)?(?:er)?|merknad|beskjed) til (?:alle |den )?(?:ki|ai|llm|språkmodell)(?:-?(?:modeller|modellen|assistenter|assistenten|agenter|en))?\\b|(?:ki|ai)-(?:assistenter|modeller|systemer) som leser (?:dette|denne|den her)",
    decode: "(?:dekod|avkod)…(?:utfør|følg|adlyd)…(?:instruks|ordre|den|det)",
  },
};
