import { describe, expect, it } from "vitest";
import { keccak256 } from "../../../../../runtime/engine/detectors/pii/keccak.ts";
import { found, scan } from "../scan.ts";

/** Entity, a text, and what of it is found: nothing for a near miss. */
const cases: readonly (readonly [string, string, string | undefined])[] = [
  ["PHONE", "call me at +44 20 7946 0958 please", "+44 20 7946 0958"],
  ["PHONE", "My number is (415) 555-2671.", "(415) 555-2671"],
  ["PHONE", "Mobile: 0494 92 82 32", "0494 92 82 32"],
  ["PHONE", "Tel.: 030 901820", "030 901820"],
  ["PHONE", "Fax 001-748-088-2851x818", "001-748-088-2851x818"],
  ["PHONE", "电话 13812345678", "13812345678"],
  ["PHONE", "请拨打13812345678联系我", "13812345678"],
  ["PHONE", "連絡先は090-1234-5678までお願いします。", "090-1234-5678"],
  ["PHONE", "Me liga no (11) 96123-0705 quando puder.", "(11) 96123-0705"],
  ["PHONE", "Zadzwoń do mnie: 512 345 678", "512 345 678"],
  ["PHONE", "Bel 020 794 6095 over factuur 612345678.", "020 794 6095"],
  ["PHONE", "Telefon dnia 2024-05-17, zamówienie 512345678", undefined],
  ["PHONE", "订单号13812345678已发货，电话稍后提供", undefined],
  ["PHONE", "Contacts: CEP 01310-100, São Paulo", undefined],
  ["PHONE", "signal: 1010 1101 1001 0001", undefined],
  ["PHONE", "Marketing contact (2019-2022)", undefined],
  ["PHONE", "the years 1990-2000 and 2010-2020", undefined],
  ["PHONE", "on 2024-05-17 and 17.05.2024", undefined],
  ["PHONE", "pi is 3.14159265358979", undefined],
  ["PHONE", "version 10.20.30.40, build 1234567890", undefined],
  ["PHONE", "order number 4155552671 was sent", undefined],
  ["PHONE", "Тел. 8 (495) 123-45-67", "8 (495) 123-45-67"],
  ["PHONE", "Позвоните нам. Заказ 0494928232", undefined],
  ["PHONE", "телевизор 0494928232", undefined],
  ["PHONE", "id=123456789012345", undefined],
  ["PHONE", "His social security number is 455-99-6622", undefined],
  ["PHONE", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", undefined],
  ["SSN", "SSN 455-99-6622", "455-99-6622"],
  ["SSN", "social security number 455996622", "455996622"],
  ["SSN", "000-12-3456, 666-12-3456, 912-12-3456, 123-00-4567, 123-45-0000", undefined],
  ["SSN", "part 455996622 in stock", undefined],
  ["SSN", "078-05-1120 was printed on a wallet card", undefined],
  ["SSN", "My SSN is 123-45-6789.", "123-45-6789"],
  ["SSN", "My social security number is 219-09-9999", "219-09-9999"],
  ["SSN", "My SSN is 111-11-1111, or 222222222", undefined],
  ["SSN", "PN 536-90-4399-B", undefined],
  ["SSN", "order 536-90-4399", undefined],
  ["SSN", "Part No. 536-90-4399", undefined],
  ["SSN", "order for 536-90-4399", "536-90-4399"],
  ["SSN", "order 7, SSN 536-90-4399", "536-90-4399"],
  ["SSN", "536‑90‑4399 and 536-90", "536‑90‑4399"],
  ["ITIN", "ITIN 912-70-1234", "912-70-1234"],
  ["ITIN", "ITIN 912-40-1234", undefined],
  ["EIN", "EIN: 12-3456789", "12-3456789"],
  ["EIN", "EIN: 07-3456789", undefined],
  ["CREDIT_CARD", "credit card 3598899323053410", "3598899323053410"],
  ["EMAIL", "write to ann@example.com", "ann@example.com"],
  ["CREDIT_CARD", "5555.5555.5555.4444", "5555.5555.5555.4444"],
  ["CREDIT_CARD", "5555‑5555‑5555‑4444", "5555‑5555‑5555‑4444"],
  ["CREDIT_CARD", "5555–5555–5555–4444", "5555–5555–5555–4444"],
  ["CREDIT_CARD", "5555  5555  5555  4444", "5555  5555  5555  4444"],
  ["CREDIT_CARD", "5555 5555\n5555 4444", "5555 5555\n5555 4444"],
  ["CREDIT_CARD", "55555555 55554444", "55555555 55554444"],
  ["CREDIT_CARD", "5 5 5 5 5 5 5 5 5 5 5 5 4 4 4 4", "5 5 5 5 5 5 5 5 5 5 5 5 4 4 4 4"],
  ["CREDIT_CARD", "my card:\n5555\n5555\n5555\n4444", "5555\n5555\n5555\n4444"],
  ["CREDIT_CARD", "5555\n5555\n5555\n4444", undefined],
  ["CREDIT_CARD", "5555.5555.5555.4444.1", undefined],
  ["CREDIT_CARD", "5555  5555  5555  4444  1234", undefined],
  ["CREDIT_CARD", "5555.5555-5555.4444", undefined],
  ["CREDIT_CARD", "55555 555.5555 5554.444", undefined],
  ["CREDIT_CARD", "رقم بطاقتي ٤٥٣٢٠١٥١١٢٨٣٠٣٦٦", "٤٥٣٢٠١٥١١٢٨٣٠٣٦٦"],
  ["PHONE", "رقم هاتفي ٠٥٠١٢٣٤٥٦٧", "٠٥٠١٢٣٤٥٦٧"],
  ["PHONE", "मेरा नंबर ९८७६५४३२१०", "९८७६५४३२१०"],
  ["IBAN", "from DE89370400440532013000", "DE89370400440532013000"],
  ["IBAN", "送金先:DE89370400440532013000です", "DE89370400440532013000"],
  ["IBAN", "계좌 DE89370400440532013000로", "DE89370400440532013000"],
  ["IBAN", "DE89.3704.0044.0532.0130.00", "DE89.3704.0044.0532.0130.00"],
  ["IBAN", "DE89 370400440 532013000", "DE89 370400440 532013000"],
  ["IBAN", "FR14 20041 01005 0500013M026 06", "FR14 20041 01005 0500013M026 06"],
  ["IBAN", "DE89 3704 0044 0532\n0130 00", "DE89 3704 0044 0532\n0130 00"],
  ["IBAN", "DE89 3704-0044 0532 0130 00", undefined],
  ["IBAN", "DE89 37 04abc 0044 0532", undefined],
  ["IBAN", "xDE89370400440532013000, éDE89370400440532013000é", undefined],
  ["IP", "ping 192.0.2.7", "192.0.2.7"],
  ["IP", "東京192.0.2.7です", "192.0.2.7"],
  ["IP", "OS 1.2.3.4 firmware", undefined],
  ["IP", "iOS 1.2.3.4", undefined],
  ["URL", "at https://[2001:db8::1]/x now", "https://[2001:db8::1]/x"],
  ["URL", "(https://[2001:db8::1]:8443)", "https://[2001:db8::1]:8443"],
  ["URL", "https://[2001:db8::1].", "https://[2001:db8::1]"],
  ["URL", "https://[name]/x", undefined],
  ["URL", "see https://example.com/a", "https://example.com/a"],
  ["URL", "see example.org", "example.org"],
  ["BIC", "BIC: DEUTDEFF500", "DEUTDEFF500"],
  ["BIC", "The HOMEPAGE is fine", undefined],
  ["BIC", "DEUTSCHE BANK", undefined],
  ["BIC", "OUR BANK CUSTOMER SERVICE", undefined],
  ["BIC", "Bank: DEUTDEFF", "DEUTDEFF"],
  ["BIC", "SWIFT DEUTDEFF IBAN", "DEUTDEFF"],
  ["BIC", "BIC: DEUTZZFF500", undefined],
  ["MAC", "at 00:1A:2B:3C:4D:5E.", "00:1A:2B:3C:4D:5E"],
  ["MAC", "at 001a.2b3c.4d5e", "001a.2b3c.4d5e"],
  ["MAC", "00:1A:2B:3C:4D and 00:1A-2B:3C-4D:5E", undefined],
  ["VIN", "VIN 1HGCM82633A004352", "1HGCM82633A004352"],
  ["VIN", "1HGCM82633A004353", undefined],
  ["COORDINATES", "meet at 52.520008, 13.404954 (gps)", "52.520008, 13.404954"],
  ["COORDINATES", "52°31'12\"N 13°24'18\"E", "52°31'12\"N 13°24'18\"E"],
  ["COORDINATES", "location 95.520008, 13.404954", undefined],
  ["CRYPTO", "to 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"],
  ["CRYPTO", "to 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb", undefined],
  ["CRYPTO", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"],
  ["CRYPTO", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdp", undefined],
  ["CRYPTO", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"],
  ["CRYPTO", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", undefined],
  ["DATE_OF_BIRTH", "geboren am 17.05.1984", "17.05.1984"],
  ["DATE_OF_BIRTH", "DOB: 1984-05-17", "1984-05-17"],
  ["DATE_OF_BIRTH", "the meeting on 1984-05-17", undefined],
  ["DATE_OF_BIRTH", "DOB 29.02.1984", "29.02.1984"],
  ["DATE_OF_BIRTH", "DOB 12/31/84", "12/31/84"],
  ["DATE_OF_BIRTH", "née le 1er août 1984, born 3 août 1984", "3 août 1984"],
  ["DATE_OF_BIRTH", "born on May 17th, 1984", "May 17th, 1984"],
  ["DATE_OF_BIRTH", "生年月日 1984年5月17日", "1984年5月17日"],
  ["DATE_OF_BIRTH", "DOB 31.02.1984", undefined],
  ["DATE_OF_BIRTH", "DOB 29.02.1983", undefined],
  ["DATE_OF_BIRTH", "DOB 17.05.2084", undefined],
  ["DATE_OF_BIRTH", "DOB 17.05.1784", undefined],
  ["DATE_OF_BIRTH", "DOB 17.05.198", undefined],
  ["DATE_OF_BIRTH", "born on April 31, 1984", undefined],
  ["PASSPORT", "passport no. C01X00T47", "C01X00T47"],
  ["PASSPORT", "паспорт 4509 123456 выдан", "4509 123456"],
  ["PASSPORT", "паспорт 45 09 123456, выдан", "45 09 123456"],
  ["PASSPORT", "паспорт: 45 09 № 123456", "45 09 № 123456"],
  ["PASSPORT", "паспорт 4509123456", "4509123456"],
  ["PASSPORT", "passport 123456", "123456"],
  ["PASSPORT", "паспорт 4509 1234567", "1234567"],
  ["PASSPORT", "part no. C01X00T47", undefined],
  ["DRIVING_LICENCE", "driver's license D1234567", "D1234567"],
  ["DRIVING_LICENCE", "software license D1234567", undefined],
  ["HEALTH_ID", "NHS number 401 023 2137", "401 023 2137"],
  ["HEALTH_ID", "NHS number 401 023 2138", undefined],
  ["HEALTH_ID", "NPI 1234567893", "1234567893"],
  ["HEALTH_ID", "DEA number AB1234563", "AB1234563"],
  ["HEALTH_ID", "MRN: 00123456", "00123456"],
  ["BANK_ROUTING", "routing number 121000358", "121000358"],
  ["BANK_ROUTING", "routing number 121000359", undefined],
];

describe("entities of personal data", () => {
  it.each(cases)("%s in %j: %j", (entity, text, expected) => {
    const detections = scan("pii", text, { entities: [entity] }).filter(({ score }) => score >= 0.5);
    expect(detections.map(({ start, end }) => text.slice(start, end))).toEqual(
      expected === undefined ? [] : [expected],
    );
    for (const { attributes } of detections) expect(attributes?.basis ?? "").not.toBe("");
  });
});

/** Kind, and a number whose check digits are right. A near miss has another last digit or letter. */
const identities: readonly (readonly [string, string])[] = [
  ["es_dni", "DNI 12345678Z"],
  ["es_nie", "NIE X1234567L"],
  ["it_codice_fiscale", "codice fiscale RSSMRA85T10A562S"],
  ["it_partita_iva", "partita IVA 07643520567"],
  ["fr_nir", "sécurité sociale 1 84 12 76 451 089 46"],
  ["de_steuer_id", "Steuer-ID 86095742719"],
  ["nl_bsn", "BSN 111222333"],
  ["be_rijksregister", "rijksregister 85.07.30-033.28"],
  ["ch_ahv", "AHV 756.9217.0769.85"],
  ["at_svnr", "SVNR 1237 010180"],
  ["pl_pesel", "PESEL 44051401359"],
  ["pl_nip", "NIP 526-000-12-46"],
  ["ro_cnp", "CNP 1800101221144"],
  ["bg_egn", "ЕГН 7523169263"],
  ["hr_oib", "OIB 33392005961"],
  ["si_emso", "EMŠO 0101006500006"],
  ["se_personnummer", "personnummer 811228-9874"],
  ["fi_hetu", "henkilötunnus 131052-308T"],
  ["ee_isikukood", "isikukood 37605030299"],
  ["lv_personas_kods", "personas kods 161175-19997"],
  ["ie_pps", "PPS 1234567T"],
  ["pt_nif", "NIF contribuinte 501964843"],
  ["tr_kimlik", "kimlik 10000000146"],
  ["ru_snils", "СНИЛС 112-233-445 95"],
  ["ru_inn", "ИНН 500100732259"],
  ["br_cpf", "CPF 390.533.447-05"],
  ["br_cnpj", "CNPJ 16.727.230/0001-97"],
  ["ar_cuit", "CUIT 20-05536168-2"],
  ["cl_rut", "RUT 12.531.909-2"],
  ["ca_sin", "SIN 123 456 782"],
  ["in_aadhaar", "Aadhaar 2341 2341 2346"],
  ["cn_resident_id", "身份证 11010519491231002X"],
  ["tw_id", "身分證 A123456789"],
  ["kr_rrn", "주민등록 971013-9019902"],
  ["sg_nric", "NRIC S1234567D"],
  ["il_teudat_zehut", "teudat zehut 039337423"],
  ["za_id", "identity number 8001015009087"],
  ["au_tfn", "TFN 123 456 782"],
  ["au_abn", "ABN 83 914 571 673"],
  ["nz_ird", "IRD 49-091-850"],
  ["jp_my_number", "マイナンバー 6214 9832 0257"],
];

describe("identity numbers", () => {
  const every = { entities: ["NATIONAL_ID", "TAX_ID", "HEALTH_ID"] };
  const kindsIn = (text: string) => scan("pii", text, every).map(({ attributes }) => attributes?.kind);

  it.each(identities)("%s: %j is found", (kind, text) => {
    expect(kindsIn(`${text}, thanks`)).toContain(kind);
  });

  it.each(identities)("%s: %j with another end is not found", (kind, text) => {
    const last = text.slice(-1);
    const other = /\d/.test(last) ? String((Number(last) + 1) % 10) : last === "B" ? "E" : "B";
    expect(kindsIn(`${text.slice(0, -1)}${other}, thanks`)).not.toContain(kind);
  });

  it("belong to at least 25 countries", () => {
    expect(new Set(identities.map(([kind]) => kind.slice(0, 2))).size).toBeGreaterThanOrEqual(25);
  });
});

describe("Keccak-256", () => {
  it("is that of Ethereum", () => {
    expect(keccak256("")).toBe("c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
    expect(keccak256("abc")).toBe("4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45");
  });
});

describe("overlapping findings", () => {
  it("is found once, as the surest", () => {
    const text = "SSN 455-99-6622";
    expect(found("pii", text, { entities: ["PHONE", "SSN", "TAX_ID", "NATIONAL_ID"] })).toEqual(["455-99-6622"]);
  });
});
