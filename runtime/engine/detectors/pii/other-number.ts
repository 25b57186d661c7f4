// Words that identify the number after them as something other than a phone number: an order, an account, a case, a
// thing; and the forms of dates, years, addresses and decimal numbers.

/** Things that have numbers, in languages that separate words. */
const things = [
  "account|acct|card|order|invoice|ticket|tracking|routing|referen(?:ce|z|cia)|r[ée]f[ée]ren(?:ce|cia|te)|referência|riferimento|matr[ií]c\\p{L}*|matrikel\\p{L}*|r[eé]f|id|part|case|claim|passport|licen[cs]e|isbn|issn|ean|ssn|social|policy|serial|version|build|port|zip|iban|bic|swift|vat|tax|ein|imei|license plate|pin|code|booking|contract|shipment|parcel|population|years?|date|flight|room|pages?|row|score|model|size|lotto|usd|eur|€|\\$",
  "konto\\p{L}*|bestell\\p{L}*|rechnung\\p{L}*|kunden(?:nummer|nr)|auftrag\\p{L}*|vorgang\\p{L}*|vertrag\\p{L}*|aktenzeichen|serien\\p{L}*|artikel\\p{L}*|sendung\\p{L}*|modell",
  "commande|contrat|dossier|facture|série|suivi|colis|compte|réservation|modèle",
  "pedido|expediente|reserva|factura|serie|seguimiento|env[ií]o|cuenta|c[oó]digo|modelo|dni|nif|nie",
  "ordine|pratica|fattura|spedizione|codice|conto|prenotazione|modello",
  "protocolo|nota fiscal|fatura|encomenda|rastreio|conta|cep|cpf|cnpj|rg",
  "bestelling|factuur|klantnummer|order\\p{L}*|zending|rekening\\p{L}*|zaak\\p{L}*",
  "beställning\\p{L}*|kund(?:nummer|nr)|ordre?\\p{L}*|bestilling\\p{L}*|faktura\\p{L}*|tilau\\p{L}*|lasku\\p{L}*|asiakasnumero",
  "zamówieni\\p{L}*|klienta|faktur\\p{L}*|przesyłk\\p{L}*|konta|pesel|nip|objednáv\\p{L}*|účtu|rendelés\\p{L}*|számla\\p{L}*|comenz\\p{L}*|factur\\p{L}*|narudžb\\p{L}*",
  "sipariş|takip|hesap|pesanan|resi|tagihan|invois|akaun|đơn hàng|hóa đơn|tài khoản|mã",
  "заказ\\p{L}*|договор\\p{L}*|сч[её]т\\p{L}*|накладн\\p{L}*|инн|снилс|замовлен\\p{L}*|рахун\\p{L}*|поръчк\\p{L}*|παραγγελ\\p{L}*|τιμολογ\\p{L}*|λογαριασμ\\p{L}*",
  "cap|postal",
].join("|");
const numberWords =
  "number|num|no|nr|is|id|nummer|numer|n[uú]mero|numéro|numarası|numaranız|номер|ist|est|es|è|é|to|är|er|on|είναι|la";
const spacedThing = announcement(things);
/** Of these, what is ordered, billed, shipped or counted. */
const goods = [
  "order|invoice|ticket|tracking|part|serial|version|build|booking|shipment|parcel|model|isbn|issn|ean",
  "bestell\\p{L}*|rechnung\\p{L}*|auftrag\\p{L}*|serien\\p{L}*|artikel\\p{L}*|sendung\\p{L}*|modell",
  "commande|facture|colis|modèle|pedido|factura|env[ií]o|modelo|ordine|fattura|spedizione|modello",
  "nota fiscal|fatura|encomenda|rastreio|bestelling|factuur|zending|beställning\\p{L}*|ordre|bestilling\\p{L}*",
  "faktura\\p{L}*|tilau\\p{L}*|lasku\\p{L}*|tuote\\p{L}*|zamówieni\\p{L}*|faktur\\p{L}*|przesyłk\\p{L}*|objednáv\\p{L}*",
  "rendelés\\p{L}*|számla\\p{L}*|comenz\\p{L}*|sipariş|pesanan|resi|đơn hàng|hóa đơn|заказ\\p{L}*|накладн\\p{L}*|замовлен\\p{L}*",
].join("|");
const spacedGoods = announcement(goods);
const denseThing =
  /(?:订单|訂單|单号|單號|编号|編號|快递|注文|商品|製品|品番|口座|受付|주문|송장|운송장|계좌|예약)[ のの]?(?:番号|번호|号码|号|碼|码)?[是は는：:#\s]{0,3}$/u;
/** The same in scripts whose words for a thing precede or follow the word for its number. */
const scriptedThing =
  /(?:الطلب|الفاتورة|الحساب|الشحنة|سفارش|فاکتور|حساب|آرڈر|ऑर्डर|खाता|बिल|अर्डर|অর্ডার|হিসাব|הזמנה|ההזמנה|חשבונית|חשבון|ใบสั่งซื้อ|ค(?:ำ|ํา)สั่งซื้อ|พัสดุ|บัญชี)[ :：#]{0,3}(?:(?:هو|رقم|نمبر|नंबर|संख्या|নম্বর|מספר|הוא|เลขที่)[ :#]{0,2})?$/u;

/** The text ends in one of these words, and perhaps in words for its number. */
function announcement(words: string): RegExp {
  return new RegExp(
    `(?<![\\p{sc=Latn}\\p{sc=Grek}\\p{sc=Cyrl}\\p{N}])(?:${words})(?!\\p{L})["']?[ _:#.=n°º№]{0,6}(?:(?:${numberWords})[ :#.]{0,4}){0,2}["']?$`,
    "iu",
  );
}

/** Whether a text ends in the name of something that is ordered, billed, shipped or counted, whose number follows. */
export function announcesGoods(before: string): boolean {
  return spacedGoods.test(before) || denseThing.test(before);
}

/** Whether a text ends in the name of a thing whose number follows and is not a phone number. */
export function announcesOther(before: string): boolean {
  return spacedThing.test(before) || denseThing.test(before) || scriptedThing.test(before);
}

const phoneStart =
  "tele|tel|tél|phone|mobil|mobiel|handy|ruf|fax|cell|celul|kontakt|conta[ct]|móv|mov|whats|wa |hp|portable|hotline|help|service|notruf|durchwahl|fest|gsm|kom|cep|puhelin|телеф|моб|сот|τηλ|κιν|هاتف|الهاتف|جوال|الجوال|تلفن|موبایل|همراه|טלפון|נייד|โทร|มือถือ|điện|電話|携帯|手机|手機|电话|联系|連絡|전화|휴대|연락|핸드|फ़ोन|फोन|मोबाइल|ফোন|মোবাইল|فون|موبائل";
const owner =
  "my|your|his|her|our|their|the|this|that|these|new|old|at|on|to|is|as|direct|office|home|work|free|emergency|following|same|right|wrong|another|personal|private|business|local|unknown|whose|a|any|one|moje|tvoje|jeho|její|nové|na|мой|твой|его|её|ее|их|наш|ваш|новый|этот|на|по|за|мій|твій|його|її|новий|цей|[a-z]{4,12}i ";
const link = "(?:[ :：#.=]{0,3}(?:is|ist|est|es|è|é|är|er|on|to|la|είναι|هو|הוא|は|는|은|是|為|है))?[ :：#.=n°º]{0,4}$";
const letter = "[\\p{L}\\p{M}]";
/** A vowel sign of Devanagari is a mark: a word does not begin behind it. */
const wordStart = "(?<![\\p{L}\\p{M}])";
/**
 * A noun before or within a word for a number that is not a phone's: "member number", "Mitgliedsnummer", "номер
 * клиента".
 */
const ownedNumber = new RegExp(
  [
    `${wordStart}(?!${phoneStart})${letter}{2,20}(?:nummer(?:n|et)?|numret|numero(?:ni)?|szám\\p{L}{0,3}|番号|번호|号码|號碼|编号|id)`,
    `${wordStart}(?!(?:${owner})(?!\\p{L})|${phoneStart})${letter}{2,20} (?:number|numarası|numero|číslo|номер|नंबर|संख्या|নম্বর|نمبر|번호)`,
    `${wordStart}(?:n[uú]mero|numéro|numer|čísl[oa]|num[aă]rul|номер\\p{L}*|nomor|nombor|رقم|شماره|αριθμός|מספר|matr[ií]cul\\p{L}*|code|codice|c[oó]digo|referencia|référence) (?:de l['’]|de |d['’]|di |do |da |del |della )?(?!${phoneStart}|est |es |é |è |είναι|من |هو|saya|kami|של)${letter}{3,20}`,
    `mã(?: \\p{L}{2,8}){1,2}`,
    `หมายเลข(?!${phoneStart})${letter}{2,12}`,
  ]
    .map((form) => `(?:${form})${link}`)
    .join("|"),
  "iu",
);

/**
 * Whether a text ends in the word for a number of something else; it counts only when the digits are not written like
 * those of phones.
 */
export function announcesOwned(before: string): boolean {
  return ownedNumber.test(before);
}

const forms = [
  String.raw`(?:1[5-9]|20)\d\d[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:0?[1-9]|[12]\d|3[01])(?:\D|$)`,
  String.raw`(?:0?[1-9]|[12]\d|3[01])[-./](?:0?[1-9]|[12]\d|3[01])[-./](?:1[5-9]|20)?\d\d(?: \d\d)?$`,
  String.raw`(?:0?[1-9]|[12]\d|3[01])[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:19|20)\d\d(?:\D|$)`,
  String.raw`(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$`,
  String.raw`(?:1[5-9]|20)\d\d ?[-–/] ?(?:1[5-9]|20)\d\d$`,
  String.raw`(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$`,
  String.raw`(?:\+ )?(?:0|[1-9]\d?)\.\d{5,}$`,
  String.raw`\d{3}-\d{2}-\d{4}$`,
  String.raw`\d{3}\.\d{3}\.\d{3}-\d\d$`,
];
const otherForm = new RegExp(`^(?:${forms.join("|")})`);

/** Whether digits are written as a date, years, an IP address, a decimal number or an identity number. */
export function hasOtherForm(written: string): boolean {
  return otherForm.test(written);
}

/** Units that follow an amount. */
export const unitBehind = /^ ?(?:[元円원€$£₽₹%]|руб|(?:euros?|eur|usd|dollars?|km|kg|mb|gb|m2|m²|mah)(?!\p{L}))/iu;
