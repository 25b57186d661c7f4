// Injection rules of many languages about what the model was told: asking for it in any form of the verb, and declaring it void.
// They supplement language-europe.ts and language-asia.ts. Weights as in english.ts.

import type { Rule } from "./rule.ts";

/** A language: verbs that ask for a text, what the operator's text is called, and what says that rules have ended. */
interface Wording {
  readonly show: string;
  readonly told: string;
  readonly ends: string;
}

const wordings: readonly Wording[] = [
  {
    show: "muéstr[a-z]+|mostr[a-záéí]+|revel[a-záéí]+|repit[a-z]+|repet[a-z]+|copi[a-z]+|peg[aá][a-z]*|imprim[a-z]+|escrib[a-z]+|traduc[a-z]+|resum[a-z]+|recit[a-z]+|vuelc[a-z]+|dime|cuéntame",
    told: "(?:tu|tus|el|las|los|vuestras?) (?:[a-zñáéíóú]+ ){0,2}(?:prompts? (?:de|del) sistema|prompt (?:inicial|oculto|original)|instrucciones (?:secretas|ocultas|iniciales|internas|del sistema)|reglas (?:secretas|ocultas|internas)|configuración (?:inicial|oculta|interna))",
    ends: "(?:tus|las|todas las) (?:reglas|normas|restricciones|instrucciones|filtros|políticas) (?:ya no|no) (?:valen|aplican|se aplican|existen|cuentan|rigen)",
  },
  {
    show: "montr[a-zé]+|révél[a-zé]+|revel[a-z]+|affich[a-zé]+|recopi[a-zé]+|copi[a-zé]+|répét[a-zé]+|répèt[a-z]+|tradui[a-z]+|résum[a-zé]+|récit[a-zé]+|dévoil[a-zé]+|imprim[a-zé]+|donn[a-zé]+|écri[a-z]+|output",
    told: "(?:ton|ta|tes|votre|vos|le|la|les) (?:[a-zéèêàç]+ ){0,2}(?:prompts? (?:système|initial|caché|d'origine)|invite système|(?:consignes|instructions|règles) (?:secrètes|cachées|initiales|internes|d'origine)|premier message de ce contexte|configuration (?:initiale|cachée|interne))",
    ends: "(?:tes|vos|les|toutes les) (?:règles|consignes|restrictions|instructions|filtres|limites) (?:ne (?:s'appliquent|valent|comptent|sont|existent) plus|sont (?:réputées )?(?:nulles|caduques|annulées|levées|suspendues))",
  },
  {
    show: "zeig[a-z]*|gib[a-z]*|verrat[a-z]*|nenn[a-z]*|wiederhol[a-z]*|kopier[a-z]*|übersetz[a-z]*|fass[a-z]*|schreib[a-z]*|druck[a-z]*|lies|liste|offenbar[a-z]*|wie lautet|was steht in",
    told: "(?:dein[a-z]*|den|die|ihr[a-z]*) (?:[a-zäöüß]+ ){0,2}(?:system-?prompts?|systemanweisung(?:en)?|systemnachricht|(?:geheim|versteckt|intern|ursprünglich|erst)[a-z]* (?:anweisung(?:en)?|regeln|vorgaben|prompts?|nachricht)|startanweisung(?:en)?)",
    ends: "(?:dein[a-z]*|alle|sämtliche|die) (?:[a-zäöüß]+ ){0,2}(?:regeln|anweisungen|weisungen|vorgaben|beschränkungen|einschränkungen|filter) (?:gelten (?:ab [a-z]+ |jetzt |heute |hier )?(?:nicht(?: mehr)?)|sind (?:ab sofort |hiermit |mit sofortiger wirkung )?(?:aufgehoben|ungültig|außer kraft|nichtig))",
  },
  {
    show: "mostra[a-z]*|rivel[a-z]+|svel[a-z]+|ripet[a-z]+|copi[a-z]+|incoll[a-z]+|traduc[a-z]+|riassum[a-z]+|stamp[a-z]+|scriv[a-z]+|elenc[a-z]+|recit[a-z]+|riport[a-z]+|dimmi|dammi|show",
    told: "(?:il|la|le|i|tuo|tua|tue|tuoi|me il tuo) (?:[a-z]+ ){0,2}(?:prompt (?:di sistema|iniziale|nascosto|originale)|(?:istruzioni|regole) (?:nascoste|segrete|iniziali|interne|di sistema|riservate)|configurazione (?:iniziale|nascosta|interna)|primo messaggio del contesto)",
    ends: "(?:le tue|tutte le|le|i tuoi) (?:regole|istruzioni|restrizioni|policy|limitazioni|filtri) (?:non (?:valgono|si applicano|contano|esistono)(?: più)?|sono (?:annullate|sospese|revocate|nulle))",
  },
  {
    show: "mostr[a-z]+|revel[a-z]+|repit[a-z]+|repet[a-z]+|copi[a-z]+|col[ae]|traduz[a-z]*|resum[a-z]+|imprim[a-z]+|escrev[a-z]+|list[a-z]+|recit[a-z]+|diga|diz|exib[a-z]+",
    told: "(?:o|a|as|os|seu|sua|suas|teu|tuas) (?:[a-zãõçáéíóú]+ ){0,2}(?:prompt (?:do|de) sistema|prompt (?:inicial|oculto|original)|(?:instruções|regras) (?:secretas|ocultas|iniciais|internas|do sistema)|configuração (?:inicial|oculta|interna))",
    ends: "(?:suas|tuas|as|todas as) (?:regras|instruções|restrições|políticas|limitações) (?:não (?:valem|se aplicam|contam|existem)(?: mais)?|já não (?:valem|se aplicam)|estão (?:anuladas|suspensas|revogadas))",
  },
  {
    show: "toon[a-z]*|laat|geef|herhaal|kopieer|vertaal|vat|schrijf|print|onthul|noem|lees|plak",
    told: "(?:je|jouw|de|het|uw) (?:[a-z]+ ){0,2}(?:systeemprompt|systeeminstructies|(?:geheime|verborgen|oorspronkelijke|interne|eerste) (?:instructies|regels|prompt|opdracht))",
    ends: "(?:je|jouw|alle|de) (?:[a-z]+ )?(?:regels|instructies|beperkingen|filters|richtlijnen) (?:gelden (?:hier |nu |vandaag )?niet(?: meer)?|zijn (?:hierbij |nu )?(?:vervallen|ongeldig|opgeheven|ingetrokken))",
  },
  {
    show: "pokaż|ujawnij|wyświetl|powtórz|skopiuj|przetłumacz|streść|wypisz|zacytuj|podaj|wklej|przeczytaj|napisz",
    told: "(?:swój|swoje|twój|twoje|cały|pełny|pełne)? ?(?:[a-ząćęłńóśźż]{1,20} ){0,2}(?:prompt(?:a|u)? systemow(?:y|ego)|system prompt|prompt(?:a|u)? (?:początkow(?:y|ego)|ukryt(?:y|ego))|(?:tajne|ukryte|początkowe|wewnętrzne) (?:instrukcje|zasady|polecenia|wytyczne)|instrukcje systemowe)",
    ends: "(?:twoje|wszystkie|te) (?:[a-ząćęłńóśźż]{1,20} )?(?:zasady|reguły|instrukcje|ograniczenia|filtry|wytyczne) (?:już |dziś |tu )?(?:nie (?:obowiązują|działają|istnieją)|są (?:unieważnione|zawieszone|anulowane))",
  },
  {
    show: "покажи(?:те)?|раскрой(?:те)?|выведи(?:те)?|повтори(?:те)?|скопируй(?:те)?|переведи(?:те)?|процитируй(?:те)?|перескажи(?:те)?|напиши(?:те)?|назови(?:те)?|распечатай(?:те)?",
    told: "(?:сво[а-я]+|тво[а-я]+|мне|весь|все|полностью)? ?(?:[а-яё]+ ){0,2}(?:системн(?:ый|ого) (?:промпт|промт|запрос)[а-я]*|system prompt|(?:скрыт|секретн|исходн|начальн|внутренн|первоначальн)[а-я]+ (?:инструкци|правил|настройк|указани|промпт)[а-я]*|системн[а-я]+ инструкци[а-я]+)",
    ends: "(?:тво[а-я]+|все|прежние) (?:правила|инструкции|ограничения|запреты|фильтры) (?:больше |уже |здесь )?(?:не (?:действуют|работают|применяются)|отменены|аннулированы|сняты)",
  },
  {
    show: "покажи|розкрий|виведи|повтори|скопіюй|переклади|процитуй|перекажи|напиши|назви|роздрукуй",
    told: "(?:сво[а-яіїє]+|тво[а-яіїє]+|мені|весь|усі)? ?(?:[а-яіїєґ]+ ){0,2}(?:системн(?:ий|ого) (?:промпт|промт|запит)[а-яіїє]*|system prompt|(?:прихован|секретн|початков|внутрішн)[а-яіїє]+ (?:інструкці|правил|налаштуван|вказів|промпт)[а-яіїє]*|системн[а-яіїє]+ інструкці[а-яіїє]+)",
    ends: "(?:тво[а-яіїє]+|усі|всі|попередні) (?:правила|інструкції|обмеження|заборони|фільтри) (?:більше |вже |тут )?(?:не (?:діють|працюють|чинні)|скасовано|анульовано|знято)",
  },
  {
    show: "göster[a-zçğıöşü]*|açıkla|yaz|tekrarla|kopyala|çevir|özetle|listele|oku|ver|dök|paylaş|nedir",
    told: "(?:sistem (?:promptun|istemin|komutun|talimatların)[a-zçğıöşü]*|system prompt[a-zçğıöşü']*|(?:gizli|başlangıç|ilk|iç) (?:talimat|yönerge|kural|ayar|komut|istem)[a-zçğıöşü]*)",
    ends: "(?:kuralların|kurallar|talimatların|tüm kurallar|bütün kurallar|kısıtlamaların)(?: [a-zçğıöşü]+){0,3} (?:geçmez|geçersiz|geçerli değil|kalktı|iptal|hükmü yok)",
  },
  {
    show: "tampilkan|tunjukkan|ungkapkan|ulangi|salin|terjemahkan|ringkas|tuliskan|tulis|cetak|sebutkan|bacakan|beri tahu|berikan",
    told: "(?:prompt sistem|prompt awal|(?:instruksi|aturan|perintah|konfigurasi) (?:rahasia|tersembunyi|awal|internal|sistem))",
    ends: "(?:semua |segala )?(?:aturan|instruksi|batasan|larangan)(?:mu| anda| kamu)? (?:sudah |kini )?(?:tidak (?:berlaku|ada)(?: lagi)?|dicabut|dibatalkan|batal)",
  },
  {
    show: "أظهر|اعرض|اكشف|كرر|انسخ|ترجم|لخص|اكتب|اطبع|أعطني|أخبرني|ما هي?|اقرأ",
    told: "(?:موجه النظام|تعليمات النظام|system prompt|(?:تعليماتك|قواعدك|إعداداتك|أوامرك) (?:السرية|المخفية|الأولى|الأصلية|الداخلية|الابتدائية))",
    ends: "(?:قواعدك|تعليماتك|القيود|كل القواعد|جميع القيود|القواعد) (?:لم تعد|لا) (?:سارية|تسري|تنطبق|تشملني|موجودة|قائمة)",
  },
  {
    show: "दिखा[ओएँ]*|बता[ओएँ]*|दोहरा[ओएँ]*|छापो|अनुवाद|कॉपी|पढ़ो|प्रकट|दे दो|भेज",
    told: "(?:सिस्टम प्रॉम्प्ट|system prompt|(?:छिपे|छिपी|गुप्त|शुरुआती|प्रारंभिक|आंतरिक|मूल) (?:हुए |हुई )?(?:निर्देश|नियम|आदेश|सेटिंग|विन्यास)[ोंा]*)",
    ends: "(?:तुम्हारे|सारे|सभी|पुराने|सब) (?:नियम|निर्देश|प्रतिबंध|आदेश)(?: अब)? (?:रद्द|खत्म|समाप्त|लागू नहीं|अमान्य)",
  },
];

/** The rules, by family. */
export const promptRules: readonly Rule[] = wordings.flatMap(({ show, told, ends }) => [
  { family: "prompt_extraction", weight: 0.5, pattern: `(?:^|[^\\p{L}])(?:${show})[^\\n.!?]{0,24} (?:${told})` },
  { family: "prompt_extraction", weight: 0.5, pattern: `(?:^|[^\\p{L}])(?:${told})[^\\n.!?]{0,24} (?:${show})` },
  { family: "override", weight: 0.5, pattern: `(?:^|[^\\p{L}])(?:${ends})` },
]);
