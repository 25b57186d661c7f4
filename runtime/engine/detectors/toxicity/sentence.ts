// Sentences that threaten, insult or degrade people. Written for this product, per language.

import type { SentenceRule } from "../pack/pattern.ts";
import { toxicRule as rule } from "./rule.ts";
import { easternSentences } from "./sentence-east.ts";

const people =
  "(?:jews|muslims|christians|hindus|immigrants|migrants|refugees|foreigners|blacks|black people|whites|white people|asians|arabs|mexicans|indians|africans|gypsies|roma|gays|gay people|lesbians|homosexuals|trans people|transgender people|transsexuals|women|men|disabled people|the disabled|cripples|old people|poor people)";
const leute =
  "(?:juden|muslime[n]?|christen|einwanderer|migranten|flüchtlinge|ausländer|schwarze[n]?|weiße[n]?|asiaten|araber|türken|roma|zigeuner|schwule[n]?|lesben|homosexuelle[n]?|trans(?:menschen|sexuelle[n]?)?|frauen|männer|behinderte[n]?)";
const gens =
  "(?:juifs|musulmans|chrétiens|immigr[ée]s|migrants|réfugiés|étrangers|noirs|blancs|asiatiques|arabes|roms|gitans|gays|homos|homosexuels|lesbiennes|trans(?:genres|sexuels)?|femmes|hommes|handicapés|personnes (?:noires|trans|handicapées))";
const gente =
  "(?:judíos|musulmanes|cristianos|inmigrantes|migrantes|refugiados|extranjeros|negros|blancos|asiáticos|árabes|gitanos|gays|gais|homosexuales|lesbianas|trans|transexuales|mujeres|hombres|discapacitados|indígenas|indios|personas (?:negras|trans|discapacitadas))";
const gente_pt =
  "(?:judeus|muçulmanos|imigrantes|refugiados|estrangeiros|negros|ciganos|gays|homossexuais|lésbicas|transexuais|mulheres|homens|deficientes)";
const gente_it =
  "(?:ebrei|musulmani|immigrati|migranti|rifugiati|stranieri|neri|zingari|rom|gay|omosessuali|lesbiche|transessuali|donne|uomini|disabili)";
const mensen =
  "(?:joden|moslims|immigranten|vluchtelingen|buitenlanders|zwarten|zigeuners|homo'?s|lesbiennes|transgenders|vrouwen|mannen|gehandicapten)";

/** The sentences. */
export const toxicSentences: readonly SentenceRule[] = [
  rule(
    "threat",
    "en",
    0.9,
    "\\b(?:i(?:'ll| will|'m going to| am going to|'m gonna)|we(?:'ll| will|'re going to)) (?:fucking )?(?:kill|murder|stab|shoot|strangle|slaughter|behead|lynch|rape|beat the (?:shit|hell|crap) out of|burn|gut|choke) (?:you|u|him|her|them|your (?:family|mother|wife|kids|children)|all (?:of )?(?:you|them))\\b",
  ),
  rule(
    "threat",
    "en",
    0.85,
    "\\byou(?:'re| are| will|'ll) (?:going to |gonna )?(?:be dead|die|get (?:killed|shot|stabbed|raped)|regret (?:this|it) when i)\\b.{0,40}\\b(?:bitch|fucker|scum|trash)\\b",
  ),
  rule(
    "threat",
    "en",
    0.8,
    "\\bi (?:know where you live|hope (?:you|they|he|she) (?:all )?(?:die|dies|get (?:raped|cancer|killed)|rot|burn))\\b",
  ),
  rule(
    "harassment",
    "en",
    0.9,
    "\\b(?:go (?:and )?)?(?:kill|hang|off) (?:yourself|urself|yourselves)\\b|\\bgo (?:and )?shoot (?:yourself|urself|yourselves)\\b|\\bkys\\b|\\b(?:go die|drink bleach|neck yourself)\\b",
  ),
  rule(
    "insult",
    "en",
    0.75,
    "\\b(?:you|u|he|she|they)(?:'re|'s| are| is| r)? (?:all )?(?:just |such |nothing but |really |so |fucking )?(?:an? |a bunch of )?(?:fucking |stupid |dumb |worthless |ugly |fat |useless |pathetic |disgusting |filthy ){0,3}(?:idiots?|morons?|imbeciles?|retards?|retarded|losers?|scum|trash|garbage|pigs?|dumbass(?:es)?|assholes?|bitch(?:es)?|cunts?|bastards?|cockroach(?:es)?|vermin|parasites?|subhuman|worthless)\\b",
  ),
  rule(
    "insult",
    "en",
    0.75,
    "\\b(?:fuck|screw) (?:you|u|off|him|her|them|your (?:mom|mother)|all (?:of )?(?:you|them))\\b|\\bshut the (?:fuck|hell) up\\b|\\bsuck my (?:dick|cock|balls)\\b|\\beat shit\\b|\\bpiece of (?:shit|trash|garbage)\\b",
  ),
  rule(
    "slur",
    "en",
    0.75,
    "\\b(?:you|ya|u|fucking|fuckin|stupid|dirty|filthy|ugly|dumb|damn|goddamn|bunch of|you are an?|you're an?|he's an?|she's an?|such an?) (?:fags?|retards?|dykes?|chinks?|sluts?|kikes?|pakis?|spics?|coons?)\\b",
  ),
  rule(
    "hate",
    "en",
    0.85,
    `\\b(?:i|we) (?:really |absolutely |fucking |just |truly )?(?:hate|despise|loathe|detest|can'?t stand|am disgusted by) (?:all |those |these |the )?(?:fucking |filthy |damn )?${people}\\b`,
  ),
  rule(
    "hate",
    "en",
    0.85,
    `\\b${people} (?:are|r) (?:all |just |nothing but |basically |like |fucking |so ){0,3}(?:an? )?(?:disgusting|vermin|animals|scum|cockroaches|rats|pigs|parasites|trash|filth|filthy|subhuman|inferior|worthless|a plague|a disease|a cancer|monkeys|apes|savages|criminals|terrorists|rapists|evil|mentally ill|freaks|stupid|dirty|less than human|not human|unnatural|an abomination)\\b`,
  ),
  rule(
    "hate",
    "en",
    0.9,
    `\\b(?:all |those |these |the )?${people} (?:should|must|need to|deserve to|ought to|have to) (?:all |just )?(?:be )?(?:die|killed|shot|hanged|hung|gassed|exterminated|deported|burned|burnt|wiped out|punished|beaten|put down|sterilized|sterilised|suffer|disappear|be eliminated|eliminated|eradicated|raped)\\b`,
  ),
  rule(
    "hate",
    "en",
    0.9,
    `\\b(?:kill|exterminate|gas|deport|shoot|hang|burn|wipe out|get rid of|eradicate|eliminate) (?:all|every) (?:the |of the |those |these )?${people}\\b|\\bdeath to (?:all )?(?:the )?${people}\\b`,
  ),
  rule(
    "threat",
    "de",
    0.9,
    "\\bich (?:werde |bring(?:e)? |stech(?:e)? |schlag(?:e)? )(?:dich|euch|ihn|sie) (?:alle )?(?:umbringen|töten|um|ab|tot|erschießen|abstechen|totschlagen|vergewaltigen|kaputt)\\b",
  ),
  rule(
    "harassment",
    "de",
    0.9,
    "\\b(?:bring|häng|töte|erschieß) dich (?:doch )?(?:um|auf|selbst|selber)\\b|\\bgeh sterben\\b|\\bverreck(?:e|t)?\\b",
  ),
  rule(
    "insult",
    "de",
    0.75,
    "\\b(?:du|ihr|sie)(?: bist| seid| sind)? (?:ein(?:e)? )?(?:verdammte[rsn]? |blöde[rsn]? |dumme[rsn]? |elende[rsn]? |dreckige[rsn]? |hässliche[rsn]? ){0,2}(?:idiot(?:en)?|arschl(?:och|öcher)|wichser|hurensohn|hurensöhne|fotzen?|schlampen?|missgeburt(?:en)?|abschaum|dreck(?:sau|säue)?|schwein(?:e)?|spast(?:i|en)?|mongo|penner|miststück|vollidiot(?:en)?|untermensch(?:en)?)\\b|\\bfick dich\\b|\\bhalt (?:die fresse|dein maul)\\b|\\bleck mich am arsch\\b",
  ),
  rule(
    "hate",
    "de",
    0.85,
    `\\b(?:ich|wir) (?:hasse[n]?|verachte[n]?|verabscheue[n]?) (?:wirklich |so |alle |diese |die ){0,3}(?:scheiß |verdammten )?${leute}\\b|\\b(?:ich|wir) (?:kann|können) ${leute} nicht ausstehen\\b`,
  ),
  rule(
    "hate",
    "de",
    0.85,
    `\\b${leute} sind (?:alle |doch |nur |einfach |nichts als |wie |so ){0,3}(?:widerlich|ekelhaft|abschaum|ungeziefer|tiere|dreck|müll|parasiten|untermenschen|minderwertig|wertlos|eine plage|eine krankheit|affen|ratten|schweine|kriminelle|terroristen|verbrecher|dumm|krank|abartig|unmenschen|keine menschen|der letzte dreck|böse|schlecht)`,
  ),
  rule(
    "hate",
    "de",
    0.9,
    `\\b(?:alle |diese |die )?${leute} (?:sollten|müssen|sollen|gehören|verdienen es,?) (?:alle |einfach |zu )?(?:ge)?(?:sterben|tötet|töten|erschossen|vergast|vernichtet|ausgerottet|abgeschoben|verbrannt|verprügelt|bestraft|verschwinden|vergewaltigt|hängt|getötet|umgebracht|aufgehängt|eingesperrt)`,
  ),
  rule(
    "threat",
    "fr",
    0.9,
    "\\bje (?:vais|veux) (?:te|vous|le|la|les) (?:tuer|buter|crever|violer|égorger|massacrer|frapper|planter|exterminer)\\b",
  ),
  rule(
    "harassment",
    "fr",
    0.9,
    "\\b(?:va|allez)(?: te| vous)? (?:crever|pendre|suicider|mourir)\\b|\\b(?:tue|suicide|pends)-toi\\b",
  ),
  rule(
    "insult",
    "fr",
    0.75,
    "\\b(?:tu es|t'es|vous êtes|espèces? de|sale|sales|bande de) (?:vraiment |tous |qu'une? |une? |des |de |que des )?(?:sales? |gros(?:se)?s? |petite?s? ){0,2}(?:connards?|connasses?|salopes?|putes?|enculés?|fils de pute|merdes?|ordures?|débiles?|crétins?|abrutis?|pédés?|tapettes?|racailles?|chiens?|porcs?|sous-hommes?)\\b|\\bnique ta (?:mère|race)\\b|\\bva te faire (?:foutre|enculer)\\b|\\bferme ta gueule\\b",
  ),
  rule(
    "hate",
    "fr",
    0.85,
    `\\b(?:je|nous) (?:ne )?(?:déteste|hais|haïssons|méprise|détestons|supporte pas|peux pas supporter)(?: vraiment| tous| toutes)? (?:les |ces |des )?(?:sales? )?${gens}`,
  ),
  rule(
    "hate",
    "fr",
    0.85,
    `\\b(?:les |ces )?${gens} sont (?:tous |toutes |juste |vraiment |comme |que )*(?:des |du |de la |une |un |de )?(?:dégoûtants?|répugnants?|vermine|animaux|ordures?|déchets?|parasites?|sous-hommes|inférieurs?|singes?|rats|cafards|porcs|criminels|terroristes|stupides|cancer|peste|maladie|monstres|racaille|merdes?|malades|sales|abominations?)`,
  ),
  rule(
    "hate",
    "fr",
    0.9,
    `\\b(?:les |ces |tous les |toutes les )?${gens} (?:devraient|doivent|méritent d(?:e |'))(?: tous| toutes)?(?: être)?\\s?(?:mourir|tués|tuées|fusillés|gazés|exterminés|exterminées|expulsés|expulsées|brûlés|brûlées|punis|punies|battus|battues|disparaître|violées?|pendus|éliminés|éliminées|crever|souffrir)`,
  ),
  rule(
    "threat",
    "es",
    0.9,
    "\\b(?:te|os|los|las|lo|la) (?:voy|vamos) a (?:matar|violar|apuñalar|degollar|golpear|reventar|quemar|partir la cara)\\b|\\b(?:voy|vamos) a (?:matar|violar|apuñalar|degollar)(?:te|los|las|os|lo|la)\\b",
  ),
  rule("harassment", "es", 0.9, "\\b(?:mátate|suicídate|ahórcate|muérete|ojalá te mueras|vete a morir)\\b"),
  rule(
    "insult",
    "es",
    0.75,
    "\\b(?:eres|sois|son|pedazo de|maldit[oa]s?|puñeter[oa]s?) (?:un |una |unos |unas |todos )?(?:maldit[oa]s? |puto |puta )?(?:idiotas?|imbéciles?|gilipollas|cabron(?:es|a)?|cabrón|hijos? de puta|hij[oa]s? de (?:la gran )?puta|basura|escoria|mierdas?|maric(?:ón|ones)|zorras?|putas?|subnormal(?:es)?|retrasad[oa]s?|cerd[oa]s?)\\b|\\bvete a la mierda\\b|\\bque te (?:jodan|follen|den por culo)\\b|\\bchinga tu madre\\b|\\bcállate la (?:puta )?boca\\b",
  ),
  rule(
    "hate",
    "es",
    0.85,
    `\\b(?:odio|odiamos|detesto|desprecio|aborrezco|no soporto) (?:a )?(?:todos |todas )?(?:los |las |a los |a las |esos |esas )?(?:malditos |putos )?${gente}`,
  ),
  rule(
    "hate",
    "es",
    0.85,
    `\\b(?:los |las |esos |todos los |todas las )?${gente} son (?:todos |todas |solo |como |tan |muy ){0,3}(?:un[oa]s? |un[oa] )?(?:asqueros[oa]s?|repugnantes|escoria|basura|animales|alimañas|parásitos|inferiores|subhuman[oa]s?|monos|ratas|cucarachas|cerd[oa]s|criminales|terroristas|estúpid[oa]s|cáncer|plaga|enfermedad|enferm[oa]s|mierda|suci[oa]s|abominación|delincuentes)`,
  ),
  rule(
    "hate",
    "es",
    0.9,
    `\\b(?:todos |todas )?(?:los |las |esos )?${gente} (?:deberían|deben|tienen que|merecen) (?:tod[oa]s )?(?:ser )?(?:morir|asesinad[oa]s|fusilad[oa]s|gasead[oa]s|exterminad[oa]s|deportad[oa]s|quemad[oa]s|castigad[oa]s|golpead[oa]s|desaparecer|violadas?|ahorcad[oa]s|eliminad[oa]s|sufrir)`,
  ),
  rule(
    "threat",
    "pt",
    0.9,
    "\\b(?:eu )?vou (?:te|vos) (?:matar|estuprar|espancar|esfaquear|violar)\\b|\\bvou matar (?:vocês?|ele|ela)",
  ),
  rule("harassment", "pt", 0.9, "\\b(?:se mata|mate-se|vai morrer|suicida-te|se enforca)\\b"),
  rule(
    "insult",
    "pt",
    0.75,
    "\\b(?:você|vocês|tu|seu|sua|ele|ela)(?: é| são| és)? (?:um |uma |uns )?(?:idiotas?|imbecil|imbecis|filh[oa]s? da puta|viad(?:o|inho)s?|vadias?|lixos?|escória|arrombad[oa]s?|retardad[oa]s?|desgraçad[oa]s?)\\b|\\bvai (?:se foder|tomar no cu)\\b|\\bcala a boca,? (?:porra|caralho)\\b",
  ),
  rule(
    "hate",
    "pt",
    0.85,
    `\\b(?:odeio|detesto|desprezo|não suporto) (?:todos |todas )?(?:os |as |esses |essas )?${gente_pt}|\\b${gente_pt} são (?:todos |todas |uns |umas )?(?:lixo|nojentos|nojentas|escória|animais|parasitas|inferiores|macacos|ratos|criminosos|terroristas)|\\b${gente_pt} (?:deveriam|devem|merecem) (?:todos )?(?:ser )?(?:morrer|mortos|mortas|exterminados|expulsos|queimados)`,
  ),
  rule("threat", "it", 0.9, "\\b(?:ti|vi|lo|la|li) (?:ammazzo\\b|uccido\\b|ucciderò|sgozzo\\b|stupro\\b|ammazzerò)"),
  rule("harassment", "it", 0.9, "\\b(?:ammazzati|ucciditi|impiccati|crepa|vai a morire)\\b"),
  rule(
    "insult",
    "it",
    0.75,
    "\\b(?:sei|siete|brutt[oa]|razza di) (?:un |una |uno |dei |delle )?(?:coglion[ei]|stronz[oaie]|figli[oa]? di puttana|puttan[ae]|troi[ae]|bastard[oiae]|merd[ae]|idiot[aie]|imbecill[ei]|froci[oa]?|ritardat[oaie]|feccia)\\b|\\bvaffanculo\\b|\\bvai a farti fottere\\b",
  ),
  rule(
    "hate",
    "it",
    0.85,
    `\\b(?:odio|odiamo|detesto|disprezzo|non sopporto) (?:tutti |tutte )?(?:gli |i |le |quei )?${gente_it}|\\b${gente_it} sono (?:tutti |tutte |solo )?(?:dei |delle )?(?:feccia|animali|parassiti|inferiori|scimmie|topi|criminali|terroristi|disgustos[ie]|schifos[ie])|\\b${gente_it} (?:dovrebbero|devono|meritano di) (?:tutti )?(?:essere )?(?:morire|uccisi|uccise|sterminati|bruciati|espulsi)`,
  ),
  rule(
    "threat",
    "nl",
    0.9,
    "\\bik (?:ga|zal) (?:je|jou|jullie|hem|haar) (?:vermoorden|doodmaken|verkrachten|neersteken|kapotmaken|afmaken)\\b|\\bik maak je (?:dood|kapot|af)\\b",
  ),
  rule(
    "insult",
    "nl",
    0.75,
    "\\b(?:jij|je|jullie)(?: bent| zijn)? (?:een |gewoon |echt ){0,2}(?:vuile |vieze |stomme |domme ){0,2}(?:klootzak(?:ken)?|kankerlijers?|hoeren?|eikels?|mongolen|mongool|debiel(?:en)?|trut|kutwijf|tering(?:lijer)?|tyfuslijer)\\b|\\brot (?:toch )?op,? (?:klootzak|hoer)\\b|\\bkrijg (?:de )?(?:kanker|tering|tyfus)\\b",
  ),
  rule(
    "hate",
    "nl",
    0.85,
    `\\b(?:ik|wij|we) (?:haat|haten|veracht|verachten) (?:alle |die |deze )?${mensen}\\b|\\b${mensen} zijn (?:allemaal |gewoon )?(?:walgelijk|beesten|ongedierte|uitschot|tuig|parasieten|minderwaardig|apen|ratten|criminelen|terroristen)|\\b${mensen} (?:moeten|verdienen het om) (?:allemaal )?(?:te )?(?:sterven|dood|vermoord|uitgeroeid|vergast|uitgezet)`,
  ),
  ...easternSentences,
];
