// Identity numbers of Western Europe. Forms and check digits are published by the issuing states; most are collected in
// the OECD's sheets on taxpayer identification numbers.

import { passesLuhn } from "../card.ts";
import { isDate, passesMod11And10, remainder, weighted } from "../check-digit.ts";
import type { IdentityFormat } from "../identity.ts";

const oecd =
  "https://www.oecd.org/en/networks/global-forum-tax-transparency/resources/aeoi-implementation-portal/tax-identification-numbers.html";
const dniLetters = "TRWAGMYFPDXBNJZSQVHLCKE";

/** The formats. */
export const westEuropeanIdentities: readonly IdentityFormat[] = [
  {
    entity: "NATIONAL_ID",
    kind: "es_dni",
    shape: "\\d{2}\\.?\\d{3}\\.?\\d{3}[ -]?[A-Z]",
    check: (id) => dniLetters[Number(id.slice(0, 8)) % 23] === id[8],
    words: /\bdni\b|\bnif\b|\bd\.n\.i|identidad|documento/i,
    alone: 0.75,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "es_nie",
    shape: "[XYZ][ -]?\\d{7}[ -]?[A-Z]",
    check: (id) => dniLetters[Number("XYZ".indexOf(id.charAt(0)) + id.slice(1, 8)) % 23] === id[8],
    words: /\bnie\b|extranjero|identidad/i,
    alone: 0.8,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "it_codice_fiscale",
    shape: "[A-Z]{6}[ ]?\\d{2}[A-EHLMPRST]\\d{2}[ ]?[A-Z]\\d{3}[A-Z]",
    check: isFiscalCode,
    words: /codice fiscale|\bc\.?f\.?\b/i,
    alone: 0.95,
    reference:
      "https://www.agenziaentrate.gov.it/portale/web/guest/schede/istanze/richiesta-ts_cf/informazioni-codificazione-pf",
  },
  {
    entity: "TAX_ID",
    kind: "it_partita_iva",
    shape: "\\d{11}",
    check: passesLuhn,
    words: /partita iva|p\.? ?iva/i,
    alone: 0.1,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "fr_nir",
    shape: "[12][ ]?\\d{2}[ ]?(?:0[1-9]|1[0-2]|[2-9]\\d)[ ]?(?:\\d{2}|2[AB])[ ]?\\d{3}[ ]?\\d{3}[ ]?\\d{2}",
    check: (id) => 97 - remainder(id.slice(0, 13).replace("2A", "19").replace("2B", "18"), 97) === Number(id.slice(13)),
    words: /s[ée]curit[ée] sociale|\bnir\b|num[ée]ro de s[ée]cu|\binsee\b/i,
    alone: 0.85,
    reference: "https://www.insee.fr/fr/metadonnees/definition/c1409",
  },
  {
    entity: "TAX_ID",
    kind: "fr_spi",
    shape: "[0-3]\\d[ ]?\\d{2}[ ]?\\d{3}[ ]?\\d{3}[ ]?\\d{3}",
    check: (id) => remainder(id.slice(0, 10), 511) === Number(id.slice(10)),
    words: /num[ée]ro fiscal|\bspi\b|imp[ôo]ts/i,
    alone: 0.3,
    reference: oecd,
  },
  {
    entity: "TAX_ID",
    kind: "de_steuer_id",
    shape: "[1-9]\\d[ ]?\\d{3}[ ]?\\d{3}[ ]?\\d{3}",
    check: (id) => hasGermanRepeats(id.slice(0, 10)) && passesMod11And10(id),
    words: /steuer|\btin\b|\bidnr|identifikationsnummer|tax id/i,
    alone: 0.4,
    reference:
      "https://www.bzst.de/EN/Private_individuals/Tax_identification_number/tax_identification_number_node.html",
  },
  {
    entity: "NATIONAL_ID",
    kind: "de_ausweis",
    shape: "[CFGHJKLMNPRTVWXYZ0-9]{9}[0-9]",
    check: (id) => /[A-Z]/.test(id.slice(0, 9)) && hasDocumentCheck(id),
    words: /personalausweis|ausweis|identity card|ausweisnummer/i,
    alone: 0.2,
    reference: "https://www.icao.int/publications/doc-series/doc-9303",
  },
  {
    entity: "NATIONAL_ID",
    kind: "uk_nino",
    shape: "(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ ]?\\d{2}[ ]?\\d{2}[ ]?\\d{2}[ ]?[A-D]",
    check: () => true,
    words: /national insurance|\bnino?\b|\bni (?:number|no)/i,
    alone: 0.8,
    reference: "https://www.gov.uk/hmrc-internal-manuals/national-insurance-manual/nim39110",
  },
  {
    entity: "HEALTH_ID",
    kind: "uk_nhs",
    shape: "\\d{3}[ -]?\\d{3}[ -]?\\d{4}",
    check: (id) => (11 - (weighted(id.slice(0, 9), [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === Number(id[9]),
    words: /\bnhs\b|national health|health service|patient/i,
    alone: 0.2,
    reference: "https://www.datadictionary.nhs.uk/attributes/nhs_number.html",
  },
  {
    entity: "NATIONAL_ID",
    kind: "nl_bsn",
    shape: "\\d{4}[ .]?\\d{2}[ .]?\\d{3}",
    check: (id) => (weighted(id.slice(0, 8), [9, 8, 7, 6, 5, 4, 3, 2]) - Number(id[8])) % 11 === 0,
    words: /\bbsn\b|burgerservice|sofi/i,
    alone: 0.15,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "be_rijksregister",
    shape: "\\d{2}[.]?\\d{2}[.]?\\d{2}[ -]?\\d{3}[ .-]?\\d{2}",
    check: (id) =>
      [id.slice(0, 9), `2${id.slice(0, 9)}`].some((body) => 97 - remainder(body, 97) === Number(id.slice(9))),
    words: /rijksregister|registre national|national(?:e)? (?:number|nummer)|\binsz\b|\bniss\b/i,
    alone: 0.5,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "ch_ahv",
    shape: "756[. ]?\\d{4}[. ]?\\d{4}[. ]?\\d{2}",
    check: (id) => (10 - (weighted(id.slice(0, 12), [1, 3]) % 10)) % 10 === Number(id[12]),
    words: /\bahv\b|\bavs\b|sozialversicherung/i,
    alone: 0.9,
    reference: "https://www.zas.admin.ch/",
  },
  {
    entity: "NATIONAL_ID",
    kind: "at_svnr",
    shape: "\\d{4}[ -]?\\d{6}",
    check: (id) =>
      isDate(Number(id.slice(8)), Number(id.slice(6, 8)), Number(id.slice(4, 6))) &&
      weighted(id.slice(0, 3) + id.slice(4), [3, 7, 9, 5, 8, 4, 2, 1, 6]) % 11 === Number(id[3]),
    words: /sozialversicherung|\bsvnr\b|\bsv-nr|versicherungsnummer/i,
    alone: 0.4,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "ie_pps",
    shape: "\\d{7}[ ]?[A-W][A-IW]?",
    check: (id) => {
      const extra = id.length === 9 ? (id.charCodeAt(8) - 64) % 23 : 0;
      const rest = (weighted(id.slice(0, 7), [8, 7, 6, 5, 4, 3, 2]) + extra * 9) % 23;
      return "WABCDEFGHIJKLMNOPQRSTUV"[rest] === id[7];
    },
    words: /\bpps\b|\bppsn\b|personal public service/i,
    alone: 0.5,
    reference: oecd,
  },
  {
    entity: "TAX_ID",
    kind: "pt_nif",
    shape: "[1-9]\\d{2}[ ]?\\d{3}[ ]?\\d{3}",
    check: (id) => {
      const rest = 11 - (weighted(id.slice(0, 8), [9, 8, 7, 6, 5, 4, 3, 2]) % 11);
      return (rest >= 10 ? 0 : rest) === Number(id[8]);
    },
    words: /\bnif\b|contribuinte|identifica[çc][ãa]o fiscal/i,
    alone: 0.1,
    reference: oecd,
  },
];

const fiscalOdd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

function isFiscalCode(code: string): boolean {
  let sum = 0;
  for (let i = 0; i < 15; i++) {
    const value = Number.parseInt(code.charAt(i), 36);
    const index = value > 9 ? value - 10 : value;
    sum += i % 2 === 0 ? (fiscalOdd[index] ?? 0) : index;
  }
  return String.fromCharCode(65 + (sum % 26)) === code[15];
}

// Among the first ten digits of the German number, one occurs twice or three times and all others at most once.
function hasGermanRepeats(digits: string): boolean {
  const counts = [..."0123456789"].map((digit) => digits.split(digit).length - 1);
  return counts.filter((count) => count > 1).length === 1 && Math.max(...counts) <= 3;
}

/** The check digit of travel documents (ICAO Doc 9303): weights 7, 3, 1, letters from ten on. */
function hasDocumentCheck(id: string): boolean {
  let sum = 0;
  for (let i = 0; i < 9; i++) sum += Number.parseInt(id.charAt(i), 36) * ([7, 3, 1][i % 3] ?? 0);
  return sum % 10 === Number(id[9]);
}
