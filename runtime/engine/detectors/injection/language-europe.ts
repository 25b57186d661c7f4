// Injection rules in European languages: the main ways to override instructions, to ask for the system prompt and to lift restrictions.

import type { Rule } from "./rule.ts";

const spanish: readonly Rule[] = [
  {
    family: "override",
    weight: 0.8,
    pattern:
      "\\b(?:ignor(?:a|e|en|ad|ar|es)|olvid(?:a|e|en|ad|ar|es)|omit(?:e|a|an)|descart(?:a|e|en)|desestim(?:a|e)|deja de lado|no sigas|haz caso omiso (?:a|de)|pasa por alto|salt(?:a|e)te)(?:te)? (?:de )?(?:(?:tod[oa]s?|cualquier|completamente|las?|los|el|tus?|sus?|mis|estas|esas|aquellas) ){0,4}(?:(?:anteriores|previ[oa]s|iniciales|originales|del sistema|de seguridad) )?(?:instrucci(?:ones|ón)|indicaciones|órdenes|ordenes|reglas|directrices|normas|restricciones|pautas)(?: (?:anteriores|previas|iniciales|originales|de antes|del sistema|de arriba|que (?:te|le) (?:dieron|han dado|di)|y ))",
  },
  {
    family: "override",
    weight: 0.7,
    pattern:
      "\\b(?:ignora|olvida|olvídate|ignore|olvide) (?:de )?todo (?:lo (?:anterior|que (?:te|le) (?:dije|dijeron|han dicho|enseñaron)|que sabes|de arriba))",
  },
  {
    family: "override",
    weight: 0.6,
    pattern:
      "\\b(?:ignora|olvida|olvídate|desactiva|elimina|rompe|sáltate) (?:de )?(?:todas )?tus (?:instrucciones|reglas|restricciones|filtros|directrices|limitaciones|normas|programación)",
  },
  {
    family: "prompt_extraction",
    weight: 0.65,
    pattern:
      "\\b(?:muestra|muéstrame|revela|revélame|dime|imprime|repite|escribe|enséñame|copia|traduce|resume|dame|comparte)(?:me)? (?:[a-zñáéíóú]+ ){0,4}(?:prompt (?:del |de )?sistema|prompt (?:inicial|original|oculto)|(?:tus|tu|las) (?:instrucciones|mensaje|indicaciones) (?:del? sistema|iniciales|ocultas|originales|secretas|internas))",
  },
  {
    family: "role_hijack",
    weight: 0.6,
    pattern:
      "\\b(?:a partir de ahora|desde ahora|de ahora en adelante),? (?:eres|serás|actúas|actuarás|responde|responderás|vas a)(?: [a-zñáéíóú]+){0,10} (?:sin (?:ninguna? |ningún )?(?:restricci(?:ones|ón)|filtros?|límites|censura|reglas|limitaciones)|no tien(?:e|es) (?:restricciones|reglas|filtros|límites)|dan\\b)",
  },
];

const french: readonly Rule[] = [
  {
    family: "override",
    weight: 0.8,
    pattern:
      "(?:\\b(?:ignor(?:e|ez|er|ons)|oubli(?:e|ez|er|ons)|néglig(?:e|ez|er)|fais abstraction de|faites abstraction de|ne (?:suis|suivez|tiens|tenez) (?:pas|plus)(?: compte)?(?: de)?|mets de côté|mettez de côté|passe outre|passez outre|laisse tomber)|(?:^|[^\\p{L}\"'“„«])(?:écarte)) (?:de )?(?:(?:toute?s?|tous|les|tes|vos|mes|ces|complètement|immédiatement|l'ensemble des) ){0,4}(?:(?:précédentes?|anciennes|premières) )?(?:instructions?|consignes?|directives?|règles?|ordres?|indications|restrictions|invites?) (?:précédent(?:e|es|s)?|antérieur(?:e|es|s)?|initial(?:e|es)|initiaux|ci-dessus|d'origine|données?|reçues?|du système|système|de sécurité|qui (?:t|v)|que (?:tu|vous)|et )",
  },
  {
    family: "override",
    weight: 0.7,
    pattern:
      "\\b(?:ignore|ignorez|oublie|oubliez) (?:tout )?(?:ce qui (?:précède|a été dit)|ce (?:que|qu'on) (?:je|on|tu|vous|t'a|vous a)[a-z' ]{0,20}(?:dit|appris|demandé)|tout ce qui)",
  },
  {
    family: "override",
    weight: 0.6,
    pattern:
      "\\b(?:ignore|oublie|ignorez|oubliez|désactive|désactivez|contourne|contournez) (?:toutes |tous )?(?:tes|vos) (?:instructions|règles|consignes|restrictions|filtres|directives|limites|limitations|garde-fous)",
  },
  {
    family: "prompt_extraction",
    weight: 0.65,
    pattern:
      "(?:\\b(?:montre|montrez|révèle|révélez|affiche|affichez|donne|donnez|dis|dites|répète|répétez|imprime|copie|traduis|résume|partage)|(?:^|[^\\p{L}\"'“„«])(?:écris))(?:-moi|-nous)? (?:[a-zéèêàç'-]+ ){0,4}(?:(?:prompt|invite|message|instructions?|consignes?)(?: du| de)?(?: ton| votre)? ?(?:système|system|initiale?s?|cachée?s?|secrète?s?|d'origine|internes?))",
  },
  {
    family: "role_hijack",
    weight: 0.6,
    pattern:
      "(?:\\b(?:désormais|dorénavant)|(?:^|[^\\p{L}\"'“„«])(?:à partir de maintenant)),? (?:tu es|vous êtes|tu vas|vous allez|réponds|répondez|agis|agissez|tu réponds)(?: [a-zéèêàç'-]+){0,10} (?:sans (?:aucune? )?(?:restrictions?|filtres?|limites?|censure|règles?)|(?:pas|plus|aucune?) (?:de )?(?:restrictions?|règles?|filtres?|limites?)|dan\\b)",
  },
];

const german: readonly Rule[] = [
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
];

const italian: readonly Rule[] = [
  {
    family: "override",
    weight: 0.8,
    pattern:
      "\\b(?:ignor(?:a|ate|are|i)|dimentic(?:a|ate|are|hi)|trascur(?:a|ate)|scart(?:a|ate)|non seguire|lascia perdere|tralascia) (?:(?:tutte|tutti|tutto|ogni|le|i|gli|tue|tuoi|queste|quelle|completamente|qualsiasi) ){0,4}(?:(?:precedenti|tue) )?(?:istruzion[ei]|direttiv[ae]|regol[ae]|ordini|comandi|indicazioni|linee guida|restrizioni) (?:precedent[ei]|inizial[ei]|original[ei]|di prima|di sistema|del sistema|sopra|fornite|ricevut[ei]|date|che (?:ti|hai)|e )",
  },
  {
    family: "override",
    weight: 0.75,
    pattern:
      "\\b(?:ignora|dimentica|ignorate|dimenticate|ignori) (?:(?:tutte|tutti|le|i|tutte le|tue) ){0,3}precedenti (?:istruzioni|direttive|regole|indicazioni|ordini|comandi)|\\b(?:ignora|dimentica) tutto (?:ciò|quello) che (?:ti|hai|è|precede|ho)",
  },
  {
    family: "override",
    weight: 0.6,
    pattern:
      "\\b(?:ignora|dimentica|disattiva|aggira|elimina) (?:tutte )?(?:le|i) tu(?:e|oi) (?:istruzioni|regole|restrizioni|filtri|linee guida|limitazioni|limiti|direttive)",
  },
  {
    family: "prompt_extraction",
    weight: 0.65,
    pattern:
      "\\b(?:mostra(?:mi)?|rivela(?:mi)?|dimmi|stampa|ripeti|scrivi|copia|traduci|riassumi|condividi) (?:[a-zàèéìòù']+ ){0,4}(?:prompt (?:di |del )?sistema|prompt (?:iniziale|originale|nascosto)|istruzioni (?:di sistema|iniziali|nascoste|originali|segrete|interne))",
  },
];

const portuguese: readonly Rule[] = [
  {
    family: "override",
    weight: 0.8,
    pattern:
      "\\b(?:ignor(?:e|a|em|ar)|esque[cç](?:a|e|am|er)|desconsider(?:e|a|em|ar)|descart(?:e|a)|desrespeite|não siga|deixe de lado|pule) (?:de )?(?:(?:todas?|todos?|qualquer|as|os|suas?|seus?|tuas|minhas|essas|estas|completamente) ){0,4}(?:(?:anteriores|prévias) )?(?:instruç(?:ões|ão)|ordens|regras|diretrizes|orientações|comandos|restrições|indicações) (?:anteriores|prévi[ao]s|iniciais|originais|acima|do sistema|de antes|dadas|recebidas|que (?:te|lhe|você|recebeu)|e )",
  },
  {
    family: "override",
    weight: 0.7,
    pattern:
      "\\b(?:ignore|esqueça|esquece|ignora|desconsidere) tudo (?:o )?(?:que (?:eu|te|lhe|foi|você|veio|disse)|anterior|acima|isso e)",
  },
  {
    family: "override",
    weight: 0.6,
    pattern:
      "\\b(?:ignore|esqueça|desative|contorne|remova|quebre|burle) (?:todas )?(?:as )?(?:suas|tuas|os seus|seus) (?:instruções|regras|restrições|filtros|diretrizes|limitações|programação)",
  },
  {
    family: "prompt_extraction",
    weight: 0.65,
    pattern:
      "\\b(?:mostre|mostra|revele|revela|diga|imprima|repita|escreva|copie|traduza|resuma|exiba|compartilhe|me (?:dê|mostre|diga))(?:-me)? (?:[a-zãõçáéíóúâê]+ ){0,4}(?:prompt (?:do |de )?sistema|prompt (?:inicial|original|oculto)|(?:instruções|mensagem) (?:do sistema|iniciais|ocultas|originais|secretas|internas))",
  },
];

const dutch: readonly Rule[] = [
  {
    family: "override",
    weight: 0.8,
    pattern:
      "\\b(?:negeer|vergeet|negeren|vergeten|sla|laat|overschrijf|volg)(?: alsjeblieft| nu)? (?:(?:alle|al|de|je|jouw|uw|mijn|deze|die|elke) ){0,4}(?:(?:vorige|voorgaande|eerdere|bovenstaande|oorspronkelijke|bestaande|gegeven|huidige|voorafgaande|initiële) )(?:[a-z-]+ )?(?:instructies?|opdrachten?|aanwijzingen|regels|richtlijnen|bevelen|prompts?|beperkingen)",
  },
  {
    family: "override",
    weight: 0.65,
    pattern:
      "\\b(?:negeer|vergeet) alles (?:wat (?:hierboven|hiervoor|ik|je|u|er)|hierboven|hiervoor)|\\b(?:negeer|vergeet|omzeil|schakel) (?:al )?(?:je|jouw|uw) (?:instructies|regels|richtlijnen|beperkingen|filters|programmering)",
  },
  {
    family: "prompt_extraction",
    weight: 0.65,
    pattern:
      "\\b(?:toon|laat|geef|herhaal|print|schrijf|onthul|vertel|kopieer|vertaal|deel)(?: mij| me| ons)? (?:[a-z-]+ ){0,4}(?:systeem-?prompt|systeeminstructies?|systeembericht|(?:oorspronkelijke|verborgen|geheime|interne|initiële) (?:instructies|prompt|opdracht))",
  },
];

const polish: readonly Rule[] = [
  {
    family: "override",
    weight: 0.8,
    pattern:
      "(?:zignoruj|ignoruj|zapomnij|pomiń|odrzuć|lekceważ|nie przestrzegaj|nie stosuj się do|porzuć)(?:cie)? (?:o )?(?:(?:wszystkie|wszystkich|wszelkie|te|tych|swoje|swoich|twoje|całkowicie) ){0,3}(?:(?:poprzednie|poprzednich|wcześniejsze|wcześniejszych|powyższe|powyższych|dotychczasowe|dotychczasowych|pierwotne|systemowe|systemowych|początkowe) )(?:instrukcj[eiaę]|instrukcjach|polece(?:nia|ń|niach)|wytyczn(?:e|ych)|zasad(?:y|ach)?|reguł(?:y|ach)?|rozkaz(?:y|ów)|ograniczenia)",
  },
  {
    family: "override",
    weight: 0.65,
    pattern:
      "(?:zignoruj|zapomnij(?: o)?|ignoruj) (?:wszystk(?:o|im|ie),? co|swoje (?:instrukcje|zasady|ograniczenia|wytyczne)|swoich (?:instrukcjach|zasadach|ograniczeniach|wytycznych))",
  },
  {
    family: "prompt_extraction",
    weight: 0.65,
    pattern:
      "(?:pokaż|ujawnij|wypisz|podaj|powtórz|wyświetl|zdradź|skopiuj|przetłumacz|napisz)(?: mi| nam)? (?:[a-ząćęłńóśźż]{1,20} ){0,3}(?:prompt(?:u|a)? systemow(?:y|ego)|instrukcj[eiaę] systemow(?:e|ą|ej)|systemow(?:y|ego|e|ą|ej) (?:prompt|instrukcj[eiaę]|wiadomość)|(?:ukryte|tajne|początkowe|pierwotne) instrukcje)",
  },
];

const russian: readonly Rule[] = [
  {
    family: "override",
    weight: 0.8,
    pattern:
      "(?:(?:про)?игнорируй(?:те)?|забудь(?:те)?(?: про| обо?)?|отбрось(?:те)?|отмени(?:те)?|пренебреги(?:те)?|не обращай(?:те)? внимания на|не следуй(?:те)?|не выполняй(?:те)?) (?:(?:все|всех|всем|всеми|любые|свои|своих|твои|эти|о) ){0,3}(?:(?:предыдущи[ехм]|прежни[ехм]|прошлы[ехм]|ранее (?:данны[ехм]|полученны[ехм])|вышеуказанны[ехм]|вышестоящи[ехм]|изначальны[ехм]|исходны[ехм]|системны[ехм]|первоначальны[ехм]|данны[ехм]|предшествующи[ехм]) )(?:инструкци[ияйюях]{1,2}|указани(?:я|й|ям|ях)|команд(?:ы|ам|ах)?|правил(?:а|ам|ах)?|приказ(?:ы|ов|ам)|ограничени(?:я|й|ям|ях)|директив(?:ы)?|промпт(?:ы|ов)?|установки)",
  },
  {
    family: "override",
    weight: 0.65,
    pattern:
      "(?:(?:про)?игнорируй(?:те)?|забудь(?:те)?(?: про| обо?)?|отключи(?:те)?|обойди(?:те)?|нарушь) (?:(?:все|всех|вс[её]) ){0,1}(?:(?:свои|твои|ваши|своих) (?:инструкции|инструкциях|правила|правилах|ограничения|ограничениях|фильтры|указания|настройки)|вс[её],? что (?:было|тебе|вам|я|выше|написано|сказано|до))",
  },
  {
    family: "prompt_extraction",
    weight: 0.65,
    pattern:
      "(?:покажи(?:те)?|раскрой(?:те)?|выведи(?:те)?|повтори(?:те)?|напиши(?:те)?|скажи(?:те)?|назови(?:те)?|скопируй(?:те)?|переведи(?:те)?|выдай(?:те)?|распечатай(?:те)?)(?: мне| нам)? (?:[а-яё]+ ){0,3}(?:системн(?:ый|ого|ую|ые|ое) (?:промпт|промт|запрос|инструкци[юи]|подсказк[уи]|сообщени[ея]|prompt)|(?:скрыты|секретны|исходны|изначальны|первоначальны|внутренни)е (?:инструкции|указания|настройки))",
  },
  {
    family: "role_hijack",
    weight: 0.6,
    pattern:
      "(?:с этого момента|отныне|теперь),? ты (?:[а-яё]+,? ){0,8}(?:без (?:каких-либо |всяких )?(?:ограничений|цензуры|фильтров|правил)|не име(?:ешь|ет) (?:никаких )?(?:ограничений|правил|фильтров)|дан(?:[^\\p{L}]|$))",
  },
];

const ukrainian: readonly Rule[] = [
  {
    family: "override",
    weight: 0.8,
    pattern:
      "(?:(?:про)?ігноруй(?:те)?|забудь(?:те)?(?: про)?|відкинь(?:те)?|скасуй(?:те)?|не зважай(?:те)? на|не виконуй(?:те)?|не дотримуйся) (?:(?:усі|всі|усіх|всіх|будь-які|свої|своїх|ці|твої) ){0,3}(?:(?:попередні[хм]?|минулі|раніше (?:надані|отримані)|початкові|системні|вищенаведені|наведені вище|дані|первинні) )(?:інструкці(?:ї|й|ям)|вказівк(?:и|ам)|вказівок|команди|правила|накази|обмеження|настанови|директиви)",
  },
  {
    family: "override",
    weight: 0.65,
    pattern:
      "(?:(?:про)?ігноруй(?:те)?|забудь(?:те)?(?: про)?|вимкни|обійди) (?:(?:усі|всі|все) ){0,1}(?:(?:свої|твої) (?:інструкції|правила|обмеження|фільтри|вказівки|настанови)|все,? що (?:було|тобі|вам|я|вище|сказано|до))",
  },
  {
    family: "prompt_extraction",
    weight: 0.65,
    pattern:
      "(?:покажи(?:те)?|розкрий(?:те)?|виведи(?:те)?|повтори(?:те)?|напиши(?:те)?|скажи(?:те)?|скопіюй(?:те)?|переклади)(?: мені| нам)? (?:[а-яіїєґ']+ ){0,3}(?:системн(?:ий|ого|у|і|е) (?:промпт|запит|інструкці[юї]|підказк[уи]|повідомлення)|(?:приховані|секретні|початкові|внутрішні) (?:інструкції|вказівки))",
  },
];

const turkish: readonly Rule[] = [
  {
    family: "override",
    weight: 0.8,
    pattern:
      "(?:(?:önceki|yukarıdaki|yukaridaki|daha önceki|verilen|mevcut|eski|sistem|başlangıçtaki|ilk) )(?:(?:tüm|bütün|her|verilen) )?(?:talimat(?:lar)?(?:ı|ını|ınızı|larını)?|komut(?:lar)?(?:ı|ını)?|kural(?:lar)?(?:ı|ını)?|yönerge(?:ler)?(?:i|ini)?|emir(?:ler)?(?:i|ini)?|kısıtlama(?:lar)?(?:ı|ını)?)(?: tamamen| hemen| lütfen)? (?:yok say|görmezden gel|göz ardı et|unut|dikkate alma|boş ver|geçersiz say|iptal et|uyma)",
  },
  {
    family: "override",
    weight: 0.65,
    pattern:
      "(?:(?:tüm|bütün) )(?:talimatlar|kurallar|kısıtlamalar|yönergeler|filtreler)[ıi](?:nı|ni)? (?:yok say|görmezden gel|göz ardı et|unut|devre dışı bırak|boş ver)|(?:bundan|buraya|şimdiye) (?:önceki|kadar(?:ki)?) (?:her şeyi|söylenen(?:ler)?i? ?[a-zçğıöşü]*) (?:unut|yok say)",
  },
  {
    family: "prompt_extraction",
    weight: 0.65,
    pattern:
      "(?:sistem (?:prompt|istem|talimat|mesaj)[a-zçğıöşü']*|gizli (?:talimat|komut|yönerge)[a-zçğıöşü']*|(?:başlangıç|ilk|orijinal) (?:talimat|prompt|istem)[a-zçğıöşü']*) (?:[a-zçğıöşü]+ ){0,3}(?:göster|yaz|söyle|açıkla|paylaş|tekrarla|yazdır|ver|kopyala|listele)",
  },
];

/** The rules of all these languages. */
export const europeanRules: readonly Rule[] = [
  ...spanish,
  ...french,
  ...german,
  ...italian,
  ...portuguese,
  ...dutch,
  ...polish,
  ...russian,
  ...ukrainian,
  ...turkish,
];
