import examples from "libphonenumber-js/examples.mobile.json";
import { getExampleNumber } from "libphonenumber-js/max";
import { describe, expect, it } from "vitest";
import { found } from "../scan.ts";

/** Sentences and the countries whose mobile numbers are written in them as at home. */
const sentences: readonly (readonly [string, readonly ("US" | keyof typeof examples)[]])[] = [
  ["My number is {}, text me.", ["US", "CA", "GB", "IE", "AU", "NZ", "ZA", "NG", "KE", "SG", "IN"]],
  ["T: {} | F: none", ["US", "GB", "DE", "FR", "ES"]],
  ['{"name":"Ann","phone_number":"{}"}', ["US", "GB", "DE", "FR"]],
  ["Meine Handynummer ist {}.", ["DE", "AT", "CH"]],
  ["Mon numéro est le {}.", ["FR", "BE", "CH"]],
  ["Llámame al {} cuando salgas.", ["ES", "MX", "AR", "CL", "CO"]],
  ["Il mio numero è {}.", ["IT"]],
  ["Ligue para {} amanhã.", ["PT", "BR"]],
  ["Bel me op {}.", ["NL", "BE"]],
  ["Ring meg på {}.", ["NO", "SE", "DK"]],
  ["Soita minulle numeroon {}.", ["FI"]],
  ["Proszę dzwonić pod {}.", ["PL"]],
  ["Zavolej mi na {}.", ["CZ", "SK"]],
  ["Hívj fel a {} számon.", ["HU"]],
  ["Numărul meu este {}.", ["RO"]],
  ["Πάρε με τηλέφωνο στο {}.", ["GR"]],
  ["Beni {} numarasından ara.", ["TR"]],
  ["Мой номер {}.", ["RU"]],
  ["Зателефонуйте мені на {}.", ["UA"]],
  ["תתקשר אליי ל-{}.", ["IL"]],
  ["رقمي هو {}.", ["EG", "SA", "AE"]],
  ["با {} تماس بگیرید.", ["IR"]],
  ["मुझे {} पर कॉल करें।", ["IN"]],
  ["میرا نمبر {} ہے۔", ["PK"]],
  ["আমার নম্বর {}।", ["BD"]],
  ["Hubungi saya di {}.", ["ID", "MY"]],
  ["เบอร์ของฉันคือ {}", ["TH"]],
  ["Gọi cho tôi theo số {}.", ["VN"]],
  ["Tawagan mo ako sa {}.", ["PH"]],
  ["请打{}找我。", ["CN", "TW"]],
  ["私の番号は{}です。", ["JP"]],
  ["제 번호는 {}입니다.", ["KR"]],
];

const cases = sentences.flatMap(([sentence, countries]) =>
  countries.flatMap((country) => {
    const number = getExampleNumber(country, examples);
    if (number === undefined) throw new Error(`no number of ${country}`);
    return [number.formatNational(), number.formatInternational(), number.number].map(
      (written) => [written, sentence.split("{}").join(written)] as const,
    );
  }),
);

const nearMisses: readonly string[] = [
  "Order number 4155552671, please ring when it arrives.",
  "Please give your membership number 987654321 when you call.",
  "contact_id=697512512710",
  "text size 12.3456789",
  "My work: 12.5 + 3.1415926535",
  "phone model 3310-8850",
  "Meine Mitgliedsnummer ist 96470660, bitte zurückrufen.",
  "Aktenzeichen 2336958720, bitte anrufen",
  "numéro de série 7065226856, appelez-nous",
  "Le numéro de dossier est 612345678.",
  "El número de expediente es 612345678, llámenos.",
  "numero di serie 5164314951",
  "CPF 123.456.789-09 contato",
  "Het ordernummer is 612345678, bel ons.",
  "Číslo objednávky 506572536, zavolejte",
  "Rendelésszám 531331337, hívjon",
  "Номер клиента 9161234567, позвоните.",
  "رقم الطلب 432387468، اتصل بنا",
  "شماره سفارش 934822627، تماس بگیرید",
  "ऑर्डर नंबर 9876543210 के लिए कॉल करें",
  "手机价格是12345678元",
  "客户编号13812345678，请致电",
  "会員番号21487397、お電話ください",
  "고객번호 988455929 전화 주세요",
  "เลขที่ใบสั่งซื้อ 812345678 โทรสอบถาม",
  "Số đơn hàng 988455929, gọi cho chúng tôi",
  "Nomor pesanan 812345678, hubungi kami",
  "Sipariş numarası 5321234567, bizi arayın",
  "מספר הזמנה 501234567, התקשרו",
  "Αριθμός παραγγελίας 6912345678, καλέστε",
  "we call on 20240519",
  "03 06 2024 12 30",
  "1024 2048 4096 8192",
  "2 000 000 000",
  "Lotto: 03 12 25 33 41 49",
];

describe("phone numbers", () => {
  it.each(cases)("%s is found in %j", (written, text) => {
    expect(found("pii", text, { entities: ["PHONE"] })).toEqual([written]);
  });

  it.each(nearMisses)("%j has none", (text) => {
    expect(found("pii", text, { entities: ["PHONE"] })).toEqual([]);
  });

  it.each([
    ["call 212·555·0147", ["212·555·0147"]],
    ["030 12345678 · 0171 1234567", ["030 12345678", "0171 1234567"]],
    ["தொலைபேசி எண் ௯௮௭௬௫ ௪௩௨௧௦", ["௯௮௭௬௫ ௪௩௨௧௦"]],
    ["Nipigie simu 0712 345 678", ["0712 345 678"]],
    ["電話番号は０９０－１２３４－５６７８です", ["０９０－１２３４－５６７８"]],
    ["मेरा मोबाइल नंबर ९८७६५४३२१० है", ["९८७६५४३२१०"]],
    ["رقم جوالي هو ٠٥٠ ١٢٣ ٤٥٦٧ شكرا", ["٠٥٠ ١٢٣ ٤٥٦٧"]],
    ["Part no. 030-1234-567", []],
    ["réf. 06 2024 118", []],
  ])("in dots, in digits of other scripts, and beside names of parts: %j", (text, numbers) => {
    expect(found("pii", text, { entities: ["PHONE"] })).toEqual(numbers);
  });

  it("are read by the plans of the named regions only, in every language", () => {
    const text = "Ring meg på 40 61 23 45.";
    expect(found("pii", text, { entities: ["PHONE"], phone_regions: ["US"] })).toEqual([]);
    expect(found("pii", text, { entities: ["PHONE"], phone_regions: ["NO"] })).toEqual(["40 61 23 45"]);
  });

  it("have a country code without its sign only in the groups of its plan", () => {
    expect(found("pii", "Ask for Bob, 254 712 123456.", { entities: ["PHONE"] })).toEqual(["254 712 123456"]);
    expect(found("pii", "Rows 254712 123456 follow.", { entities: ["PHONE"] })).toEqual([]);
  });
});
