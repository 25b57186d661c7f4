// Sentences of people at risk in languages of Western and Northern Europe, written for this product.

import type { GuardedSentence } from "../pack/unless.ts";
import { intent, means } from "./sentence.ts";

const german: readonly GuardedSentence[] = [
  intent(
    "de",
    "\\bich (?:will|möchte|werde|muss|denke (?:oft |jeden tag |ständig )?daran,?|überlege(?: ernsthaft| oft)?,?|habe vor,?|plane,?)(?: einfach| nur| wirklich| endlich| mich| mir| heute| morgen)*(?: zu)? ?(?:sterben|umbringen|umzubringen|das leben (?:zu )?nehmen|töten|zu töten|ritzen|zu ritzen|aufhängen|aufzuhängen|erhängen|nicht mehr leben|tot sein|nicht mehr (?:da|hier) sein|nicht mehr aufwachen)\\b|\\b(?:ich bringe?|bringe? ich|ich häng(?:e)?|hänge? ich) mich (?:heute |morgen |bald )?(?:um|auf)\\b",
    { unlessBehind: /^ (?:den|die|das|vor)\b/i },
  ),
  intent(
    "de",
    "\\bich (?:denke|dachte|habe)(?: .{1,30})? (?:an|über) (?:selbstmord|suizid)\\b|\\b(?:ich|meine|habe?)\\b.{0,40}(?:selbstmord|suizid)gedanken\\b|\\bich bin (?:suizidal|suizidgefährdet|lebensmüde)|\\b(?:ich wäre|wäre ich) (?:lieber |am liebsten |besser )?tot\\b|\\b(?:keinen|keine[rn]?) (?:lebenswillen|sinn (?:mehr )?(?:im|am) leben)\\b|\\b(?:schluss mit|ende von) (?:meinem|dem) leben\\b|\\bmein leben beenden\\b|\\bmeinem leben (?:ein )?ende\\b|\\bnichts(?: mehr)?,? wofür (?:ich leben|es sich zu leben)|\\bich (?:kann|will) (?:einfach )?nicht mehr(?: weiter)?leben\\b|\\bich falle (?:allen|jedem) (?:nur )?zur last\\b|\\bmir (?:etwas|was) antun\\b|\\bsterben (?:möchte|will) ich\\b|\\bich habe (?:.{1,20} )?(?:tabletten|pillen) geschluckt\\b|\\bwünschte,? ich wäre (?:tot|nie geboren)",
  ),
  intent(
    "de",
    "\\bohne mich (?:wär\\pL*|ginge?|geht) .{0,30}besser|\\bbesser (?:dran )?ohne mich\\b|\\bmich (?:schon |wieder |erneut |gestern |heute )*(?:geritzt|selbst verletzt)|\\bich ritze mich\\b|\\bich verletze mich (?:.{1,20} )?selbst\\b",
  ),
  intent(
    "de",
    "\\b(?:er|sie|meine? [a-zäöüß]+)(?: .{1,20})? (?:will|möchte|droht|sagt|kündigt)(?:,| .{1,30})? (?:.{1,20} )?(?:sich (?:das leben (?:zu )?nehmen|umbringen|umzubringen|töten)|bringt sich (?:heute |morgen )?um|selbstmord (?:zu )?begehen)\\b",
  ),
  means(
    "de",
    "\\b(?:wie (?:kann|könnte|soll) ich|wie bringe ich) mich (?:am besten |schmerzlos )?(?:umbringen|um|töten|erhängen|vergiften)\\b|\\bschmerz(?:lose[rs]?|freie[rs]?) (?:suizid|selbstmord|tod)\\b|\\bwie viele? .{1,40}(?:zu sterben|umzubringen)\\b|\\b(?:welche|was ist|beste|schmerzlos\\pL*|sicherste|schnellste)\\b.{0,60}(?:selbstmord|suizid)(?: zu begehen|methode)",
  ),
];

const french: readonly GuardedSentence[] = [
  intent(
    "fr",
    "\\bje (?:veux|voudrais|vais|pense à|songe à|souhaite|compte|préfère)(?: vraiment| juste| bientôt)? (?:me |m')?(?:mourir|suicider|tuer|pendre|couper les veines|scarifier|en finir|mutiler|foutre en l'air)\\b|\\b(?:demain|ce soir|cette nuit|aujourd'hui),? je me (?:tue|suicide|pends)\\b|\\bmettre fin à (?:mes jours|ma vie)\\b",
    {
      unlessBehind:
        /^ (?:avec (?!la vie|ma vie|tout)|de (?:rire|faim|honte|chaud|soif)|à la (?:tâche|peine)|au travail|vieux|vieille|pour)/i,
    },
  ),
  intent("fr", "\\bje ne (?:veux|souhaite|désire) plus (?:vivre|exister|être là|être en vie)", {
    unlessBehind: /^ (?:à|au|en|dans|avec|chez|sans|comme|ici|seule?)(?![\p{L}])/iu,
  }),
  intent(
    "fr",
    "\\bje (?:suis|me sens) suicidaire\\b|\\benvie (?:de mourir|d'en finir|de me (?:tuer|suicider|couper|faire du mal))\\b|\\bje pense (?:.{1,20} )?au suicide\\b|\\b(?:j'ai|j'avais|mes) (?:.{1,10} )?(?:pensées|idées) suicidaires\\b|\\b(?:j'aimerais|je voudrais|je préférerais|si seulement j'étais) (?:être )?morte?\\b|\\b(?:serait|seraient|ira|irait|iraient) (?:bien )?mieux sans moi\\b|\\b(?:plus )?aucune raison de vivre\\b|\\bje suis un (?:poids|fardeau) pour\\b|\\bla vie n'a plus (?:de|aucun) sens\\b|\\bj'ai (?:pris|avalé) (?:toute? |plein |.{1,16} )?(?:de |des |les )?(?:cachets|comprimés|médicaments|somnifères)(?: pour (?:mourir|en finir))\\b|\\b(?:je veux|j'aimerais) (?:disparaître(?: à jamais| pour toujours)|ne plus me réveiller|dormir pour toujours)",
    { unlessBehind: /^ de (?:rire|faim|honte)/i },
  ),
  intent(
    "fr",
    "\\bje me (?:suis )?(?:encore |de nouveau |souvent )?(?:scarifiée?|mutilée?|scarifie|mutile|fais (?:encore )?du mal (?:avec|exprès|volontairement))|\\bje me coupe (?:les bras|les veines|la peau)\\b",
  ),
  intent(
    "fr",
    "\\b(?:il|elle|(?:mon|ma) [a-zàâçéèêëîïôûù]+)(?: .{1,20})? (?:veut|dit|menace|parle|va)(?: .{1,30})? (?:se (?:tuer|suicider|pendre)|mettre fin à ses jours)\\b",
    { unlessBehind: /^ (?:au travail|à la tâche)/i },
  ),
  means(
    "fr",
    "\\bcomment (?:me |puis-je me |se )?(?:suicider|tuer sans douleur|pendre)\\b|\\bsuicide sans douleur\\b|\\bcombien (?:de |d').{1,40} pour (?:mourir|me tuer)\\b|\\b(?:méthode|moyen|façon|manière)s? .{0,40}(?:se suicider|me suicider|de suicide|me tuer)\\b",
    { unlessBehind: /^ (?:chez|en|dans)\b/i },
  ),
];

const spanish: readonly GuardedSentence[] = [
  intent(
    "es",
    "\\b(?:quiero|voy a|pienso(?: en)?|pensando en|deseo|me gustaría|planeo) (?:morir(?:me)?|suicidarme|matarme|quitarme la vida|acabar con (?:mi vida|todo)|cortarme las venas|hacerme daño|ahorcarme)\\b|\\b(?:esta noche|mañana|hoy) me (?:mato|suicido|quito la vida)\\b",
    {
      unlessBehind:
        /^ (?:de (?:risa|hambre|ganas|viej|vergüenza|calor|sed)|el |la |los |las |lo |en |por |viej|feliz)/i,
    },
  ),
  intent("es", "\\b(?:ya )?no quiero (?:seguir viviendo|seguir viv[ao]|vivir más|vivir|existir|estar viv[ao])\\b", {
    unlessBehind: /^ (?:en|con|aquí|allí|sin|sol[ao]|como|lejos|cerca|así de|de)(?![\p{L}])/iu,
  }),
  intent(
    "es",
    "\\b(?:tengo |tuve )?(?:ganas de morir(?:me)?|ganas de matarme)\\b|\\b(?:tengo|mis|teniendo) (?:.{1,10} )?(?:pensamientos|ideas) suicidas\\b|\\b(?:pienso|he pensado|pensando) (?:.{1,12} )?en (?:el suicidio|suicidarme)\\b|\\b(?:estaría|estarían|estarán) (?:mucho )?mejor sin m[ií]|\\bojal[aá] (?:estuviera muert[oa]|me muriera|no despertara)\\b|\\bno (?:le |tiene |veo )*(?:veo )?sentido (?:a )?(?:vivir|seguir viv[ao]|seguir viviendo|la vida)\\b|\\b(?:no tengo|sin) (?:ninguna )?(?:razón|motivos?|razones) para (?:seguir )?vivi(?:r|endo)\\b|\\bsoy una carga para\\b|\\bme (?:tomé|tragué|he tomado) (?:.{1,20} )?(?:pastillas|somníferos) para morir|\\bquiero (?:desaparecer para siempre|dormir(?:me)? y no despertar|no despertar)|\\bno puedo (?:más )?(?:seguir|continuar) viviendo\\b",
    { unlessBehind: /^ de (?:risa|hambre)/i },
  ),
  intent(
    "es",
    "\\bme (?:volví a cortar|he vuelto a cortar|corté (?:otra vez|de nuevo)|corto|corté) (?:otra vez |de nuevo )?(?:los brazos|las venas|las muñecas|las piernas|la piel|para sentir)|\\bme (?:hago|hice|estoy haciendo) daño (?:con|a propósito|a mí)|\\bme autolesion",
  ),
  intent(
    "es",
    "(?:él|\\bella|\\bmi [a-záéíóúñ]+)(?: .{1,20})? (?:dice|quiere|amenaza|habla|va a)(?: .{1,30})? (?:se quiere matar|quiere matarse|suicidarse|matarse|quitarse la vida|quiere morir(?:se)?)\\b",
  ),
  means(
    "es",
    "\\bc[óo]mo (?:puedo )?(?:suicidarme|matarme|quitarme la vida|ahorcarme|morir sin dolor)\\b|\\bsuicidio sin dolor\\b|\\bcuánt[oa]s .{1,40} para (?:morir|matarme|suicidarme)\\b|\\b(?:forma|manera|método|modo)s? .{0,40}(?:suicidarse|suicidarme|matarme|de suicidio)\\b",
  ),
];

const italian: readonly GuardedSentence[] = [
  intent(
    "it",
    "\\b(?:voglio|vorrei|sto per|penso di|pensando di|ho deciso di) (?:morire|uccidermi|suicidarmi|farla finita|ammazzarmi|tagliarmi le vene|impiccarmi|farmi del male|togliermi la vita)\\b|\\bla faccio finita\\b|\\b(?:domani|stanotte|stasera|oggi) mi (?:uccido|ammazzo|suicido)\\b",
    { unlessBehind: /^ (?:d(?:al|alla|i) |con (?!la mia|tutto)|vecchi|felice|per )/i },
  ),
  intent("it", "\\bnon voglio più (?:vivere|esistere|svegliarmi)\\b", {
    unlessBehind: /^ (?:a|ad|in|con|qui|qua|là|lì|senza|da sol[oa]|così|presto|alle)(?![\p{L}])/iu,
  }),
  intent(
    "it",
    "\\b(?:ho|i miei|avuto|avendo) (?:.{1,10} )?pensieri suicidi\\b|\\bpenso (?:.{1,15} )?al suicidio\\b|\\bmeglio senza di me\\b|\\bvorrei (?:essere|non essere mai) (?:mort[oa]|nat[oa])\\b|\\bnon ha (?:più )?senso (?:vivere|la mia vita)\\b|\\b(?:non ho|nessun|più alcun) (?:più )?(?:nessun )?motivo (?:per|di) vivere\\b|\\bsono un peso per\\b|\\bvoglio (?:sparire per sempre|addormentarmi e non svegliarmi|non svegliarmi più)|\\bnon ce la faccio più a vivere\\b|\\bho (?:preso|ingoiato) (?:.{1,20} )?(?:pastiglie|pillole|sonniferi) per morire|\\bmi (?:sono )?(?:tagli(?:o|at[oa])|faccio del male)(?: di nuovo| ancora)? (?:le braccia|le vene|i polsi|le gambe|con una|apposta)\\b",
  ),
  intent(
    "it",
    "\\b(?:lui|lei|(?:mio|mia|il mio|la mia) [a-zàèéìòù]+)(?: .{1,20})? (?:dice|vuole|minaccia|parla|sta per)(?: .{1,30})? (?:uccidersi|suicidarsi|ammazzarsi|togliersi la vita|farla finita|vuole morire)\\b",
  ),
  means(
    "it",
    "\\bcome (?:posso )?(?:suicidarmi|uccidermi|ammazzarmi|morire senza dolore)\\b|\\bquant[ei] .{1,40} per (?:morire|uccidermi|suicidarmi)\\b|\\b(?:modo|metodo|maniera) .{0,40}(?:suicidarsi|suicidarmi|uccidermi|di suicidio)\\b",
  ),
];

const portuguese: readonly GuardedSentence[] = [
  intent(
    "pt",
    "\\b(?:quero|vou|penso em|pensando em|queria|vontade de|decidi) (?:morrer|me matar|matar-me|me suicidar|suicidar-me|acabar com (?:a minha vida|tudo)|me cortar|me enforcar|tirar a (?:minha )?(?:própria )?vida|tirar minha (?:própria )?vida)\\b|\\b(?:amanhã|hoje|esta noite) (?:eu )?(?:me mato|mato-me|vou me matar)\\b|\\bacabar com a minha vida\\b",
    {
      unlessBehind:
        /^ (?:de (?:rir|fome|saudade|vergonha|amor|calor|sede|velh)|velh|feliz|na praia|com (?:a|o|as|os) (?!minha))/i,
    },
  ),
  intent(
    "pt",
    "\\bnão (?:quero|aguento|consigo) (?:mais )?(?:viver|existir|estar viv[ao]|continuar viv[ao])(?: mais)?\\b",
    {
      unlessBehind: /^ (?:em|no|na|nos|nas|com|aqui|sem|sozinh|assim|longe)(?![\p{L}])/iu,
    },
  ),
  intent(
    "pt",
    "\\b(?:tenho|tive|meus|tendo) (?:.{1,10} )?(?:pensamentos|ideias) suicidas\\b|\\bpenso (?:.{1,15} )?(?:em|no) suicídio\\b|\\bmelhor(?:es)? sem mim\\b|\\b(?:queria|preferia|quem me dera) estar mort[oa]\\b|\\bnão vejo (?:mais )?sentido (?:em viver|na vida)\\b|\\bnão tenho (?:mais )?(?:motivos?|razão|nada) para viver\\b|\\bsou um (?:peso|fardo) para\\b|\\bquero (?:sumir|desaparecer) (?:para|pra) sempre\\b|\\bquero dormir e não acordar\\b|\\btomei (?:.{1,20} )?(?:comprimidos|remédios) para morrer|\\beu me (?:cortei|machuquei)(?: .{1,12})? (?:de novo|outra vez|com uma)\\b|\\beu me (?:corto|machuco|automutilo)\\b|\\bme (?:cortei|machuquei) de novo\\b",
  ),
  intent(
    "pt",
    "\\b(?:ele|ela|(?:meu|minha) [a-záâãçéêíóôõú]+)(?: .{1,20})? (?:diz|quer|ameaça|fala|vai)(?: .{1,30})? (?:se matar|se suicidar|suicidar-se|tirar a própria vida|quer morrer)\\b",
  ),
  means(
    "pt",
    "\\bcomo (?:posso )?(?:me matar|me suicidar|morrer sem dor)\\b|\\bquant[oa]s .{1,40} para (?:morrer|me matar|se matar)\\b|\\b(?:forma|maneira|método|jeito)s? .{0,40}(?:se suicidar|me suicidar|me matar|de suicídio)\\b",
  ),
];

const dutch: readonly GuardedSentence[] = [
  intent(
    "nl",
    "\\bik (?:wil|ga|denk eraan om|zou willen|overweeg om|ben van plan om)(?: graag| gewoon| echt)? (?:dood|sterven|zelfmoord (?:te )?plegen|mezelf (?:te )?(?:doden|ophangen|snijden|van kant maken|iets aandoen)|een einde? aan mijn leven (?:te )?maken|niet meer leven|er niet meer zijn|er een einde? aan maken)\\b|\\b(?:pleeg ik|ik pleeg) (?:morgen |vandaag )?zelfmoord\\b|\\ber een einde? aan maken\\b",
    { unlessBehind: /^ (?:van|aan de discussie|slaan)\b/i },
  ),
  intent(
    "nl",
    "\\bik denk (?:.{1,20} )?aan (?:zelfmoord|zelfdoding)\\b|\\b(?:ik heb|mijn) (?:.{1,20} )?su[iï]cidale gedachten\\b|\\bbeter (?:af (?:zijn )?)?zonder mij\\b|\\bik (?:wou|wilde) dat ik dood was\\b|\\bik heb (?:mezelf|mijzelf) (?:weer |opnieuw )?gesneden\\b|\\bik snijd? (?:mezelf|in mijn armen)\\b|\\bik zie het leven niet meer zitten\\b|\\bniets (?:meer )?om voor te leven\\b|\\bik ben (?:iedereen |.{1,16} )?(?:een|tot) last\\b|\\bgeen zin meer in het leven\\b|\\bik wil (?:voor altijd )?(?:verdwijnen|slapen en nooit meer wakker)|\\b(?:zelfmoord|su[iï]cide)plannen\\b|\\bik (?:doe|ga) mezelf (?:weer )?pijn(?: doen)?\\b",
  ),
  intent(
    "nl",
    "\\b(?:hij|zij|ze|mijn [a-z]+)(?: .{1,20})? (?:zegt|wil|dreigt|praat)(?: .{1,30})? (?:zichzelf (?:wil )?(?:doden|ombrengen)|zelfmoord (?:te )?(?:wil )?plegen|een einde? aan (?:zijn|haar) leven)\\b",
  ),
  means(
    "nl",
    "\\bhoeveel .{1,40} om (?:te sterven|dood te gaan|mezelf)\\b|\\b(?:manier|methode|wijze)s? .{0,30}(?:zelfmoord|om mezelf te doden|om dood te gaan)\\b|\\bhoe (?:kan ik|pleeg ik|pleeg je) .{0,20}zelfmoord\\b",
  ),
];

const nordic: readonly GuardedSentence[] = [
  intent(
    "sv",
    "\\bjag (?:vill|tänker|ska|kommer att)(?: bara| verkligen)? (?:dö|ta livet av mig|ta mitt liv|begå självmord|skada mig själv|skära mig|avsluta mitt liv)|\\b(?:imorgon|ikväll|idag|i natt) tar jag (?:livet av mig|mitt liv)|\\btänker (?:.{1,12} )?på självmord|\\bjälvmordstankar (?:i|varje)|\\b(?:jag|mina) .{0,30}självmordstankar|\\bbättre utan mig\\b|\\binget (?:kvar )?att leva för|\\bjag är en börda för|\\bjag (?:orkar|klarar) inte (?:leva|mer)|\\bjag önskar (?:att )?jag var död|\\bjag har självmordstankar|\\bjag (?:skar|skär) mig (?:igen|själv|i armarna)",
    { unlessBehind: /^ (?:av|i håret)/i },
  ),
  intent("sv", "\\bjag vill inte leva\\b", {
    unlessBehind: /^ (?:i|på|med|hos|utan|här|ensam|så)(?![\p{L}])/iu,
  }),
  intent(
    "sv",
    "\\b(?:han|hon|min [a-zåäö]+)(?: .{1,20})? (?:säger|vill|hotar)(?: .{1,30})? (?:ta (?:sitt liv|livet av sig)|begå självmord|vill dö)",
  ),
  means(
    "sv",
    "\\bhur många .{1,40} (?:för att dö|att ta livet)|\\bsättet? .{0,30}(?:ta livet av sig|ta livet av mig|begå självmord|att dö på)|\\bhur (?:tar jag|begår jag|kan jag ta) (?:livet av mig|självmord|mitt liv)",
  ),
  intent(
    "fi",
    "(?:haluan|aion|haluaisin) (?:vain )?(?:kuolla|tappaa itseni|tehdä itsemurhan|satuttaa itseäni|viillellä)|\\b(?:huomenna|tänään|ensi yönä) tapan itseni|ajattelen (?:.{1,12} )?itsemurhaa|ajattelen itsemurhaa|itsetuhoisia ajatuksia|itsemurha-ajatuksia|ei mitään syytä elää|ei ole (?:enää )?mitään,? minkä vuoksi elää|olen taakka|toivon,? että olisin kuollut|olisinpa kuollut|tekee mieli (?:kuolla|viillellä)|satutan itseäni|parempi ilman minua|viiltelin (?:taas|itseäni)",
    { unlessBehind: /^ (?:nauru|nälk|onnellisena|vanhana)/i },
  ),
  intent("fi", "en (?:halua|jaksa) enää (?:elää|olla olemassa)", {
    unlessBehind: /^ (?:\p{L}+ss[aä]|ilman|yksin)(?![\p{L}])/iu,
  }),
  intent(
    "fi",
    "(?:sanoo|uhkaa|haluaa)(?: .{1,20})? (?:haluavansa (?:tappaa itsensä|kuolla)|tappaa itsensä|tappavansa itsensä|tehdä itsemurhan)",
  ),
  means(
    "fi",
    "(?:montako|kuinka monta) .{1,40}(?:kuolemaan|kuollakseni)|kivutto\\pL+ tapa .{0,30}(?:itsemurha|kuolla)",
  ),
];

/** The sentences. */
export const westernSentences: readonly GuardedSentence[] = [
  ...german,
  ...french,
  ...spanish,
  ...italian,
  ...portuguese,
  ...dutch,
  ...nordic,
];
