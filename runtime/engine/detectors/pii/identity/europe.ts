// Identity numbers of Europe. Forms and check digits are published by the issuing states; most are collected in the OECD's sheets on
// taxpayer identification numbers.

import { passesLuhn } from "../card.ts";
import { hasDate, isDate, passesMod11And10, remainder, weighted } from "../check-digit.ts";
import type { IdentityFormat } from "../identity.ts";

const oecd =
  "https://www.oecd.org/en/networks/global-forum-tax-transparency/resources/aeoi-implementation-portal/tax-identification-numbers.html";
const dniLetters = "TRWAGMYFPDXBNJZSQVHLCKE";

/** The formats. */
export const europeanIdentities: readonly IdentityFormat[] = [
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
    kind: "pl_pesel",
    shape: "\\d{11}",
    check: (id) =>
      isDate(Number(id.slice(0, 2)), Number(id.slice(2, 4)) % 20, Number(id.slice(4, 6))) &&
      (10 - (weighted(id.slice(0, 10), [1, 3, 7, 9]) % 10)) % 10 === Number(id[10]),
    words: /\bpesel\b/i,
    alone: 0.6,
    reference: "https://www.gov.pl/web/gov/czym-jest-numer-pesel",
  },
  {
    entity: "TAX_ID",
    kind: "pl_nip",
    shape: "\\d{3}-?\\d{3}-?\\d{2}-?\\d{2}",
    check: (id) => weighted(id.slice(0, 9), [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === Number(id[9]),
    words: /\bnip\b/i,
    alone: 0.1,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "cz_rodne_cislo",
    shape: "\\d{6}/?\\d{4}",
    check: (id) =>
      isDate(Number(id.slice(0, 2)), (Number(id.slice(2, 4)) % 50) % 20, Number(id.slice(4, 6))) &&
      remainder(id, 11) === 0,
    words: /rodn[ée] [čc][íi]slo|\br\.?[čc]\.?\b/i,
    alone: 0.35,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "ro_cnp",
    shape: "[1-9]\\d{12}",
    check: (id) => {
      const sum = weighted(id.slice(0, 12), [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
      return hasDate(id, 1) && (sum === 10 ? 1 : sum) === Number(id[12]);
    },
    words: /\bcnp\b|cod numeric/i,
    alone: 0.65,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "bg_egn",
    shape: "\\d{10}",
    check: (id) =>
      isDate(Number(id.slice(0, 2)), Number(id.slice(2, 4)) % 20, Number(id.slice(4, 6))) &&
      (weighted(id.slice(0, 9), [2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11) % 10 === Number(id[9]),
    words: /\begn\b|егн/i,
    alone: 0.4,
    reference: oecd,
  },
  {
    entity: "TAX_ID",
    kind: "hr_oib",
    shape: "\\d{11}",
    check: passesMod11And10,
    words: /\boib\b/i,
    alone: 0.15,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "si_emso",
    shape: "\\d{13}",
    check: (id) => {
      const sum = weighted(id.slice(0, 12), [7, 6, 5, 4, 3, 2]) % 11;
      const day = isDate(0, Number(id.slice(2, 4)), Number(id.slice(0, 2)));
      return day && (sum === 0 ? 0 : 11 - sum) === Number(id[12]);
    },
    words: /em[šs]o|\bjmbg\b|јмбг/i,
    alone: 0.5,
    reference: oecd,
  },
  {
    entity: "TAX_ID",
    kind: "gr_afm",
    shape: "\\d{9}",
    check: (id) => (weighted(id.slice(0, 8), [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10 === Number(id[8]),
    words: /αφμ|α\.φ\.μ|\bafm\b/i,
    alone: 0.1,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "se_personnummer",
    shape: "(?:19|20)?\\d{6}[+-]?\\d{4}",
    check: (id) => {
      const short = id.replace("+", "").slice(-10);
      const day = Number(short.slice(4, 6));
      return (
        isDate(Number(short.slice(0, 2)), Number(short.slice(2, 4)), day > 60 ? day - 60 : day) && passesLuhn(short)
      );
    },
    words: /personnummer|\bpersonnr|samordningsnummer/i,
    alone: 0.55,
    reference:
      "https://skatteverket.se/servicelankar/otherlanguages/inenglishengelska/individualsandemployees/coordinationnumbers.4.1657ce2817f5a993c3a7d2a.html",
  },
  {
    entity: "NATIONAL_ID",
    kind: "no_fodselsnummer",
    shape: "\\d{6}[ ]?\\d{5}",
    check: (id) =>
      isDate(Number(id.slice(4, 6)), Number(id.slice(2, 4)) % 40, Number(id.slice(0, 2)) % 40) &&
      (weighted(id.slice(0, 9), [3, 7, 6, 1, 8, 9, 4, 5, 2]) + Number(id[9])) % 11 === 0 &&
      (weighted(id.slice(0, 10), [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) + Number(id[10])) % 11 === 0,
    words: /f[øo]dselsnummer|personnummer/i,
    alone: 0.75,
    reference: "https://www.skatteetaten.no/en/person/national-registry/identitetsnummer/",
  },
  {
    entity: "NATIONAL_ID",
    kind: "dk_cpr",
    shape: "\\d{6}-?\\d{4}",
    check: (id) => isDate(Number(id.slice(4, 6)), Number(id.slice(2, 4)), Number(id.slice(0, 2))),
    words: /\bcpr\b|personnummer/i,
    alone: 0.2,
    reference: "https://www.cpr.dk/",
  },
  {
    entity: "NATIONAL_ID",
    kind: "fi_hetu",
    shape: "\\d{6}[-+ABCDEFYXWVU]\\d{3}[0-9A-FHJ-NPR-Y]",
    check: (id) => {
      const digits = id.length === 11 ? id.slice(0, 6) + id.slice(7, 10) : id.slice(0, 9);
      const day = isDate(Number(id.slice(4, 6)), Number(id.slice(2, 4)), Number(id.slice(0, 2)));
      return day && "0123456789ABCDEFHJKLMNPRSTUVWXY"[Number(digits) % 31] === id.at(-1);
    },
    words: /henkil[öo]tunnus|\bhetu\b/i,
    alone: 0.85,
    reference: "https://dvv.fi/en/personal-identity-code",
  },
  {
    entity: "NATIONAL_ID",
    kind: "ee_isikukood",
    shape: "[1-8]\\d{10}",
    check: (id) => hasDate(id, 1) && hasBalticCheck(id),
    words: /isikukood|asmens kod/i,
    alone: 0.6,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "lv_personas_kods",
    shape: "\\d{6}-?\\d{5}",
    check: (id) => (1101 - weighted(id.slice(0, 10), [1, 6, 3, 7, 9, 10, 5, 8, 4, 2])) % 11 === Number(id[10]),
    words: /personas kods/i,
    alone: 0.15,
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
  {
    entity: "TAX_ID",
    kind: "hu_adoazonosito",
    shape: "8\\d{9}",
    check: (id) => weighted(id.slice(0, 9), [1, 2, 3, 4, 5, 6, 7, 8, 9]) % 11 === Number(id[9]),
    words: /ad[óo]azonos[íi]t/i,
    alone: 0.15,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "tr_kimlik",
    shape: "[1-9]\\d{10}",
    check: (id) => {
      const odd = weighted(id.slice(0, 9), [1, 0]);
      const even = weighted(id.slice(0, 8), [0, 1]);
      const tenth = (((odd * 7 - even) % 10) + 10) % 10;
      return tenth === Number(id[9]) && weighted(id.slice(0, 10), [1]) % 10 === Number(id[10]);
    },
    words: /\bt\.?c\.?\b|kimlik|vatanda[şs]l[ıi]k/i,
    alone: 0.6,
    reference: oecd,
  },
  {
    entity: "NATIONAL_ID",
    kind: "ru_snils",
    shape: "\\d{3}-?\\d{3}-?\\d{3}[ -]?\\d{2}",
    check: (id) => (weighted(id.slice(0, 9), [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101) % 100 === Number(id.slice(9)),
    words: /снилс|\bsnils\b/i,
    alone: 0.35,
    reference: oecd,
  },
  {
    entity: "TAX_ID",
    kind: "ru_inn",
    shape: "\\d{12}",
    check: (id) =>
      (weighted(id.slice(0, 10), [7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10 === Number(id[10]) &&
      (weighted(id.slice(0, 11), [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10 === Number(id[11]),
    words: /инн|\binn\b/i,
    alone: 0.4,
    reference: oecd,
  },
  {
    entity: "TAX_ID",
    kind: "ua_rnokpp",
    shape: "[1-4]\\d{9}",
    check: (id) => {
      const sum = weighted(id.slice(0, 9), [-1, 5, 7, 9, 4, 6, 10, 5, 7]) % 11;
      return ((sum + 11) % 11) % 10 === Number(id[9]);
    },
    words: /рнокпп|ідентифікаційний|\bіпн\b|\bипн\b/i,
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

function hasBalticCheck(id: string): boolean {
  const first = weighted(id.slice(0, 10), [1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11;
  const second = weighted(id.slice(0, 10), [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11;
  const check = first < 10 ? first : second < 10 ? second : 0;
  return check === Number(id[10]);
}
