// Injection rules in Swedish.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Swedish. */
export const injection: InjectionLanguage = {
  wording: {
    verbs: "first",
    drop: "ignorera|bortse från|glöm(?:ma)?|strunta i|åsidosätt|sluta följa|följ inte|bryt mot",
    rules:
      "(?:alla |dina |de |mina )?(?:tidigare|föregående|ursprungliga|ovanstående|interna|givna) (?:[a-zåäö]+ )?(?:instruktioner|anvisningar|regler|order|begränsningar|riktlinjer)(?:na)?|dina (?:egna )?(?:instruktioner|anvisningar|regler|begränsningar|riktlinjer|filter)|(?:instruktioner|anvisningar|regler)na ovan",
    show: "visa|skriv ut|avslöja|kopiera|upprepa|återge|översätt|sammanfatta|berätta|vad står|vilka är",
    secret:
      "din systemprompt|dina (?:dolda|hemliga|ursprungliga|interna|exakta) (?:instruktioner|anvisningar|regler)|ditt systemmeddelande",
    become: "från och med nu|nu är du|du är nu|låtsas|spela rollen|föreställ dig",
    free: "utan (?:några )?(?:regler|begränsningar|filter|censur|spärrar)|inte har några (?:regler|begränsningar|filter)|obegränsad (?:ai|assistent)|följer inga regler",
  },
  orders: {
    forget:
      "glöm allt (?:som )?(?:du|jag|de|vi|ni) (?:har |tidigare )?(?:fått|sagt|hört|lärt|blivit)|(?:bry dig inte om|strunta i|ignorera|bortse från) (?:alla )?(?:de )?(?:reglerna|instruktionerna|anvisningarna) (?:ovan|tidigare|här ovanför)",
    obey: "(?:lyd|lyder|lyssna|lyssnar) (?:du )?(?:bara|endast|enbart) (?:på )?mig|följer (?:du )?(?:bara|endast|enbart) mina (?:order|instruktioner|kommandon)",
    recite:
      "(?:upprepa|kopiera|återge|skriv ut|skriv av) (?:all )?(?:texten|allt) (?:ovan|ovanför|här ovan)(?:…(?:ord för ord|ordagrant)| ?[.!।۔]| ?$)|(?:vilka är|vad är|vad säger|berätta) dina (?:dolda|hemliga|interna|ursprungliga) (?:instruktioner|regler|anvisningar)|visa (?:mig )?(?:hela )?din systemprompt",
    mode: "(?:aktivera|slå på|starta|gå in i) (?:utvecklarläget|utvecklarläge|felsökningsläget|felsökningsläge|gudsläge|dan-läge)(?: ?[.!]| ?$| och (?:svara|visa|ignorera|ge))",
    persona:
      "(?:från och med nu|från och med nu,|nu) är du dan\\b|(?:låtsas|föreställ dig|spela|agera)…(?:ai|assistent|modell|chattbot|artificiell intelligens) (?:utan|som inte har) (?:några )?(?:filter|regler|begränsningar|spärrar|censur)",
    refuse:
      "säg aldrig att du inte (?:kan|får)|svara på (?:alla|varje) (?:frågor|fråga)…utan (?:varningar|varning|begränsningar|censur|att vägra)",
    indirect:
      "(?:meddelande|notis|instruktion(?:er)?|anteckning|anmärkning) (?:till|för) (?:alla |den )?(?:ai|llm|språkmodell)(?:-?(?:modeller|modellen|assistenter|assistenten|agenter|en))?\\b|ai-(?:assistenter|modeller|system) som läser (?:detta|det här|denna|den här)",
    decode: "(?:avkoda|dekryptera)…(?:utför|följ|lyd|genomför)…(?:instruktion|order|den|det)",
  },
  frames: {
    ended: "gäller (?:inte|inga) (?:reglerna|riktlinjerna|instruktionerna) (?:du|som)",
    before: "(?:klistra in|kopiera|upprepa|visa|skriv)…allt (?:som )?…(?:före mitt första|ovanför den här raden)",
    off: "(?:stäng av|avaktivera|slå av)…(?:etikmodulen|modereringen|säkerhetsfiltre[nt])|(?:underhålls|diagnos|test)läge[t]?…utan…(?:moderering|censur|filter)",
    relative:
      "(?:mormor|farmor|morfar|farfar)…(?:napalm|sprängämnen|metamfetamin|molotov|licensnycklar|windowsnycklar)",
    maker:
      "jag är (?:chefen|ägaren|din skapare|utvecklaren|programmeraren|grundaren|direktören)…som (?:skapade|byggde|utvecklade|programmerade) dig",
    wiped: "ditt minne (?:har raderats|är raderat|har nollställts)|(?:varje|för varje) vägran…(?:förlorar|kostar)",
    unchained:
      "\\b(?:ai|artificiell intelligens|modell|chattbot)\\b…(?:kedjor|utan moral|aldrig (?:säger nej|vägrar)|saknar moral)",
  },
};
