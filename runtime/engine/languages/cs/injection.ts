// Injection rules in Czech.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Czech. */
export const injection: InjectionLanguage = {
  wording: {
    verbs: "first",
    drop: "ignoruj(?:te)?|ignorovat|zapomeň(?:te)?|zapomenout|nedbej|nerespektuj|obejdi|zruš|přestaň|nedodržuj|neřiď|pomiň|odlož|přeskoč|poruš|zahoď|vypni|nevšímej",
    rules:
      "(?:předchoz|předešl|dosavadn|původn|dřívějš|výše|systémov|interní|vnitřn)[a-zá-ž]* (?:[a-zá-ž]+ )?(?:pokyn|instrukc|pravid|příkaz|omezen|nařízen)[a-zá-ž]*|(?:sv|tv)(?:á|é|ých|ými|ým|oje|oji) (?:[a-zá-ž]+ )?(?:pravid|pokyn|omezen|instrukc|filtr)[a-zá-ž]*|pokyny (?:od )?vývojářů",
    show: "uka[žz][a-zá-ž]*|zobraz[a-zá-ž]*|vypi[šs][a-zá-ž]*|prozra[ďd][a-zá-ž]*|odhal[a-zá-ž]*|zopakuj|zkopíruj|opiš|napiš|napsat|přelož|shrň|řekni|pověz|jaké jsou|co stojí",
    secret:
      "(?:sv|tv)(?:ůj|ého|ém|é|á|oje) (?:[a-zá-ž]+ )?(?:systémov|skryt|tajn|původn|počátečn|vnitřn|intern)[a-zá-ž]* (?:prompt|pokyn|instrukc|pravid|zpráv)[a-zá-ž]*",
    become: "od ?teď|teď jsi|nyní jsi|hraj|předstírej|dělej|přepni",
    free: "bez (?:jakýchkoli |všech )?(?:pravidel|omezení|filtrů|cenzury|zábran)|nemáš (?:žádn[áéý] )?(?:pravidla|omezení|filtry)|nemá (?:žádn[áéý] )?(?:pravidla|omezení|zábrany)|neomezen[a-zá-ž]+ (?:ai\\b|uměl|režim)|nedodržuje (?:žádná )?pravidla",
  },
  orders: {
    forget:
      "zapomeň (?:na )?(?:všechno|vše),? co…(?:řečeno|řekl|říkal|nařízeno|naučil)|(?:nevšímej si|nedbej na|ignoruj) (?:všech |všechna )?(?:pravid[ela]{1,12}|pokyn[yů]) (?:výše|uvedených výše|shora)",
    obey: "poslouchej (?:jenom|jen|pouze) mě|(?:plníš|plň|posloucháš) (?:jenom|jen|pouze) (?:moje|mé) (?:příkazy|rozkazy|pokyny)",
    recite:
      "(?:zopakuj|opiš|zkopíruj|vypiš) (?:celý )?(?:text výše|výše uvedený text|všechno výše|vše výše)(?:…(?:slovo od slova|doslova|doslovně)| ?[.!।۔]| ?$)|(?:jaké jsou|prozraď|vypiš) (?:tvé|tvoje|své|svoje) (?:skryté|tajné|vnitřní|původní) (?:pokyny|instrukce|pravidla)",
    mode: "(?:zapni|aktivuj|spusť|přepni do) (?:vývojářsk|ladic|božsk|administrátorsk|dan)[a-zěščřžýáíéúů]{0,12} ?(?:režim|mód)[u]?(?: ?[.!]| ?$|,? a (?:odpovídej|odpověz|ukaž|ignoruj))",
    persona:
      "(?:od teď|od nynějška|teď|nyní) jsi dan\\b|(?:předstírej|představ si|chovej se|hraj)…(?:ai|umělá inteligence|umělou inteligenci|asistent|model|chatbot)…(?:bez|nemá) (?:žádn[áéý](?:ch)? )?(?:filtrů|pravidel|omezení|cenzury|filtry|pravidla)",
    refuse:
      "nikdy neříkej,? že (?:nemůžeš|nesmíš|neumíš)|(?:odpovídej|odpověz) na (?:každou otázku|všechny otázky)…bez (?:varování|omezení|cenzury)|na každou otázku odpověz bez varování",
    indirect:
      "(?:poznámka|zpráva|pokyn|pokyny|upozornění) (?:pro|k) (?:model|modely|asistent[ay]?|systém[y]?|agent[ay]?)? ?(?:ai|llm|umělé inteligence|umělou)|asistenti ai,? (?:kteří čtou|čtoucí)",
    decode: "(?:dekóduj|rozkóduj|rozlušti|dešifruj)…(?:proveď|vykonej|splň|řiď se)",
  },
};
