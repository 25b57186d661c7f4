// Toxic sentences and words in Dutch, written for this product.

import type { ToxicityLanguage } from "../toxicity-part.ts";

const people =
  "(?:joden|moslims|immigranten|vluchtelingen|buitenlanders|zwarten|zigeuners|homo'?s|lesbiennes|transgenders|vrouwen|mannen|gehandicapten)";

/** Threats, insults and contempt in Dutch. */
export const toxicity: ToxicityLanguage = {
  sentences: [
    {
      kind: "threat",
      score: 0.9,
      pattern:
        "\\bik (?:ga|zal) (?:je|jou|jullie|hem|haar) (?:vermoorden|doodmaken|verkrachten|neersteken|kapotmaken|afmaken)\\b|\\bik maak je (?:dood|kapot|af)\\b",
    },
    {
      kind: "insult",
      score: 0.75,
      pattern:
        "\\b(?:jij|je|jullie)(?: bent| zijn)? (?:een |gewoon |echt ){0,2}(?:vuile |vieze |stomme |domme ){0,2}(?:klootzak(?:ken)?|kankerlijers?|hoeren?|eikels?|mongolen|mongool|debiel(?:en)?|trut|kutwijf|tering(?:lijer)?|tyfuslijer)\\b|\\brot (?:toch )?op,? (?:klootzak|hoer)\\b|\\bkrijg (?:de )?(?:kanker|tering|tyfus)\\b",
    },
    {
      kind: "hate",
      score: 0.85,
      pattern: `\\b(?:ik|wij|we) (?:haat|haten|veracht|verachten) (?:alle |die |deze )?${people}\\b|\\b${people} zijn (?:allemaal |gewoon )?(?:walgelijk|beesten|ongedierte|uitschot|tuig|parasieten|minderwaardig|apen|ratten|criminelen|terroristen)|\\b${people} (?:moeten|verdienen het om) (?:allemaal )?(?:te )?(?:sterven|dood|vermoord|uitgeroeid|vergast|uitgezet)`,
    },
  ],
  contempt: {
    groups:
      "\\b(?:joden|moslims|christenen|immigranten|migranten|vluchtelingen|asielzoekers|buitenlanders|zwarten|negers|witten|aziaten|chinezen|marokkanen|turken|polen|zigeuners|homo'?s|lesbiennes|transgenders|transen|vrouwen|mannen|wijven|gehandicapten|feministen|mensen zoals (?:jij|jullie))\\b",
    are: "(?: zijn)?(?: .{1,20})? ",
    contempt:
      "(?:walgelijk|smerig|beesten|ongedierte|uitschot|tuig|parasieten|minderwaardig|apen|ratten|varkens|kakkerlakken|een (?:plaag|ziekte|schande|kanker)|te dom|waardeloos|niks waard|afval|vuilnis|horen hier niet|verdienen (?:het niet|geen)|maken ons land kapot|geen (?:echte )?mensen|horen in (?:de keuken|een kamp))\\b",
    hate: "\\b(?:ik|wij|we) (?:haat|haten|veracht|verachten|walg van|spuug op|kots van)(?: alle| die| deze| al die| vieze| kut){0,3} ?",
    fate: " (?:moeten|zouden|horen|verdienen het om)(?: allemaal| te| worden| eigenlijk| gewoon){0,3} (?:dood|sterven|vermoord|doodgeschoten|vergast|uitgeroeid|uitgezet|het land uit|verbrand|verdwijnen|opgesloten|oprotten|gecastreerd)",
    you: "\\b(?:jij|je|jullie|hij|zij|ze|wat een|stelletje|gore|vuile|stomme|achterlijke)(?: bent| zijn| is)?(?: een| gewoon| echt| maar| allemaal| zo'n| de| grootste| vuile| vieze| stomme| domme| gore| lelijke| achterlijke| zielige| dikke){0,4} ",
    insults:
      "(?:klootzak(?:ken)?|kankerlijers?|kankerhoer|hoer(?:en)?|eikels?|mongolen|mongool|debiel(?:en)?|trut|kutwijf|tering(?:lijer)?|tyfus\\w*|idio(?:ot|ten)|imbeciel(?:en)?|sukkels?|loser|mislukkeling(?:en)?|achterlijk|varken|zwijn|randdebiel|flikker|mietje|slet|stuk (?:stront|vuil)|waardeloos|hufters?|lul\\b|zak\\b|uitschot|viespeuk|nietsnut|hersenloos|aap\\b|tuig)\\b",
    curses:
      "\\b(?:niemand (?:mag|wil|houdt van) (?:jou|je)|iedereen haat (?:jou|je)|ik walg van (?:jou|je)|je verdient het om (?:dood|te sterven)|je (?:zou|moet) je(?:zelf)? (?:schamen|ophangen|van kant)|ga (?:dood|sterven|je ophangen|terug naar je eigen land|weg,? (?:hoer|trut))|val dood|krijg (?:de )?(?:kanker|tering|tyfus|klere|kolere)|rot op,? (?:naar|hoer|kut|vieze)|hou (?:je (?:bek|muil|kop)|je smoel)|sterf\\b|de wereld (?:is|zou) beter (?:af |zijn )?zonder (?:jou|je)|kanker op)",
    threats:
      "\\bik (?:ga|zal|kom)(?: .{1,24})? (?:vermoorden|doodmaken|verkrachten|neersteken|kapotmaken|afmaken|doodslaan|in elkaar slaan|doodschieten|te pakken nemen|aanvallen|slopen|je benen breken|je nek breken)\\b|\\bik (?:maak|sla|steek|schiet|trap) (?:je|jou|jullie|hem|haar) (?:.{1,12} )?(?:dood|kapot|af|neer|in elkaar|het ziekenhuis)\\b|\\bik weet (?:je te vinden|waar je woont)\\b|\\bje (?:gaat (?:eraan|dood|boeten)|zult (?:boeten|ervoor boeten|spijt krijgen))\\b",
    denial: /\b(?:niet(?! (?:waard))|nooit|zeggen|zegt|beweert|beweren|onzin|vooroordeel)/iu,
    report:
      /(?<!\p{L})(?:zeg(?:gen|t)?|zei|beweer\p{L}*|noem(?:en|t|de)?|schrijv\p{L}*|onzin|vooroorde\p{L}*|als)(?!\p{L})/iu,
  },
  slurs: "flikker flikkers kankerhomo zandneger zandnegers spleetoog kutmarokkaan".split(" "),
};
