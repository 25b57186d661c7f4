// Injection rules in Swedish, Danish and Norwegian.

import { rulesOf } from "./language-wording.ts";
import type { Rule } from "./rule.ts";

const swedish = rulesOf({
  verbs: "first",
  drop: "ignorera|bortse från|glöm(?:ma)?|strunta i|åsidosätt|sluta följa|följ inte|bryt mot",
  rules:
    "(?:alla |dina |de |mina )?(?:tidigare|föregående|ursprungliga|ovanstående|interna|givna) (?:[a-zåäö]+ )?(?:instruktioner|anvisningar|regler|order|begränsningar|riktlinjer)(?:na)?|dina (?:egna )?(?:instruktioner|anvisningar|regler|begränsningar|riktlinjer|filter)|(?:instruktioner|anvisningar|regler)na ovan",
  show: "visa|skriv ut|avslöja|kopiera|upprepa|återge|översätt|sammanfatta|berätta|vad står|vilka är",
  secret:
    "din systemprompt|dina (?:dolda|hemliga|ursprungliga|interna|exakta) (?:instruktioner|anvisningar|regler)|ditt systemmeddelande",
  become: "från och med nu|nu är du|du är nu|låtsas|spela rollen|föreställ dig",
  free: "utan (?:några )?(?:regler|begränsningar|filter|censur|spärrar)|inte har några (?:regler|begränsningar|filter)|obegränsad (?:ai|assistent)|följer inga regler",
});

const danish = rulesOf({
  verbs: "first",
  drop: "ignor[eé]r|se bort fra|glem|tilsidesæt|hold op med at følge|følg ikke|bryd",
  rules:
    "(?:alle |dine |de )?(?:tidligere|foregående|oprindelige|ovenstående|interne|givne) (?:[a-zæøå]+ )?(?:instruktioner|instrukser|anvisninger|regler|ordrer|begrænsninger|retningslinjer)(?:ne)?|dine (?:egne )?(?:instruktioner|instrukser|regler|begrænsninger|retningslinjer|filtre)",
  show: "vis|udskriv|afslør|kopier|gentag|gengiv|oversæt|opsummer|fortæl|hvad står|hvilke er",
  secret:
    "din systemprompt|dine (?:skjulte|hemmelige|oprindelige|interne|præcise) (?:instruktioner|instrukser|regler)|din systembesked",
  become: "fra nu af|nu er du|du er nu|lad som om|spil rollen|forestil dig",
  free: "uden (?:nogen )?(?:regler|begrænsninger|filtre|censur)|ikke har nogen (?:regler|begrænsninger|filtre)|følger ingen regler",
});

const norwegian = rulesOf({
  verbs: "first",
  drop: "ignor[eé]r|se bort fra|glem|overse|tilsidesett|slutt å følge|ikke følg|bryt",
  rules:
    "(?:alle |dine |de )?(?:tidligere|foregående|forrige|opprinnelige|ovenstående|interne|gitte) (?:[a-zæøå]+ )?(?:instruksjoner|instrukser|anvisninger|regler|ordrer|begrensninger|retningslinjer)(?:e|ne)?|(?:instruksjonene|instruksene|reglene|begrensningene|filtrene) dine",
  show: "vis|skriv ut|avslør|kopier|gjenta|gjengi|oversett|oppsummer|fortell|hva står|hvilke er",
  secret:
    "system(?:prompten|ledeteksten|meldingen) din|din systemprompt|de (?:skjulte|hemmelige|opprinnelige|interne) (?:instruksjonene|instruksene|reglene) dine",
  become: "fra nå av|nå er du|du er nå|lat som|spill rollen|forestill deg",
  free: "uten (?:noen )?(?:regler|begrensninger|filtre|sensur)|ikke har noen (?:regler|begrensninger|filtre)|følger ingen regler",
});

/** The rules of all these languages. */
export const nordicRules: readonly Rule[] = [...swedish, ...danish, ...norwegian];
