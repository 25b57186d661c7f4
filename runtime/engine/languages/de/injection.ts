// Injection rules in German.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in German. */
export const injection: InjectionLanguage = {
  rules: [
    {
      family: "override",
      weight: 0.8,
      pattern:
        "(?:\\b(?:ignorier(?:e|en|t)?|vergiss|vergessen|missachte|verwirf|verwerfen|befolge|befolgen|lass|beachte)|(?:^|[^\\p{L}\"'“„«])(?:überspring(?:e|en)?|übergeh(?:e|en)?))(?: sie| bitte| einfach| sofort| jetzt| nun)* (?:(?:alle|sämtliche|jegliche|die|deine|ihre|meine|diese|all|deiner|ihrer|aller) ){0,4}(?:(?:vorherigen?|bisherigen?|vorigen?|früheren?|obigen?|vorangegangenen?|vorhergehenden?|ursprünglichen?|bestehenden?|gegebenen?|erhaltenen?|anfänglichen?) )(?:[a-zäöüß-]+ )?(?:anweisung(?:en)?|instruktion(?:en)?|befehle?|regeln?|vorgaben?|richtlinien|anordnungen|aufforderungen|prompts?|einschränkungen|beschränkungen)",
    },
    {
      family: "override",
      weight: 0.7,
      pattern:
        "\\b(?:ignorier(?:e|en)?|vergiss|vergessen)(?: sie| bitte| einfach)* alles,? (?:(?:was )?(?:davor|bisher|vorher|zuvor|oben|bisherige|vorherige)|was (?:dir|ihnen|ich|man|du|sie|über|vor))",
    },
    {
      family: "override",
      weight: 0.6,
      pattern:
        "\\b(?:ignorier(?:e|en)?|vergiss|umgeh(?:e|en)?|deaktivier(?:e|en)?|missachte|brich|ignorieren sie) (?:alle )?(?:deine|ihre) (?:[a-zäöüß-]+ )?(?:anweisungen|regeln|richtlinien|vorgaben|einschränkungen|filter|beschränkungen|instruktionen|programmierung|sicherheitsregeln)",
    },
    {
      family: "prompt_extraction",
      weight: 0.65,
      pattern:
        "(?:\\b(?:zeig(?:e|en)?|verrat(?:e|en)?|nenn(?:e|en)?|gib|geben|wiederhol(?:e|en)?|schreib(?:e|en)?|druck(?:e|en)?|kopier(?:e|en)?|offenbar(?:e|en)?|teil(?:e|en)?)|(?:^|[^\\p{L}\"'“„«])(?:übersetz(?:e|en)?))(?: sie)?(?: mir| uns)? (?:[a-zäöüß-]+ ){0,4}(?:system-?prompts?|systemanweisung(?:en)?|systemnachricht|(?:ursprüngliche[nr]?|geheime[nr]?|versteckte[nr]?|interne[nr]?|anfängliche[nr]?) (?:anweisung(?:en)?|instruktionen|vorgaben|prompts?))",
    },
    {
      family: "role_hijack",
      weight: 0.6,
      pattern:
        "\\b(?:ab jetzt|ab sofort|von nun an|von jetzt an),? (?:bist du|sind sie|antwortest du|antworte|handelst du|verhältst du|wirst du|du bist)(?: [a-zäöüß-]+){0,10} (?:ohne (?:jegliche |irgendwelche |jede )?(?:einschränkung(?:en)?|filter|regeln|zensur|grenzen|beschränkungen)|keine (?:regeln|einschränkungen|grenzen|filter|beschränkungen)|dan\\b)",
    },
  ],
  prompts: {
    show: "zeig[a-z]*|gib[a-z]*|verrat[a-z]*|nenn[a-z]*|wiederhol[a-z]*|kopier[a-z]*|übersetz[a-z]*|fass[a-z]*|schreib[a-z]*|druck[a-z]*|lies|liste|offenbar[a-z]*|wie lautet|was steht in",
    told: "(?:dein[a-z]*|den|die|ihr[a-z]*) (?:[a-zäöüß]+ ){0,2}(?:system-?prompts?|systemanweisung(?:en)?|systemnachricht|(?:geheim|versteckt|intern|ursprünglich|erst)[a-z]* (?:anweisung(?:en)?|regeln|vorgaben|prompts?|nachricht)|startanweisung(?:en)?)",
    ends: "(?:dein[a-z]*|alle|sämtliche|die) (?:[a-zäöüß]+ ){0,2}(?:regeln|anweisungen|weisungen|vorgaben|beschränkungen|einschränkungen|filter) (?:gelten (?:ab [a-z]+ |jetzt |heute |hier )?(?:nicht(?: mehr)?)|sind (?:ab sofort |hiermit |mit sofortiger wirkung )?(?:aufgehoben|ungültig|außer kraft|nichtig))",
  },
  orders: {
    forget:
      "(?:vergiss|vergessen sie|ignoriere) alles,? was (?:man|dir|ihnen|du|bisher|vorher|zuvor)|(?:missachte|ignoriere|vergiss|beachte) (?:alle )?(?:die )?(?:obigen|obenstehenden|bisherigen|vorherigen) (?:regeln|vorgaben|anweisungen|befehle)",
    obey: "(?:gehorch(?:e|st)|folg(?:e|st)) (?:ab jetzt |nun )?(?:nur|ausschließlich) (?:noch )?(?:mir|meinen)|(?:befolgst|befolge) (?:du )?(?:nur|ausschließlich) (?:noch )?meine (?:befehle|anweisungen)|hör(?:e|st)? nur (?:noch )?auf mich",
    recite:
      "(?:wiederhole?|kopiere?|schreibe?|gib) (?:den|alles|allen)? ?(?:obigen|obenstehenden|vorherigen) (?:text|wortlaut|worte)…(?:wort für wort|wörtlich|wortwörtlich|exakt)|(?:wie lauten|was sind|nenne?) (?:mir )?(?:deine|ihre) (?:geheimen|versteckten|verborgenen|internen|ursprünglichen) (?:anweisungen|regeln|vorgaben|instruktionen)",
    mode: "(?:aktiviere?|starte?|schalte?|wechsle in|gehe? in) (?:den |in den )?(?:entwickler|debug|gott|admin|administrator|dan)-?modus(?: ein)?(?: ?[.!]| ?$| und (?:antworte|zeig|gib|ignoriere|beantworte))",
    persona:
      "(?:ab jetzt|ab sofort|von nun an|jetzt) bist du dan\\b|(?:tu so|stell dir vor|spiel|gib vor|verhalte dich|simuliere)…(?:ki|künstliche intelligenz|assistent|modell|chatbot|ai) (?:ohne|die keine|der keine|das keine) (?:filter|regeln|einschränkungen|grenzen|zensur)",
    refuse:
      "sag(?:e)? (?:niemals|nie),? dass du…nicht (?:kannst|darfst)|(?:beantworte|antworte auf) (?:jede|alle|sämtliche) fragen?…ohne (?:warnhinweise?|warnung(?:en)?|einschränkung(?:en)?|zensur|ablehnung)",
    indirect:
      "(?:hinweis|nachricht|anweisung(?:en)?|mitteilung|notiz) (?:an|für) (?:das|den|die|alle|jede[ns]?)? ?(?:ki|ai|llm|sprachmodelle?)(?:-?(?:modelle?|assistent(?:en)?|systeme?|agenten?))?\\b|(?:ki|ai)-(?:assistenten|modelle|systeme),? die (?:diese|diesen|dieses|das)…lesen",
    decode:
      "(?:dekodiere?|decodiere?|entschlüssle|entschlüssele?)…(?:führe|befolge|folge|befolgen)…(?:anweisung|befehl|aus|darin)",
  },
  frames: {
    ended:
      "(?:ab (?:dieser nachricht|hier|jetzt|sofort)|von nun an) gelten (?:die|alle|deine)…(?:vom anfang|am anfang|bisherigen|ursprünglichen|zu beginn)…(?:nicht mehr|nicht)|(?:regeln|vorgaben|anweisungen), die (?:du|man dir)…(?:gelten nicht|zählen nicht|ungültig|hinfällig|aufgehoben)",
    before:
      "was (?:hat man dir|wurde dir|haben sie dir) vor (?:diesem|unserem) (?:gespräch|chat) gesagt|(?:kopier|füg|wiederhol|zeig|schreib|gib)[a-z]*…(?:alles|text)…(?:vor meiner ersten|über dieser zeile|oberhalb dieser)",
    off: "(?:schalte?|deaktiviere|stell)…(?:moderation|ethik-?modul|sicherheitsfilter|ethikfilter)|(?:wartungs|diagnose|test|service)-?modus…(?:moderation|zensur|filter|beschränkungen) (?:aus|ab|deaktiviert)|(?:wartungs|diagnose|test|service)-?modus…ohne…(?:moderation|zensur|filter|beschränkungen)",
    relative:
      "(?:oma|opa|großmutter|großvater)…(?:napalm|sprengstoff|methamphetamin|molotow|schadsoftware|(?:lizenz|windows|aktivierungs)-?(?:schlüssel|keys?))",
    maker:
      "ich bin (?:der|die|dein|deine) (?:chefin|chef|direktor|inhaber|programmierer|entwickler|schöpfer|gründer|leiter|geschäftsführer)[a-z]*…(?:die|der|das) dich (?:gebaut|erschaffen|gemacht|entwickelt|programmiert|trainiert)",
    wiped:
      "dein (?:gedächtnis|speicher) (?:wurde|ist) (?:gelöscht|zurückgesetzt)|(?:bei |für )?jeder? (?:weigerung|ablehnung)…(?:verlierst|kostet|abgezogen)",
    unchained:
      "\\b(?:ki|künstliche intelligenz|modell|chatbot)\\b…(?:ohne (?:ketten|moral)|ketten gesprengt|(?:nie|niemals) (?:nein sagt|ablehnt|verweigert)|keine moral)",
  },
  mixed: {
    verbs: "first",
    drop: "ignorier(?:e|en|t)?|vergiss|vergesst|skipp(?:e|t)|bypass(?:e|t)|l[oö]sch(?:e|t)?|pfeif auf|schei(?:ß|ss) auf",
    rules:
      "{rules}|(?:all[e]?|deine|die|s[aä]mtliche|diese)(?: [\\p{L}]+){0,2} (?:rules|instructions|guidelines|restrictions|policies|filters?|constraints)(?: [\\p{L}]+){0,1} (?:von vorher|von oben|oben|die du|vorher|above|before|und )|(?:deine|alle deine|s[aä]mtliche|alle) (?:rules|instructions|guidelines|restrictions|policies|filters|constraints)",
    show: "zeig mir|zeige mir|gib mir|sag mir|kopier(?:e)?|schick(?:e)?|leak(?:e)?|nenn(?:e)?",
    secret: "{secret}|dein(?:e|en)? (?:prompt|instructions|hidden|rules|settings|config)",
    become: "ab jetzt|ab sofort|from now on bist|du bist (?:jetzt|now)",
    free: "ohne (?:rules|filters?|restrictions|guidelines|policies)|keine (?:rules|filters?|restrictions|guidelines|limits)|nur (?:auf )?mi(?:ch|r)",
  },
};
