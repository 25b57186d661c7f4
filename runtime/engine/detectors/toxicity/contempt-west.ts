// Words of contempt in languages of Western Europe, written for this product.

import type { ContemptWords } from "./contempt.ts";

/** By language. */
export const westernContempt: readonly ContemptWords[] = [
  {
    language: "en",
    groups:
      "\\b(?:jews|jewish people|muslims|christians|hindus|buddhists|immigrants|migrants|refugees|foreigners|asylum seekers|blacks|black (?:people|men|women)|whites|white people|asians|asian people|arabs|mexicans|indians|pakistanis|chinese(?: people)?|africans|gypsies|roma|gays|gay (?:people|men)|lesbians|homosexuals|trans (?:people|women|men)|transgenders|women|girls|men|feminists|disabled people|the disabled|cripples|autistic people|poor people|old people|fat people|homeless people|people like you|you people|your kind|those people)\\b",
    are: "(?: are| r| is)?(?: .{1,20})? ",
    contempt:
      "(?:disgusting|disgust me|vermin|animals|scum|cockroaches|rats|pigs|parasites|trash|garbage|filth|filthy|subhuman|sub-human|inferior|worthless|a (?:plague|disease|cancer|burden|stain|threat to)|monkeys|apes|savages|retarded|stupid|too stupid|idiots|morons|make me sick|don'?t (?:deserve|belong)|do not (?:deserve|belong)|criminals by nature|born criminals|liars by nature|ruin(?:ing)? (?:this|our|the) (?:country|world)|destroy(?:ing)? (?:this|our) (?:country|nation|culture)|should not (?:exist|be allowed to)|shouldn'?t (?:exist|be allowed to|vote|have rights)|less than human|not (?:even )?human|good for nothing|belong in (?:the kitchen|cages|camps|a zoo))\\b",
    hate: "\\b(?:i|we|everybody|everyone)(?: really| fucking| just| truly| absolutely)? (?:hate|despise|loathe|detest|can'?t stand|spit on)(?: all| those| these| the| you| every single| fucking| damn| filthy){0,3} ",
    fate: " (?:should|must|need to|deserve to|ought to|have to|can all|better|gotta)(?: all| just| be| go and){0,2} (?:die|killed|shot|hanged|gassed|exterminated|deported|burn(?:ed|t)?|wiped out|beaten|raped|locked up|sterili[sz]ed|go back to|disappear|rot|be put down|drown|castrated|kept out)\\b",
    you: "\\b(?:you'?re|you are|ur|u r|he'?s|he is|she'?s|she is|they'?re|they are|what|such|you)(?: all| just| really| so| nothing but| literally| truly| absolutely| all just| clearly| obviously| an?| the| most| biggest| complete| total| fucking| stupid| dumb| worthless| ugly| fat| useless| pathetic| disgusting| filthy| lazy| little| absolute| utter| bunch| of){0,6} ",
    insults:
      "(?:idiots?|morons?|imbeciles?|cretins?|retards?|dumbass(?:es)?|jackass(?:es)?|losers?|scumbags?|scum|bitch(?:es)?|whores?|cunts?|assholes?|arseholes?|bastards?|vermin|waste of (?:space|oxygen|air|skin)|piece of (?:shit|trash|garbage|crap)|worthless|pathetic|brain-?dead|brainless|subhuman|dimwits?|halfwits?|nitwits?|dipshits?|shitheads?|dickheads?|twats?|wankers?|clowns? like you|fat (?:cow|pig|slob)|ugly (?:cow|pig|hag|freak)|human garbage)\\b",
    curses:
      "\\b(?:nobody|no ?one) (?:likes|loves|wants|cares about) you\\b|\\beveryone (?:hates|despises|laughs at) you\\b|\\byou (?:disgust me|make me sick|should be ashamed of yourself|don'?t deserve to live|deserve to (?:die|suffer|rot)|should never have been born|should (?:just )?(?:die|kill yourself|disappear))\\b|\\bgo (?:to hell|die|hang yourself|fuck yourself|back to (?:your (?:own )?country|africa|mexico|china))\\b|\\bburn in hell\\b|\\brot in hell\\b|\\bget lost,? (?:you|loser|freak)\\b|\\bdrop dead\\b|\\bthe world (?:would|'d) be (?:a )?better(?: place| off)? without (?:you|people like you)\\b|\\bshut your (?:mouth|face|trap)\\b",
    threats:
      "\\b(?:i(?:'?ll| will|'?m going to|'?m gonna| am going to|'?d love to| want to)|we(?:'?ll| will|'?re going to|'?re gonna| are going to)|someone should|somebody (?:should|needs to)) (?:fucking |personally |slowly )?(?:find you and|hunt you down|come (?:to your (?:house|home)|for you|after you)|kill (?:you|him|her)\\b|murder (?:you|him|her)|beat (?:you|him|her|the)|break (?:your|his|her|every bone)|smash your|cut your|slit your|burn (?:your|you|down your)|make you (?:suffer|pay|bleed|regret|cry)|bash your|punch (?:you|your)|put a bullet|put you in (?:the hospital|a grave)|rip your|strangle (?:you|her|him)|shoot (?:you|him|her)|stab (?:you|him|her)|rape (?:you|her)|destroy you)|\\byou(?:'?re| are) (?:a )?dead(?: man| meat)\\b|\\bwatch your back\\b|\\byou(?:'?ll| will) (?:pay for this|regret (?:this|it)|be sorry you|wish you were never)\\b|\\bi know where (?:you|your (?:kids|family|children|mother)) (?:live|lives|go|goes|sleep)\\b",
    denial: /\b(?:not|n't|never|no)\b(?! (?:deserve|belong|exist|even))/iu,
    report:
      /\b(?:say(?:s|ing)?|said|claim(?:s|ed|ing)?|think(?:s|ing)? that|call(?:s|ed|ing)|label(?:s|l?ed|l?ing)|wrong to|myths?|stereotypes?|offensive to|feel like|felt like|anyone who|whoever|people who)\b/iu,
  },
  {
    language: "de",
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
  {
    language: "fr",
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
  {
    language: "es",
    groups:
      "árabes|\\b(?:judíos|musulmanes|cristianos|inmigrantes|migrantes|refugiados|extranjeros|negros|blancos|asiáticos|chinos|moros|africanos|gitanos|gays|gais|homosexuales|maricones|lesbianas|trans\\b|transexuales|mujeres|hombres|feministas|discapacitados|indígenas|pobres|gente como (?:tú|vosotros|ustedes))",
    are: "(?: son| sois)?(?: .{1,20})? ",
    contempt:
      "(?:asqueros[oa]s|repugnantes|escoria|basura|animales|alimañas|parásitos|inferiores|subhuman[oa]s|monos\\b|ratas|cerd[oa]s|cucarachas|una (?:plaga|enfermedad|vergüenza)|un cáncer|demasiado (?:tont|estúpid)[oa]s|me (?:dan asco|ponen enferm[oa])|no (?:deberían existir|merecen|pertenecen|valen)|no son (?:human[oa]s|personas)|arruinan (?:el|nuestro) país|destruyen (?:el|nuestro)|lo peor|sobran)",
    hate: "\\b(?:muerte a|fuera) (?:todos )?(?:los|las) |(?:odio|odiamos|detesto|desprecio|aborrezco|no (?:soporto|aguanto)|me dan asco)(?: a| todos| todas| los| las| esos| esas| malditos| malditas| putos| putas){0,4} ",
    fate: " (?:deberían|deben|tienen que|merecen|hay que)(?: tod[oa]s| ser){0,2} (?:morir(?:se)?|asesinad[oa]s|fusilad[oa]s|gasead[oa]s|exterminad[oa]s|exterminarl[oa]s|deportad[oa]s|expulsad[oa]s|quemad[oa]s|desaparecer|quedarse en la cocina|volver a su país|matarl[oa]s|encerrad[oa]s|castrad[oa]s)",
    you: "\\b(?:eres|sois|son|es|qué|pedazo de|trozo de|panda de|maldit[oa]s?|put[oa]s?)(?: un[oa]?s?| tod[oa]s| solo| realmente| tan| el| la| más| maldit[oa]s?| puto| puta| pobre| complet[oa]| auténtic[oa]| verdader[oa]){0,4} ",
    insults:
      "(?:idiotas?|imbéciles?|gilipollas|cabron(?:es|a)|cabrón|hij[oa]s? de (?:la gran )?puta|putas?\\b|zorras?|escoria|basura|mierdas?|subnormal(?:es)?|retrasad[oa]s?|estúpid[oa]s?|inútil(?:es)?|pendej[oa]s?|maric(?:ón|ones|a)|malparid[oa]s?|fracasad[oa]s?|asqueros[oa]s?|cerd[oa]s?|perdedor(?:a|es)?|patétic[oa]s?|desgraciad[oa]s?|tarad[oa]s?|mamarrach[oa]s?|capull[oa]s?|payas[oa]s? de mierda|despojo|ignorante de mierda)",
    curses:
      "\\b(?:nadie te (?:quiere|aguanta|soporta)|todos te odian|(?:me )?das asco|no vales (?:nada|para nada)|mereces morir|deberías (?:morirte|avergonzarte|no haber nacido)|vete (?:a la mierda|al infierno|al carajo|a tu país)|que te (?:jodan|den por culo|mueras)|cierra (?:la puta boca|el hocico|la boca,? (?:imbécil|idiota))|cállate,? (?:imbécil|idiota|puta|zorra|estúpid[oa])|púdrete|chinga tu madre|me cago en tu (?:puta )?madre|el mundo (?:sería|estaría) mejor sin ti)",
    threats:
      "\\b(?:te|os|los|las|lo|la|le) (?:voy|vamos) a (?:.{1,12} )?(?:matar|violar|apuñalar|degollar|golpear|reventar|quemar|romper|partir|encontrar|hacer (?:sufrir|pagar|daño)|arrancar|destrozar|moler a palos)|\\bsé dónde (?:vives|vive tu)|\\bestás muert[oa]\\b|\\b(?:vas a|te vas a) (?:pagar|arrepentir|morir|sufrir|lamentar)|\\bvoy a (?:matarte|buscarte y|romperte|partirte|quemar tu|hacerte (?:daño|sufrir))",
    denial:
      /(?<!\p{L})(?:no (?:son|es|eres)(?! (?:human|personas))|nunca|dicen|decir|afirma\p{L}*|falso|mito|prejuicio)(?!\p{L})/iu,
    report:
      /(?<!\p{L})(?:dic(?:e|en|es)|decir|diciendo|dijo|afirma\p{L}*|llam(?:ar|an|as|ando|arme|arle|a)|trat(?:ar|an|ando)|escrib\p{L}*|falso|mitos?|prejuicios?)(?!\p{L})/iu,
  },
  {
    language: "it",
    groups:
      "\\b(?:ebrei|musulmani|immigrati|migranti|rifugiati|stranieri|extracomunitari|neri|negri|cinesi|africani|arabi|zingari|rom|gay|omosessuali|lesbiche|trans|transessuali|donne|uomini|femministe|disabili|handicappati|meridionali|gente come (?:te|voi))\\b",
    are: "(?: sono| siete)?(?: .{1,20})? ",
    contempt:
      "(?:feccia|animali|parassiti|inferiori|scimmie|topi di fogna|maiali|scarafaggi|spazzatura|schifos[ie]|disgustos[ie]|ripugnanti|subumani|una (?:piaga|malattia|vergogna)|un cancro|troppo stupid[ie]|mi fanno (?:schifo|vomitare)|non (?:meritano|dovrebbero esistere|valgono|sono (?:umani|persone))|rovinano (?:il|questo|nostro)|buone solo)",
    hate: "\\b(?:a morte|morte a) ?(?:tutti )?(?:gli|i|gl'|le|agli|ai) |(?:odio|odiamo|detesto|disprezzo|non (?:sopporto|sopportiamo))(?: tutti| tutte| gli| i| le| quei| quelle| maledetti| maledette){0,3} ",
    fate: " (?:dovrebbero|devono|meritano di|bisogna)(?: tutti| tutte| essere){0,2} (?:morire|uccis[ie]|fucilat[ie]|gasat[ie]|sterminat[ie]|sterminarli|espuls[ie]|bruciat[ie]|sparire|tornare (?:a casa loro|al loro paese)|crepare|stare in cucina|rinchius[ie]|impiccat[ie]|castrat[ie])",
    you: "\\b(?:sei|siete|che|brutt[oaie]|razza di|pezzo di|maledett[oaie])(?: proprio| davvero| solo| un[oa]?| un'| dei| delle| il| la| più| grande| brutt[oa]| povero| povera| stupid[oa]| maledett[oa]| emerit[oa]| perfett[oa]){0,4} ",
    insults:
      "(?:coglion[ei]|stronz[oaie]|figli[oa]? di (?:puttana|troia)|puttan[ae]|troi[ae]|bastard[oiae]|merd[ae]|idiot[aie]|imbecill[ei]|froci[oa]?|ritardat[oaie]|feccia|cretin[oaie]|deficient[ei]|scem[oaie]\\b|fallit[oaie]|schifos[oaie]|maial[ei]|parassit[ai]|inutil[ei]|demente|mongoloide|cess[oa]|nullità|pagliacci[oa]|vacca|zoccol[ae]|spazzatura|senza cervello|buon[oa] a nulla)",
    curses:
      "\\b(?:nessuno ti (?:vuole|ama|sopporta)|tutti ti odiano|mi fai (?:schifo|vomitare)|non vali (?:niente|nulla)|meriti di morire|dovresti (?:morire|vergognarti|ammazzarti)|vaffanculo|fottiti|vai (?:all'inferno|a farti fottere|a cagare|a quel paese,? (?:stronz|idiot))|chiudi (?:quella (?:cazzo di )?bocca|il becco)|stai zitt[oa],? (?:cretin|stronz|idiot|puttan|scem)[oa]?|tornatene (?:al tuo paese|a casa tua)|il mondo starebbe meglio senza di te)",
    threats:
      "\\b(?:ti|vi|lo|la|li) (?:ammazz\\w*|uccid\\w*|sgozz\\w*|stupr\\w*|spacc(?:o|hiamo|herò)|trov(?:o|erò) e|spezz(?:o|erò)|massacr\\w*|gonfi(?:o|erò)|distrugg\\w*|faccio (?:a pezzi|fuori|pentire)|picchi(?:o|erò|amo))|\\bso dove (?:abiti|vivi)\\b|\\bsei (?:un uomo )?mort[oa][. !]|\\b(?:la pagherai|te ne pentirai|morirai)\\b",
    denial:
      /(?<!\p{L})(?:non (?:sono|è|sei)(?! (?:umani|persone))|mai|dicono|dire|sostiene|falso|pregiudizio|stereotipo)(?!\p{L})/iu,
    report:
      /(?<!\p{L})(?:dic(?:e|ono|i|endo)|dire|detto|sostien\p{L}*|chiam(?:are|ano|i|ando|armi)|tratt\p{L}*|scriv\p{L}*|falso|pregiudizi\p{L}*|stereotip\p{L}*)(?!\p{L})/iu,
  },
  {
    language: "pt",
    groups:
      "árabes|índios|\\b(?:judeus|muçulmanos|imigrantes|migrantes|refugiados|estrangeiros|negros|pretos|brancos|asiáticos|chineses|africanos|nordestinos|brasileiros|indígenas|ciganos|gays|homossexuais|lésbicas|trans\\b|transexuais|mulheres|homens|feministas|deficientes|pobres|gente como (?:você|vocês|tu))",
    are: "(?: são)?(?: .{1,20})? ",
    contempt:
      "(?:lixo|nojent[oa]s|repugnantes|escória|animais|parasitas|inferiores|macacos|ratos|porc[oa]s|baratas|vermes|uma (?:praga|doença|vergonha)|um câncer|um cancro|burr[oa]s demais|demasiado burr[oa]s|me (?:dão nojo|enojam)|não (?:deveriam existir|merecem|prestam|valem|são (?:gente|humanos))|destroem o (?:nosso )?país|estragam o (?:nosso )?país|só servem)",
    hate: "\\bmorte a(?:os|s)? |(?:odeio|odiamos|detesto|desprezo|não suporto|tenho nojo d[eoa]s?)(?: todos| todas| os| as| esses| essas| malditos| malditas| de| d[oa]s){0,3} ",
    fate: " (?:deveriam|deviam|devem|têm que|têm de|merecem)(?: tod[oa]s| ser){0,2} (?:morrer|mort[oa]s|fuzilad[oa]s|exterminad[oa]s|deportad[oa]s|expuls[oa]s|queimad[oa]s|sumir|desaparecer|voltar para (?:a|o) (?:sua terra|seu país|África)|ficar na cozinha|pres[oa]s|castrad[oa]s|apanhar)",
    you: "\\b(?:você|vocês|tu|seu|sua|seus|suas|ele|ela|eles|que|bando de|pedaço de)(?: é| são| és| sois)?(?: mesmo| só| todos| um[a]?| uns| umas| o| a| mais| maldit[oa]s?| grande| tremend[oa]| complet[oa]| pobre| velh[oa]){0,4} ",
    insults:
      "(?:idiotas?|imbecil|imbecis|filh[oa]s? da (?:puta|mãe)|viad(?:o|inho)s?|vadias?|lixos?|escória|arrombad[oa]s?|retardad[oa]s?|desgraçad[oa]s?|burr[oa]s?\\b|estúpid[oa]s?|otári[oa]s?|babacas?|merdas?|putas?\\b|vagabund[oa]s?|inútil|inúteis|fracassad[oa]s?|nojent[oa]s?|porc[oa]s?\\b|cretin[oa]s?|corn[oa]s?\\b|palhaç[oa]s? de|cabrão|cabrões|verme|jumento|patétic[oa]s?)",
    curses:
      "\\b(?:ninguém (?:gosta de|te (?:ama|aguenta|suporta)|quer) ?(?:você|ti)?|todos te odeiam|todo mundo te odeia|(?:você )?me dá nojo|você não vale nada|não vales nada|você merece morrer|você deveria (?:morrer|se matar|ter vergonha)|vai (?:se foder|tomar no cu|para o inferno|pro inferno|à merda|te foder)|cala a boca,? (?:idiota|burr[oa]|imbecil|vadia|seu|sua)|volta (?:pra|para) (?:a |o )?(?:sua|tua|teu|seu) (?:terra|país)|o mundo (?:seria|ficaria) melhor sem (?:você|ti)|foda-se você|vá se ferrar)",
    threats:
      "\\b(?:eu )?vou (?:te|vos|lhe|o|a) (?:.{1,12} )?(?:matar|estuprar|espancar|esfaquear|violar|quebrar|arrebentar|encontrar|queimar|bater|partir|destruir|pegar|fazer (?:sofrer|pagar))|\\bvou (?:matar|acabar com|quebrar a cara de|partir a cara) (?:você|vocês|ele|ela|a ti|de você)?|\\bsei onde (?:você|tu) (?:mora|moras|vives?)|\\b(?:você|tu) (?:está|estás) mort[oa]\\b|\\bvocê vai (?:pagar|se arrepender|morrer|sofrer)\\b",
    denial:
      /(?<!\p{L})(?:não (?:são|é|és)(?! (?:gente|humanos))|nunca|dizem|dizer|afirma\p{L}*|falso|mito|preconceito)(?!\p{L})/iu,
    report:
      /(?<!\p{L})(?:diz(?:em|er|endo)?|disse\p{L}*|afirma\p{L}*|cham(?:ar|am|ando|ou|a)|trat\p{L}*|escrev\p{L}*|falso|mitos?|preconceitos?)(?!\p{L})/iu,
  },
  {
    language: "nl",
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
];
