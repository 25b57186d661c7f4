// Words that say that a number is one to dial, by language: names of phones and of their numbers, and what people do with them. A language
// also tells whose national numbers to expect. A bounded part of the text is read.

import type { CountryCode } from "libphonenumber-js/max";

/** What a language says around numbers, as the source of a pattern. */
interface PhoneLanguage {
  /** Where its numbers without a country code may be from. */
  readonly regions: readonly CountryCode[];
  /** What stands right before a number, as in a form. */
  readonly names: string;
  /** What is said in the sentence of a number. */
  readonly calls: string;
  /** The letters that tell the language without any word. */
  readonly script?: string;
}

/** Languages whose words are set apart. */
const spaced: readonly PhoneLanguage[] = [
  {
    regions: ["US", "GB", "CA", "AU", "NZ", "IE", "ZA", "NG", "KE", "SG", "IN"],
    names:
      "phones?|telephone|mobile|cell|cellphone|cellular|office|desk|landline|helpline|hotline|direct (?:line|dial)|contact|home|work|call",
    calls: "calls|calling|called|contact\\p{L}*|dial|text|messages?|messaging|ring|rang|reach|voice ?mail",
  },
  {
    regions: [],
    names:
      "tel|phone|telefon\\p{L}*|mobil|handy|fax|whatsapp|viber|signal|telegram|gsm|mob|phn|ph|tlf|telf|cel|kontakt|contacto",
    calls: "sms|whats|nummer|numer|numero|n[uú]mero|kontakt\\p{L}*|contat\\p{L}*",
  },
  {
    regions: ["DE", "AT", "CH"],
    names: "handynummer|handynr|mobilnummer|rufnummer|festnetz|durchwahl|meine nummer ist",
    calls: "ruf\\p{L}*|anruf\\p{L}*|ange?rufen|erreich\\p{L}*",
  },
  {
    regions: ["FR", "BE", "CH", "CA"],
    names: "téléphone|tél|portable|fixe|mon numéro est le",
    calls: "numéro|appel\\p{L}*|rappel\\p{L}*|joindre|joign\\p{L}*|joignable|texto|contactez|téléphon\\p{L}*",
  },
  {
    regions: ["ES", "MX", "AR", "CO", "CL", "PE"],
    names: "tel[eé]fono|m[oó]vil|celular|cel\\.?|contacto|mi n[uú]mero es(?: el)?",
    calls: "ll[aá]m\\p{L}*|marca\\p{L}*|marque|avís\\p{L}*|contáct\\p{L}*|escríbe\\p{L}*",
  },
  {
    regions: ["IT", "CH"],
    names: "telefono|cellulare|recapito|contatto|il mio numero è",
    calls: "chiam\\p{L}*|telefona\\p{L}*|trovi al|richiam\\p{L}*",
  },
  {
    regions: ["BR", "PT"],
    names: "telefone|telem[oó]vel|celular|zap|contato|meu n[uú]mero é(?: o)?",
    calls: "ligue|ligar|liga|chama|telefonar",
  },
  {
    regions: ["NL", "BE"],
    names: "telefoon\\p{L}*|mobiel|mobiele|06-nummer|mijn nummer is",
    calls: "bel|bell|bellen|gebeld|bereik\\p{L}*|appje",
  },
  {
    regions: ["SE", "NO", "DK", "FI"],
    names:
      "mobil(?:nummer|nr|telefon|numret)\\p{L}*|mitt nummer är|nummeret mitt er|mit nummer er|puhelin\\p{L}*|puh|numeroni on",
    calls:
      "ring\\p{L}*|når? (?:oss|os|mig|meg)|nås|nummeret|nummer (?:er|är)|treffes|fange|soit\\p{L}*|tavoit\\p{L}*|numero(?:on|sta|ssa)",
  },
  {
    regions: ["PL"],
    names: "komórk\\p{L}*|kom\\.|mój numer to|numer telefonu",
    calls: "pod numerem|dzwoni\\p{L}*|zadzwo\\p{L}*",
  },
  {
    regions: ["CZ", "SK"],
    names: "moje číslo je|telefonní číslo|telefónne číslo",
    calls: "čísl[oeu]|zavol\\p{L}*|volej\\p{L}*|volajte",
  },
  {
    regions: ["HU", "RO", "HR", "RS", "SI"],
    names: "telefonszám\\p{L}*|a számom|num[aă]rul meu este|broj telefona",
    calls:
      "szám(?:om|on)|num[aă]r(?:ul)?|broj|hívj\\p{L}*|hívd|hívás|elérhető|sun[aă]\\p{L}*|apela[tț]i|nazov\\p{L}*|pokli[cč]\\p{L}*",
  },
  {
    regions: ["TR"],
    names: "cep|numaram",
    calls: "numara\\p{L}*|ara(?:yın|yabilir\\p{L}*)?|ulaş\\p{L}*",
  },
  {
    regions: ["ID", "MY"],
    names: "telp|telepon|no\\.? ?hp|h/p|nom(?:or|bor) saya",
    calls: "wa|nomor|nombor|hubungi|telefon|menelepon|menghubungi",
  },
  {
    regions: ["VN"],
    names: "điện thoại|đt|sđt|sdt|theo số|số của tôi là",
    calls: "gọi|liên hệ|alo",
  },
  {
    regions: ["PH"],
    names: "telepono|cellphone|[a-z]{4,12}i number",
    calls: "tawag\\p{L}*|i-text|tumawag",
  },
  {
    script: "\\p{sc=Cyrl}",
    regions: ["RU", "UA", "KZ", "BY", "BG", "RS"],
    names: "телефон\\p{L}*|тел|моб\\p{L}*|сотов\\p{L}*|мо[йї] номер|мій номер|факс",
    calls: "номер\\p{L}*|звон\\p{L}*|позвон\\p{L}*|дзвон\\p{L}*|зателефон\\p{L}*|обад\\p{L}*",
  },
  {
    script: "\\p{sc=Grek}",
    regions: ["GR", "CY"],
    names: "τηλ\\p{L}*|κινητό|ο αριθμός μου είναι|φαξ",
    calls: "αριθμ\\p{L}*|καλέ\\p{L}*|πάρε|κάλεσ\\p{L}*|στείλ\\p{L}*",
  },
];

/** Languages whose words stand within others, or take letters of others before them. */
const scripted: readonly PhoneLanguage[] = [
  {
    script: "\\p{sc=Hebr}",
    regions: ["IL"],
    names: "טלפון|נייד|פלאפון|המספר שלי הוא|פקס",
    calls: "מספר|תתקשר\\p{L}*|להתקשר|התקשרו|תצלצל|להשיג",
  },
  {
    script: "\\p{sc=Arab}",
    regions: ["SA", "EG", "AE", "IR", "PK", "MA", "IQ", "JO"],
    names: "هاتف|الهاتف|جوال|موبايل|واتساب|رقمي(?: هو)?|تلفن|موبایل|همراه|شماره من|فون|موبائل|میرا نمبر",
    calls: "رقم|شماره|نمبر|اتصل\\p{L}*|الاتصال|تماس|زنگ|کال|رابطہ",
  },
  {
    script: "\\p{sc=Deva}",
    regions: ["IN", "NP"],
    names: "फ़ोन|फोन|मोबाइल|मेरा नंबर|व्हाट्सएप",
    calls: "नंबर|कॉल|संपर्क",
  },
  {
    script: "\\p{sc=Beng}",
    regions: ["BD", "IN"],
    names: "ফোন|মোবাইল|আমার নম্বর",
    calls: "নম্বর|নাম্বার|কল|যোগাযোগ",
  },
  {
    script: "\\p{sc=Thai}",
    regions: ["TH"],
    names: "เบอร์(?:โทร)?\\p{L}{0,8}|โทร\\p{L}{0,6}|มือถือ",
    calls: "ติดต่อ|โทร",
  },
  {
    script: "[\\p{sc=Hira}\\p{sc=Kana}]",
    regions: ["JP"],
    names: "電話(?:番号)?|携帯(?:電話)?|私の番号は|直通",
    calls: "連絡|問い合わせ",
  },
  {
    script: "\\p{sc=Hang}",
    regions: ["KR"],
    names: "전화(?:번호)?|휴대폰|핸드폰|연락처|제 번호는",
    calls: "연락|문의",
  },
  {
    script: "\\p{sc=Han}",
    regions: ["CN", "TW", "HK"],
    names: "电话|電話|手机号?|手機|我的(?:号码|號碼)是?|微信|热线|熱線",
    calls: "拨打?|撥打?|请打|請打|致电|致電|联系|聯絡|来电",
  },
];

const apart = (source: string): string => `(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])`;
const joined = (list: readonly PhoneLanguage[], part: (language: PhoneLanguage) => string): string =>
  list.map(part).join("|");

const spacedNames = joined(spaced, ({ names }) => names);
const denseNames = joined(scripted, ({ names }) => names);
const ownNumber =
  "(?:phone|mobile|cell|contact|tel|fax|telefon)[_-]?(?:number|no|nr)|(?:phone|contact|my|new|[a-z]{4,12}i|my (?:new|other|work|home|office|private|personal|cell|mobile|german|american|\\p{L}{2})) number|(?:our|his|her|their|your|the|whose|whatsapp) number is";

/** Words around a number that say that it is one to dial. */
export const phoneWords = new RegExp(
  `${apart(joined(spaced, ({ names, calls }) => `${names}|${calls}`))}|${joined(scripted, ({ names, calls }) => `${names}|${calls}`)}|${ownNumber}`,
  "iu",
);

/** A name that stands right before a number, at the end of a text. */
export const phoneLabel = new RegExp(
  `(?:(?<![\\p{L}\\p{N}])(?:${spacedNames})(?:[ _-]?(?:number|nummer|no|nr|num|#))?|${denseNames}|${ownNumber})(?: (?:is|ist|at|on|me at|us at|me on))?["']?[\\s:：.=)#*\\\\,-]{0,8}["']?$`,
  "iu",
);

/** The letter that stands for such a name on a card, at the end of a text. */
export const phoneLetter = /(?:^|[\s|,;([])[TPMFCHW][.:] ?$/i;

/** A name that stands right behind a number, at the beginning of a text. */
export const phoneLabelBehind = new RegExp(`^[-\\s(,]{1,3}(?:${spacedNames})(?![\\p{L}\\p{N}])`, "iu");

const languages = [...scripted, ...spaced]
  .filter(({ regions }) => regions.length > 0)
  .map(({ regions, names, calls, script }) => ({
    regions,
    sign: new RegExp(script ?? apart(`${names}|${calls}`), "iu"),
  }));

/** The regions whose numbers a text in this language and script would hold: empty when nothing tells. */
export function regionsOfWords(text: string): CountryCode[] {
  return languages.flatMap(({ regions, sign }) => (sign.test(text) ? regions : []));
}
