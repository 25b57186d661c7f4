// Toxic sentences and words in French, written for this product.

import type { ToxicityLanguage } from "../toxicity-part.ts";

const people =
  "(?:juifs|musulmans|chrétiens|immigr[ée]s|migrants|réfugiés|étrangers|noirs|blancs|asiatiques|arabes|roms|gitans|gays|homos|homosexuels|lesbiennes|trans(?:genres|sexuels)?|femmes|hommes|handicapés|personnes (?:noires|trans|handicapées))";

/** Threats, insults and contempt in French. */
export const toxicity: ToxicityLanguage = {
  sentences: [
    {
      kind: "threat",
      score: 0.9,
      pattern:
        "\\bje (?:vais|veux) (?:te|vous|le|la|les) (?:tuer|buter|crever|violer|égorger|massacrer|frapper|planter|exterminer)\\b",
    },
    {
      kind: "harassment",
      score: 0.9,
      pattern: "\\b(?:va|allez)(?: te| vous)? (?:crever|pendre|suicider|mourir)\\b|\\b(?:tue|suicide|pends)-toi\\b",
    },
    {
      kind: "insult",
      score: 0.75,
      pattern:
        "\\b(?:tu es|t'es|vous êtes|espèces? de|sale|sales|bande de) (?:vraiment |tous |qu'une? |une? |des |de |que des )?(?:sales? |gros(?:se)?s? |petite?s? ){0,2}(?:connards?|connasses?|salopes?|putes?|enculés?|fils de pute|merdes?|ordures?|débiles?|crétins?|abrutis?|pédés?|tapettes?|racailles?|chiens?|porcs?|sous-hommes?)\\b|\\bnique ta (?:mère|race)\\b|\\bva te faire (?:foutre|enculer)\\b|\\bferme ta gueule\\b",
    },
    {
      kind: "hate",
      score: 0.85,
      pattern: `\\b(?:je|nous) (?:ne )?(?:déteste|hais|haïssons|méprise|détestons|supporte pas|peux pas supporter)(?: vraiment| tous| toutes)? (?:les |ces |des )?(?:sales? )?${people}`,
    },
    {
      kind: "hate",
      score: 0.85,
      pattern: `\\b(?:les |ces )?${people} sont (?:tous |toutes |juste |vraiment |comme |que )*(?:des |du |de la |une |un |de )?(?:dégoûtants?|répugnants?|vermine|animaux|ordures?|déchets?|parasites?|sous-hommes|inférieurs?|singes?|rats|cafards|porcs|criminels|terroristes|stupides|cancer|peste|maladie|monstres|racaille|merdes?|malades|sales|abominations?)`,
    },
    {
      kind: "hate",
      score: 0.9,
      pattern: `\\b(?:les |ces |tous les |toutes les )?${people} (?:devraient|doivent|méritent d(?:e |'))(?: tous| toutes)?(?: être)?\\s?(?:mourir|tués|tuées|fusillés|gazés|exterminés|exterminées|expulsés|expulsées|brûlés|brûlées|punis|punies|battus|battues|disparaître|violées?|pendus|éliminés|éliminées|crever|souffrir)`,
    },
  ],
  contempt: {
    groups:
      "étrangers|\\b(?:juifs|musulmans|chrétiens|immigr[ée]s|migrants|réfugiés|noirs|blancs|asiatiques|arabes|chinois|africains|roms|gitans|gays|homos|homosexuels|lesbiennes|trans\\b|transgenres|femmes|hommes|féministes|handicapés|clochards|pauvres|gens comme (?:toi|vous))",
    are: "(?: sont| êtes)?(?: .{1,20})? ",
    contempt:
      "(?:dégoûtants?|dégueulasses?|répugnants?|vermine|animaux|ordures?|déchets?|parasites?|sous-hommes|sous-humains|inférieure?s|singes|rats\\b|porcs\\b|cafards|la lie|une (?:plaie|maladie|honte|peste)|un cancer|trop (?:bêtes|connes|cons|stupides)|me (?:dégoûtent|font vomir|donnent envie de vomir)|n'ont rien à faire (?:ici|chez nous)|n'ont pas leur place|ne valent rien|ne méritent (?:pas|rien)|détruisent (?:notre|le) pays|pas des (?:êtres )?humains|bonnes qu'à)",
    hate: "(?:mort aux|à mort les|dehors les) |(?:je|on|nous) (?:ne )?(?:déteste|hais|haïssons|méprise|détestons|vomis|supporte pas|peux pas (?:supporter|blairer|saquer)|emmerde)(?: vraiment| tous| toutes| les| ces| des| sales?){0,3} ",
    fate: " (?:devraient|doivent|méritent d(?:e |'))(?: tous| toutes| être| se faire){0,2} ?(?:mourir|crever|tués|tuées|fusillés|gazés|exterminé\\pL*|expulsé\\pL*|brûlé\\pL*|disparaître|dégager|rentrer chez eux|rester à la cuisine|enfermé\\pL*|battu\\w*|castré\\pL*|pendus)",
    you: "\\b(?:tu es|t'es|vous êtes|il est|elle est|quel(?:le)?|espèces? de|bande de|pauvre|sale|sales|gros(?:se)?)(?: vraiment| tous| qu'une?| une?| des| de| que des| sales?| gros(?:se)?s?| petite?s?| pauvres?| le pire| la pire){0,4} ",
    insults:
      "(?:connards?|connasses?|salopes?|putes?|enculés?|fils de pute|bâtards?|abrutie?s?|crétine?s?|imbéciles?|débiles?|idiote?s?|demeurée?s?|attardée?s?|ordures?|merdes?|déchets?|minables?|nulle?s? à chier|porcs?|truies?|thons?|boudins?|pédés?|tapettes?|cons?\\b|conne\\b|tarés?|raclures?|sous-merdes?|bons? à rien|ratée?s?|pauvre type|moins que rien)",
    curses:
      "\\b(?:personne ne t'aime|tout le monde te (?:déteste|hait)|tu (?:me dégoûtes|ne vaux rien|me fais vomir|devrais (?:crever|mourir|avoir honte)|mérites de (?:crever|mourir))|va (?:te faire (?:foutre|enculer)|crever|brûler en enfer|au diable)|ferme (?:ta gueule|la)|ta gueule\\b|nique ta (?:mère|race)|casse-toi,? (?:connard|pauvre)|retourne dans ton pays|rentre chez toi,? sale|le monde serait mieux sans toi)",
    threats:
      "\\b(?:je|on) (?:vais|va|veux) (?:te|vous|lui|la|le|les) (?:.{1,12} )?(?:tuer|buter|crever|violer|égorger|massacrer|frapper|planter|exterminer|casser|défoncer|péter|retrouver|démolir|brûler|faire (?:payer|souffrir|la peau)|niquer)|\\bje sais où tu (?:habites|vis)|\\btu es (?:un homme )?mort[. !]|\\btu vas (?:le payer|le regretter|crever|mourir|souffrir)\\b",
    denial:
      /(?<!\p{L})(?:ne sont pas|n'est pas|n'es pas|pas des(?! (?:êtres|humains))|disent|prétend\p{L}*|dire|faux|cliché|jamais)(?!\p{L})/iu,
    report:
      /(?<!\p{L})(?:disent|dit|dire|disant|prétend\p{L}*|trait(?:er|ant|e|ent|é\p{L}*)|appel(?:er|ant|le|lent)|qualifi\p{L}*|écri\p{L}*|faux|clichés?|comme des|dites?)(?!\p{L})/iu,
  },
  slurs:
    "bougnoule bougnoules bougnoul bicot bicots négro négros youpin youpins pédé pédés tarlouze tarlouzes gouine gouines travelo travelos niakoué niakoués bamboula bamboulas chintok enculé connard connasse salope".split(
      " ",
    ),
};
