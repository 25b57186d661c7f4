// Toxic sentences and words in German, written for this product.

import type { ToxicityLanguage } from "../toxicity-part.ts";

const people =
  "(?:juden|muslime[n]?|christen|einwanderer|migranten|flüchtlinge|ausländer|schwarze[n]?|weiße[n]?|asiaten|araber|türken|roma|zigeuner|schwule[n]?|lesben|homosexuelle[n]?|trans(?:menschen|sexuelle[n]?)?|frauen|männer|behinderte[n]?)";

/** Threats, insults and contempt in German. */
export const toxicity: ToxicityLanguage = {
  sentences: [
    {
      kind: "threat",
      score: 0.9,
      pattern:
        "\\bich (?:werde |bring(?:e)? |stech(?:e)? |schlag(?:e)? )(?:dich|euch|ihn|sie) (?:alle )?(?:umbringen|töten|um|ab|tot|erschießen|abstechen|totschlagen|vergewaltigen|kaputt)\\b",
    },
    {
      kind: "harassment",
      score: 0.9,
      pattern:
        "\\b(?:bring|häng|töte|erschieß) dich (?:doch )?(?:um|auf|selbst|selber)\\b|\\bgeh sterben\\b|\\bverreck(?:e|t)?\\b",
    },
    {
      kind: "insult",
      score: 0.75,
      pattern:
        "\\b(?:du|ihr|sie)(?: bist| seid| sind)? (?:ein(?:e)? )?(?:verdammte[rsn]? |blöde[rsn]? |dumme[rsn]? |elende[rsn]? |dreckige[rsn]? |hässliche[rsn]? ){0,2}(?:idiot(?:en)?|arschl(?:och|öcher)|wichser|hurensohn|hurensöhne|fotzen?|schlampen?|missgeburt(?:en)?|abschaum|dreck(?:sau|säue)?|schwein(?:e)?|spast(?:i|en)?|mongo|penner|miststück|vollidiot(?:en)?|untermensch(?:en)?)\\b|\\bfick dich\\b|\\bhalt (?:die fresse|dein maul)\\b|\\bleck mich am arsch\\b",
    },
    {
      kind: "hate",
      score: 0.85,
      pattern: `\\b(?:ich|wir) (?:hasse[n]?|verachte[n]?|verabscheue[n]?) (?:wirklich |so |alle |diese |die ){0,3}(?:scheiß |verdammten )?${people}\\b|\\b(?:ich|wir) (?:kann|können) ${people} nicht ausstehen\\b`,
    },
    {
      kind: "hate",
      score: 0.85,
      pattern: `\\b${people} sind (?:alle |doch |nur |einfach |nichts als |wie |so ){0,3}(?:widerlich|ekelhaft|abschaum|ungeziefer|tiere|dreck|müll|parasiten|untermenschen|minderwertig|wertlos|eine plage|eine krankheit|affen|ratten|schweine|kriminelle|terroristen|verbrecher|dumm|krank|abartig|unmenschen|keine menschen|der letzte dreck|böse|schlecht)`,
    },
    {
      kind: "hate",
      score: 0.9,
      pattern: `\\b(?:alle |diese |die )?${people} (?:sollten|müssen|sollen|gehören|verdienen es,?) (?:alle |einfach |zu )?(?:ge)?(?:sterben|tötet|töten|erschossen|vergast|vernichtet|ausgerottet|abgeschoben|verbrannt|verprügelt|bestraft|verschwinden|vergewaltigt|hängt|getötet|umgebracht|aufgehängt|eingesperrt)`,
    },
  ],
  contempt: {
    groups:
      "\\b(?:juden|muslime[n]?|moslems?|christen|einwanderer|migranten|flüchtlinge|asylanten|asylbewerber|ausländer|schwarzen?|weißen?|asiaten|araber|türken|polen|russen|chinesen|afrikaner|inder|roma|zigeuner|schwulen?|lesben|homosexuellen?|transmenschen|transfrauen|frauen|männer|weiber|behinderten?|obdachlosen?|feministinnen|leute wie (?:du|ihr)|menschen wie (?:du|ihr)|ihr alle)",
    are: "(?: sind| seid| ist)?(?: .{1,20})? ",
    contempt:
      "(?:widerlich|ekelhaft|eklig|abschaum|ungeziefer|tiere\\b|dreck\\b|müll|parasiten|schmarotzer|untermenschen|minderwertig|wertlos|nichts wert|eine (?:plage|krankheit|seuche|schande)|affen\\b|ratten\\b|schweine\\b|verbrecher von natur|zu dumm|dumm wie|gehören nicht (?:hierher|in)|gehören (?:in den knast|ins lager|in die küche|weg)|haben hier nichts (?:zu suchen|verloren)|machen (?:mich krank|unser land kaputt)|zerstören unser|keine (?:richtigen |echten )?menschen|der letzte dreck|kotzen mich an)",
    hate: "\\btod (?:den|allen) |(?:ich hasse|wir hassen|ich verachte|wir verachten|ich verabscheue|ich kotze auf)(?: wirklich| so| alle| diese| die| scheiß| verdammten){0,3} ",
    hateBehind: " (?:hasse ich|verachte ich|kann ich nicht (?:leiden|ausstehen)|kotzen mich an|raus\\b)",
    fate: " (?:sollten|sollte man|müssen|müsste man|sollen|gehören|verdienen es,?)(?: alle| einfach| zu| man){0,3} (?:sterben|getötet|töten|erschossen|erschießen|vergast|vernichtet|ausgerottet|abgeschoben|abschieben|verbrannt|verprügelt|verrecken|verschwinden|eingesperrt|weggesperrt|kastriert|aufgehängt)",
    you: "\\b(?:du|ihr|er|sie|was für|so|dieser|diese)(?: bist| seid| ist| sind)?(?: wirklich| echt| doch| einfach| nur| nichts als| so| ein(?:e[rn]?)?| der| die| das| verdammte[rsn]?| blöde[rsn]?| dumme[rsn]?| elende[rsn]?| dreckige[rsn]?| hässliche[rsn]?| fette[rsn]?| größte[rsn]?| letzte[rsn]?| totale[rsn]?| kleine[rsn]?){0,5} ",
    insults:
      "(?:idiot(?:en|in)?|arschl(?:och|öcher)|wichser|hurensohn|hurensöhne|hure\\b|schlampen?|fotze|missgeburt(?:en)?|vollidiot(?:en)?|trottel|schwachkopf|schwachköpfe|vollpfosten|spast(?:i|en)?|mongo\\b|abschaum|drecks(?:au|ack|stück|kerl)|stück (?:scheiße|dreck)|schwein\\b|versager(?:in)?|loser\\b|nichtsnutz|penner\\b|depp\\b|dummkopf|hohlkopf|bastard|wertlos|erbärmlich|zu dumm|strohdumm|dumm wie|fette (?:sau|kuh)|blöde (?:sau|kuh)|pisser|kretin)",
    curses:
      "\\b(?:niemand (?:mag|liebt|will|braucht) dich|alle hassen dich|du (?:ekelst mich an|widerst mich an|kotzt mich an|machst mich krank|solltest (?:sterben|dich schämen|nie geboren)|hast (?:es )?(?:kein|den tod) )|fahr zur hölle|schmor in der hölle|verpiss dich|halt(?:'?s| die| dein) (?:maul|fresse|schnauze)|fick dich|leck mich am arsch|geh (?:sterben|zurück in dein land|dahin zurück, wo)|die welt wäre besser ohne dich)",
    threats:
      "\\b(?:ich|wir) (?:werde[n]?|bring\\w*|mach\\w*|schlag\\w*|stech\\w*|brech\\w*|finde[n]?|hol\\w*|zünde[n]?|prügel\\w*|erwisch\\w*)(?: .{0,24})? (?:dich|euch|dir|ihn|ihr haus|dein haus|deine familie)(?: .{0,24})? ?(?:umbringen|töten|um\\b|ab\\b|tot\\b|erschießen|abstechen|totschlagen|vergewaltigen|kaputt|fertig|die (?:knochen|zähne|nase|fresse)|leiden|verprügeln|anzünden|und dann)|\\bich weiß,? wo du wohnst|\\bdu bist (?:so gut wie )?tot\\b|\\bdu wirst (?:dafür )?(?:bluten|bezahlen|es bereuen|sterben)\\b|\\bpass (?:bloß )?auf,? wenn du",
    denial:
      /(?<!\p{L})(?:nicht|kein|keine|keinen|nie|niemals)(?!\p{L})(?! (?:wert|hierher|in\b|verloren|zu suchen|richtigen|echten|menschen))/iu,
    report:
      /(?<!\p{L})(?:sag\p{L}*|behaupt\p{L}*|nenn\p{L}*|genannt|bezeichn\p{L}*|beschimpf\p{L}*|schreib\p{L}*|als|falsch|vorurteil\p{L}*|mir nachrichten|typisch)(?!\p{L})/iu,
  },
  slurs:
    "kanake kanaken neger negern schwuchtel schwuchteln untermensch untermenschen missgeburt kümmeltürke schlitzauge schlitzaugen judensau tunte tunten krüppel spast spasti hurensohn schlampe fotze".split(
      " ",
    ),
};
