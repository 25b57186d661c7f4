// Identity numbers of Northern and Eastern Europe, Turkey and Russia. Forms and check digits are published by the
// issuing states; most are collected in the OECD's sheets on taxpayer identification numbers.

import { passesLuhn } from "../card.ts";
import { hasDate, isDate, passesMod11And10, remainder, weighted } from "../check-digit.ts";
import type { IdentityFormat } from "../identity.ts";

const oecd =
  "https://www.oecd.org/en/networks/global-forum-tax-transparency/resources/aeoi-implementation-portal/tax-identification-numbers.html";

/** The formats. */
export const eastEuropeanIdentities: readonly IdentityFormat[] = [
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
    words: /rodn[ée] [čc][íi]slo|(?<!\p{L})r\.? ?[čc](?!\p{L})/iu,
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
    words: /(?<!\p{L})инн(?!\p{L})|\binn\b/iu,
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
    words: /рнокпп|ідентифікаційний|(?<!\p{L})[иі]пн(?!\p{L})/iu,
    alone: 0.1,
    reference: oecd,
  },
];

function hasBalticCheck(id: string): boolean {
  const first = weighted(id.slice(0, 10), [1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11;
  const second = weighted(id.slice(0, 10), [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11;
  const check = first < 10 ? first : second < 10 ? second : 0;
  return check === Number(id[10]);
}
