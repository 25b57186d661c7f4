// Identity numbers of America. Forms and check digits are published by the issuing states; most are collected in the
// OECD's sheets on taxpayer identification numbers.

import { passesLuhn } from "../card.ts";
import { hasDate, weighted } from "../check-digit.ts";
import type { IdentityFormat } from "../identity.ts";

const oecd =
  "https://www.oecd.org/en/networks/global-forum-tax-transparency/resources/aeoi-implementation-portal/tax-identification-numbers.html";
const ssa = "https://www.ssa.gov/employer/randomization.html";
const irs = "https://www.irs.gov/individuals/international-taxpayers/taxpayer-identification-numbers-tin";
const einPrefixes = "0[1-6]|1[0-6]|2[0-7]|3[0-9]|4[0-8]|5[0-9]|6[0-8]|7[1-7]|8[0-8]|9[0-589]";

/** Numbers that were printed in advertisements and never issued again: by themselves they identify nobody. */
const advertised = new Set(["078051120", "219099999", "123456789", "457555462"]);
/** Names of article and document numbers, which are written in the same groups. */
const articleNumber =
  /(?:^|[^A-Za-z])(?:p\/?n|part|item|article|product|model|sku|serial|lot|batch|order|invoice|ticket|case|ref(?:erence)?|tracking|shipment|parcel|booking|contract|claim|quote|job|work order|purchase order|po)(?: (?:number|num|no|nr|id))?[\s#:.=]{0,3}(?:is )?$/i;

/** The formats. */
export const americanIdentities: readonly IdentityFormat[] = [
  {
    entity: "SSN",
    kind: "us_ssn",
    shape: "(?!000|666|9)\\d{3}([- .])(?!00)\\d{2}\\1(?!0000)\\d{4}",
    check: () => true,
    words: /social security|\bssn?\b|\bsocial\b|seguro social/i,
    alone: 0.8,
    onlyAnnounced: isAdvertised,
    others: articleNumber,
    reference: ssa,
  },
  {
    entity: "SSN",
    kind: "us_ssn",
    shape: "(?!000|666|9)\\d{3}(?!00)\\d{2}(?!0000)\\d{4}",
    check: () => true,
    words: /social security|\bssn?\b|seguro social/i,
    alone: 0.05,
    reference: ssa,
  },
  {
    entity: "ITIN",
    kind: "us_itin",
    shape: "9\\d{2}([- ]?)(?:5\\d|6[0-5]|7\\d|8[0-8]|9[0-24-9])\\1\\d{4}",
    check: () => true,
    words: /\bitin\b|taxpayer|tax id/i,
    alone: 0.45,
    reference: irs,
  },
  {
    entity: "EIN",
    kind: "us_ein",
    shape: `(?:${einPrefixes})-?\\d{7}`,
    check: () => true,
    words: /\bein\b|employer (?:identification|id)|\bfein\b|tax id/i,
    alone: 0.2,
    reference:
      "https://www.irs.gov/businesses/small-businesses-self-employed/how-eins-are-assigned-and-valid-ein-prefixes",
  },
  {
    entity: "HEALTH_ID",
    kind: "us_npi",
    shape: "[12]\\d{9}",
    check: (id) => passesLuhn(`80840${id}`),
    words: /\bnpi\b|national provider/i,
    alone: 0.1,
    reference:
      "https://www.cms.gov/Regulations-and-Guidance/Administrative-Simplification/NationalProvIdentStand/Downloads/NPIcheckdigit.pdf",
  },
  {
    entity: "HEALTH_ID",
    kind: "us_dea",
    shape: "[ABCDEFGHJKLMPRSTUX][A-Z9]\\d{7}",
    check: (id) => {
      const digits = id.slice(2);
      return weighted(digits.slice(0, 6), [1, 2]) % 10 === Number(digits[6]);
    },
    words: /\bdea\b|drug enforcement|prescriber|controlled substance/i,
    alone: 0.3,
    reference: "https://www.deadiversion.usdoj.gov/",
  },
  {
    entity: "HEALTH_ID",
    kind: "us_mbi",
    shape:
      "[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\\d-?[AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\\d-?[AC-HJKMNP-RT-Y]{2}\\d{2}",
    check: () => true,
    words: /medicare|\bmbi\b|beneficiary/i,
    alone: 0.7,
    reference: "https://www.cms.gov/medicare/new-medicare-card/understanding-the-mbi.pdf",
  },
  {
    entity: "HEALTH_ID",
    kind: "us_mrn",
    shape: "(?:[A-Z]{1,3}-?)?\\d{5,12}",
    check: () => true,
    words:
      /\bmrn\b|medical record|patient (?:id|number|no)|chart (?:number|no)|krankenakte|dossier m[ée]dical|historia cl[íi]nica/i,
    alone: 0,
    reference: "https://www.hhs.gov/hipaa/for-professionals/privacy/special-topics/de-identification/index.html",
  },
  {
    entity: "BANK_ROUTING",
    kind: "us_aba",
    shape: "(?:0[0-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\\d{2}-?\\d{4}-?\\d",
    check: (id) => weighted(id, [3, 7, 1]) % 10 === 0,
    words: /routing|\baba\b|\brtn\b|bank/i,
    alone: 0.1,
    reference: "https://www.aba.com/about-us/routing-number",
  },
  {
    entity: "NATIONAL_ID",
    kind: "ca_sin",
    shape: "[1-79]\\d{2}[ -]?\\d{3}[ -]?\\d{3}",
    check: passesLuhn,
    words: /\bsin\b|social insurance|assurance sociale|\bnas\b/i,
    alone: 0.25,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "mx_curp",
    shape: "[A-Z]{4}\\d{6}[HMX][A-Z]{5}[A-Z0-9]\\d",
    check: (id) => hasDate(id, 4) && hasCurpCheck(id),
    words: /\bcurp\b/i,
    alone: 0.9,
    reference: "https://www.gob.mx/curp/",
  },
  {
    entity: "TAX_ID",
    kind: "mx_rfc",
    shape: "[A-Z&Ñ]{3,4}\\d{6}[A-Z0-9]{2}[0-9A]",
    check: (id) => hasDate(id, id.length - 9),
    words: /\brfc\b|contribuyente/i,
    alone: 0.5,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "br_cpf",
    shape: "\\d{3}\\.?\\d{3}\\.?\\d{3}[-/]?\\d{2}",
    check: (id) => modulo11(id.slice(0, 9), 10) === Number(id[9]) && modulo11(id.slice(0, 10), 11) === Number(id[10]),
    words: /\bcpf\b|cadastro de pessoa/i,
    alone: 0.6,
    reference: oecd,
  },
  {
    entity: "TAX_ID",
    kind: "br_cnpj",
    shape: "\\d{2}\\.?\\d{3}\\.?\\d{3}/?\\d{4}-?\\d{2}",
    check: (id) => {
      const digit = (text: string, weights: readonly number[]) => {
        const rest = weighted(text, weights) % 11;
        return rest < 2 ? 0 : 11 - rest;
      };
      const first = digit(id.slice(0, 12), [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]);
      return (
        first === Number(id[12]) && digit(id.slice(0, 13), [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) === Number(id[13])
      );
    },
    words: /\bcnpj\b/i,
    alone: 0.6,
    reference: oecd,
  },
  {
    entity: "TAX_ID",
    kind: "ar_cuit",
    shape: "(?:2[0347]|3[034])-?\\d{8}-?\\d",
    check: (id) => (11 - (weighted(id.slice(0, 10), [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === Number(id[10]),
    words: /\bcui[tl]\b/i,
    alone: 0.45,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "cl_rut",
    shape: "\\d{1,2}\\.?\\d{3}\\.?\\d{3}-[0-9K]",
    check: (id) => {
      const body = [...id.slice(0, -1)].reverse().join("");
      const rest = 11 - (weighted(body, [2, 3, 4, 5, 6, 7]) % 11);
      return (rest === 11 ? "0" : rest === 10 ? "K" : String(rest)) === id.at(-1);
    },
    words: /\bru[tn]\b|rol [úu]nico/i,
    alone: 0.55,
    reference: oecd,
  },
  {
    entity: "TAX_ID",
    kind: "co_nit",
    shape: "\\d{3}\\.?\\d{3}\\.?\\d{3}-\\d",
    check: (id) => {
      const rest = weighted(id.slice(0, 9), [41, 37, 29, 23, 19, 17, 13, 7, 3]) % 11;
      return (rest < 2 ? rest : 11 - rest) === Number(id[9]);
    },
    words: /\bnit\b/i,
    alone: 0.3,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "ec_cedula",
    shape: "(?:[01]\\d|2[0-4]|30)\\d{8}",
    check: passesLuhn,
    words: /c[ée]dula/i,
    alone: 0.1,
    reference: oecd,
  },
];

function isAdvertised(id: string): boolean {
  return advertised.has(id);
}

function modulo11(digits: string, from: number): number {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) sum += Number(digits[i]) * (from - i);
  return ((sum * 10) % 11) % 10;
}

function hasCurpCheck(id: string): boolean {
  const alphabet = "0123456789ABCDEFGHIJKLMN\u00d1OPQRSTUVWXYZ";
  let sum = 0;
  for (let i = 0; i < 17; i++) sum += alphabet.indexOf(id.charAt(i)) * (18 - i);
  return (10 - (sum % 10)) % 10 === Number(id[17]);
}
