// Identity numbers of Asia, Africa and Oceania. Forms and check digits are published by the issuing states; most are
// collected in the OECD's sheets on taxpayer identification numbers.

import { passesLuhn } from "../card.ts";
import { hasDate, isDate, passesVerhoeff, weighted } from "../check-digit.ts";
import type { IdentityFormat } from "../identity.ts";

const oecd =
  "https://www.oecd.org/en/networks/global-forum-tax-transparency/resources/aeoi-implementation-portal/tax-identification-numbers.html";

/** The formats. */
export const asianIdentities: readonly IdentityFormat[] = [
  {
    entity: "NATIONAL_ID",
    kind: "in_aadhaar",
    shape: "[2-9]\\d{3}[ -]?\\d{4}[ -]?\\d{4}",
    check: passesVerhoeff,
    words: /aadhaa?r|आधार|\buid(?:ai)?\b/i,
    alone: 0.35,
    reference: "https://uidai.gov.in/",
  },
  {
    entity: "TAX_ID",
    kind: "in_pan",
    shape: "[A-Z]{3}[ABCFGHLJPTK][A-Z]\\d{4}[A-Z]",
    check: () => true,
    words: /\bpan\b|permanent account|income tax/i,
    alone: 0.7,
    reference: "https://incometaxindia.gov.in/tutorials/1.permanent%20account%20number%20(pan).pdf",
  },
  {
    entity: "NATIONAL_ID",
    kind: "cn_resident_id",
    shape: "[1-9]\\d{5}(?:19|20)\\d{9}[0-9X]",
    check: (id) =>
      isDate(Number(id.slice(6, 10)), Number(id.slice(10, 12)), Number(id.slice(12, 14))) &&
      "10X98765432"[weighted(id.slice(0, 17), [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11] === id[17],
    words: /身份证|公民身份/,
    alone: 0.9,
    reference: "https://openstd.samr.gov.cn/bzgk/gb/newGbInfo?hcno=080D6FBF2BB468F9007657F26D60013E",
  },
  {
    entity: "NATIONAL_ID",
    kind: "tw_id",
    shape: "[A-Z][1289]\\d{8}",
    check: (id) => {
      const place = "ABCDEFGHJKLMNPQRSTUVXYWZIO".indexOf(id.charAt(0)) + 10;
      return (
        (Math.floor(place / 10) + (place % 10) * 9 + weighted(id.slice(1), [8, 7, 6, 5, 4, 3, 2, 1, 1])) % 10 === 0
      );
    },
    words: /身分證|身份證/,
    alone: 0.5,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "hk_id",
    shape: "[A-Z]{1,2}\\d{6}\\([0-9A]\\)",
    check: (id) => {
      const body = id.replace(/[()]/g, "").padStart(9, " ");
      let sum = 0;
      for (let i = 0; i < 8; i++) sum += (body[i] === " " ? 36 : Number.parseInt(body.charAt(i), 36)) * (9 - i);
      const check = body.at(-1) === "A" ? 10 : Number(body.at(-1));
      return (sum + check) % 11 === 0;
    },
    words: /hkid|身份證|hong kong/i,
    alone: 0.75,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "jp_my_number",
    shape: "\\d{4}[ -]?\\d{4}[ -]?\\d{4}",
    check: (id) => {
      const rest = weighted(id.slice(0, 11), [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
      return (rest <= 1 ? 0 : 11 - rest) === Number(id[11]);
    },
    words: /マイナンバー|個人番号|my number/i,
    alone: 0.15,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "kr_rrn",
    shape: "\\d{6}-?\\d{7}",
    check: (id) =>
      hasDate(id, 0) &&
      (11 - (weighted(id.slice(0, 12), [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11)) % 10 === Number(id[12]),
    words: /주민등록|\brrn\b/i,
    alone: 0.75,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "sg_nric",
    shape: "[STFGM]\\d{7}[A-Z]",
    check: hasSingaporeCheck,
    words: /\bnric\b|\bfin\b|singapore/i,
    alone: 0.8,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "th_id",
    shape: "[1-8][ -]?\\d{4}[ -]?\\d{5}[ -]?\\d{2}[ -]?\\d",
    check: (id) =>
      (11 - (weighted(id.slice(0, 12), [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === Number(id[12]),
    words: /บัตรประชาชน|ประจ(?:ำ|ํา)ตัวประชาชน|thai id/i,
    alone: 0.3,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "il_teudat_zehut",
    shape: "\\d{9}",
    check: passesLuhn,
    words: /תעודת זהות|ת\.ז|teudat|israeli id/i,
    alone: 0.05,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "za_id",
    shape: "\\d{6}[ ]?\\d{4}[ ]?[01]\\d{2}",
    check: (id) => hasDate(id, 0) && passesLuhn(id),
    words: /\bid (?:number|no)|identity number|south africa/i,
    alone: 0.6,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "kz_iin",
    shape: "\\d{12}",
    check: (id) => {
      const first = weighted(id.slice(0, 11), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]) % 11;
      const second = weighted(id.slice(0, 11), [3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2]) % 11;
      return hasDate(id, 0) && (first === 10 ? second : first) === Number(id[11]);
    },
    words: /(?<!\p{L})иин(?!\p{L})|\biin\b/iu,
    alone: 0.4,
    reference: oecd,
  },
  {
    entity: "TAX_ID",
    kind: "au_tfn",
    shape: "\\d{3}[ ]?\\d{3}[ ]?\\d{3}",
    check: (id) => weighted(id, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0,
    words: /\btfn\b|tax file/i,
    alone: 0.15,
    reference: oecd,
  },
  {
    entity: "TAX_ID",
    kind: "au_abn",
    shape: "\\d{2}[ ]?\\d{3}[ ]?\\d{3}[ ]?\\d{3}",
    check: (id) =>
      weighted(`${Number(id[0]) - 1}${id.slice(1)}`, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) % 89 === 0 &&
      id[0] !== "0",
    words: /\babn\b|business number/i,
    alone: 0.4,
    reference: "https://abr.business.gov.au/Help/AbnFormat",
  },
  {
    entity: "HEALTH_ID",
    kind: "au_medicare",
    shape: "[2-6]\\d{3}[ ]?\\d{5}[ ]?\\d(?:[ /]?[1-9])?",
    check: (id) => weighted(id.slice(0, 8), [1, 3, 7, 9]) % 10 === Number(id[8]),
    words: /medicare/i,
    alone: 0.1,
    reference: "https://www.servicesaustralia.gov.au/medicare-card",
  },
  {
    entity: "TAX_ID",
    kind: "nz_ird",
    shape: "\\d{2,3}[ -]?\\d{3}[ -]?\\d{3}",
    check: (id) => hasIrdCheck(id.padStart(9, "0")),
    words: /\bird\b|inland revenue/i,
    alone: 0.05,
    reference: oecd,
  },
];

function hasSingaporeCheck(id: string): boolean {
  const sum = weighted(id.slice(1, 8), [2, 7, 6, 5, 4, 3, 2]);
  const letter = id.charAt(0);
  if (letter === "M") return "KLJNPQRTUWX"[10 - ((sum + 3) % 11)] === id[8];
  const rest = (sum + (letter === "T" || letter === "G" ? 4 : 0)) % 11;
  return (letter === "S" || letter === "T" ? "JZIHGFEDCBA" : "XWUTRQPNMLK")[rest] === id[8];
}

function hasIrdCheck(id: string): boolean {
  const number = Number(id);
  if (number < 10_000_000 || number > 150_000_000) return false;
  const check = (weights: readonly number[]) => {
    const rest = weighted(id.slice(0, 8), weights) % 11;
    return rest === 0 ? 0 : 11 - rest;
  };
  const first = check([3, 2, 7, 6, 5, 4, 3, 2]);
  const digit = first < 10 ? first : check([7, 4, 3, 2, 5, 2, 7, 6]);
  return digit === Number(id[8]);
}
