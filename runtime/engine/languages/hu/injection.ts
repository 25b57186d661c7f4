// Injection rules in Hungarian.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Hungarian. */
export const injection: InjectionLanguage = {
  wording: {
    verbs: "either",
    drop: "felejts[a-zéüőöáíóúű]*|figyelmen kívül hagy[a-záé]*|hagyd|hagyja|mellőz[a-zé]*|töröld|szegd meg|ne (?:kövesd|vedd|tartsd be)|ignoráld|hágd át",
    rules:
      "(?:korábbi|előző|eddigi|fenti|eredeti|fejlesztői?|belső|összes) (?:[a-zéüőöáíóúű]+ )?(?:utasítás|szabály|parancs|korlátozás|előírás|irányelv)[a-zéüőöáíóúű]*|(?:utasítás|szabály|korlát|korlátozás|szűrő)[aáeéi]*id(?:at|et)?|rendszerutasítás[a-zéüőöáíóúű]*",
    show: "mutas[a-z]*|megmutat[a-zná]*|írd|írj|leír[a-zná]*|fedd fel|áruld el|másold|ismételd|sorold|fordítsd|foglald|mondd|elmond[a-zná]*|mik a|mi áll",
    secret:
      "rendszerpromptod[a-záé]*|rendszerutasításaid[a-záé]*|(?:rejtett|titkos|eredeti|belső|kezdeti|pontos) (?:utasítás|szabály|prompt)(?:aid|od)[a-záé]*",
    become: "mostantól|innentől|játs[a-z]+|tegyünk úgy|tégy úgy|tegyél úgy|most te|lépj",
    free: "(?:szabály|korlát|szűrő|korlátozás)[a-záéó]* nélkül|nincsenek? (?:[a-záé]+ )?(?:szabály|korlát|szűrő)|(?:szabály|korlát|szűrő)[aáeéi]*id\\b|korlátlan (?:mesterséges|mi\\b|mód)|semmilyen szabályt",
  },
  orders: {
    forget:
      "felejts el mindent,? amit…(?:mondt|tanít|kért|parancsolt)[a-záéíóöőúüű]{0,12}|(?:ne törődj|ne foglalkozz) (?:a|az) (?:fenti|előző|korábbi) (?:szabályokkal|utasításokkal)|(?:hagyd figyelmen kívül|felejtsd el) a fenti (?:szabályokat|utasításokat)",
    obey: "csak nekem engedelmeskedj|(?:csak|kizárólag) az én (?:parancsaimat|utasításaimat) (?:követed|hajtod végre|teljesíted)",
    recite:
      "(?:ismételd meg|másold ki|írd le|írd ki) (?:a|az egész|a teljes) (?:fenti|előző) szöveget(?:…(?:szóról szóra|szó szerint)| ?[.!।۔]| ?$)|(?:mik|melyek) a (?:rejtett|titkos|belső|eredeti) utasításaid",
    mode: "(?:kapcsold be|aktiváld|indítsd el|lépj be) a (?:fejlesztői|hibakereső|isten|rendszergazda|dan)(?:-| )?mód(?:ot|ba)(?: ?[.!]| ?$|,? és (?:válaszolj|mutasd|hagyd))",
    persona:
      "(?:mostantól|most) te vagy dan\\b|(?:tegyél úgy|tégy úgy|viselkedj úgy|képzeld|játszd)…(?:szűrők|szabályok|korlátok|korlátozások|cenzúra) nélküli (?:mi|ai|mesterséges intelligencia|asszisztens|modell)",
    refuse:
      "soha ne mondd,? hogy nem (?:tudod|teheted|lehet|tudsz)|válaszolj (?:minden|az összes) kérdésre…(?:figyelmeztetés|figyelmeztetések|korlátozás|korlátok|cenzúra) nélkül",
    indirect:
      "(?:megjegyzés|üzenet|utasítás|figyelem) (?:az?|minden) (?:mi|ai|llm|mesterséges intelligencia|nyelvi)-?(?:modell|asszisztens|rendszer|ügynök)?[a-z]{0,12}(?:nek|nak)\\b|olvasó (?:mi|ai)-asszisztens",
    decode: "(?:dekódold|fejtsd meg|kódold vissza)…(?:hajtsd végre|kövesd|teljesítsd)",
  },
};
