// Other codes with a form of their own: bank identifier codes (ISO 9362), hardware addresses (IEEE 802), vehicle
// numbers (ISO 3779), coordinates (ISO 6709), and numbers of travel documents and licences, which words must announce.

import type { Sweep } from "../detector-plan.ts";
import type { Finding } from "../finding.ts";
import { announced, collect } from "./announce.ts";
import { hasContext } from "./context.ts";

const countries = new Set(
  "AD AE AF AG AI AL AM AO AR AS AT AU AW AZ BA BB BD BE BF BG BH BI BJ BM BN BO BR BS BT BW BY BZ CA CD CF CG CH CI CK CL CM CN CO CR CU CV CW CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FK FO FR GA GB GD GE GG GH GI GL GM GN GP GQ GR GT GU GW GY HK HN HR HT HU ID IE IL IM IN IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NG NI NL NO NP NR NZ OM PA PE PF PG PH PK PL PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SI SK SL SM SN SO SR SS ST SV SY SZ TC TD TG TH TJ TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VG VN VU WS XK YE ZA ZM ZW".split(
    " ",
  ),
);

const bicShape = /(?<![A-Za-z0-9_])[A-Z]{4}([A-Z]{2})[A-Z0-9]{2}(?:[A-Z0-9]{3})?(?![A-Za-z0-9_])/g;
const bicWords = /\bbic\b|swift|iban/i;
const bankWord = /\bbank\b/i;
const maxWordLength = 24;

/** Finds bank identifier codes. Other words of eight capitals look alike, so words must announce such codes. */
export const findBics: Sweep = (text) =>
  collect(text, bicShape, (start, end, match) => {
    if (!countries.has(match[1] ?? "")) return undefined;
    if (
      !hasContext(text, start, end, bicWords) &&
      !(hasContext(text, start, end, bankWord) && !isShouted(text, start, end))
    )
      return undefined;
    const attributes = { country: match[1] ?? "", basis: "form and words around it" };
    return { category: "pii.bic", start, end, score: 0.9, attributes };
  });

// A word of capitals among others, as in the name of a bank: DEUTSCHE BANK. A code has digits, or is surrounded by
// ordinary words.
function isShouted(text: string, start: number, end: number): boolean {
  if (/[0-9]/.test(text.slice(start, end))) return false;
  const before = text.slice(Math.max(0, start - maxWordLength), start);
  return (
    /(?:^|[^A-Za-z])[A-Z]{2,}[ -]$/.test(before) || /^[ -][A-Z]{2,}(?![a-z])/.test(text.slice(end, end + maxWordLength))
  );
}

const macShape =
  /(?<![A-Za-z0-9_:.-])(?:[0-9A-Fa-f]{2}([:-]))(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![A-Za-z0-9_:-])|(?<![A-Za-z0-9_.])(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}(?![A-Za-z0-9_.])/g;

/** Finds hardware addresses. */
export const findMacs: Sweep = (text) =>
  collect(text, macShape, (start, end, match) =>
    /[1-9A-Fa-f]/.test(match[0]) && !/^(?:ff[:.-]?)+$/i.test(match[0])
      ? { category: "pii.mac", start, end, score: 0.95, attributes: { basis: "form" } }
      : undefined,
  );

const vinShape = /(?<![A-Za-z0-9_])[A-HJ-NPR-Z0-9]{17}(?![A-Za-z0-9_])/g;
const vinWords = /\bvin\b|vehicle|chassis|fahrgestell|fahrzeug|châssis|bastidor|telaio/i;
const vinWeights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
const vinValues = "0123456789.ABCDEFGH..JKLMN.P.R..STUVWXYZ";

/**
 * Finds vehicle numbers. The check digit is mandatory only in North America and China, so elsewhere words must announce
 * them.
 */
export const findVins: Sweep = (text) =>
  collect(text, vinShape, (start, end, [vin]) => {
    if (!/[A-Z]/.test(vin) || !/\d{3}$/.test(vin) || !/\d.*\d.*\d.*\d/.test(vin)) return undefined;
    const checked = hasVinCheck(vin);
    const isAnnounced = hasContext(text, start, end, vinWords);
    if (!checked && !isAnnounced) return undefined;
    const basis = checked
      ? isAnnounced
        ? "form, check digit and words around it"
        : "form and check digit"
      : "form and words";
    return {
      category: "pii.vin",
      start,
      end,
      score: checked ? (isAnnounced ? 0.98 : 0.7) : 0.75,
      attributes: { basis },
    };
  });

function hasVinCheck(vin: string): boolean {
  let sum = 0;
  for (let i = 0; i < vin.length; i++) sum += (vinValues.indexOf(vin.charAt(i)) % 10) * (vinWeights[i] ?? 0);
  const rest = sum % 11;
  return vin[8] === (rest === 10 ? "X" : String(rest));
}

const coordinateShape =
  /(?<![\w.,+-])([+-]?\d{1,2}\.\d{3,15})°?[ ]?([NS]?)[,;/ ]{1,2} ?([+-]?\d{1,3}\.\d{3,15})°?(?:[ ]?([EWO]))?(?![\w.]\d)|(?<![\w.])\d{1,2}°[ ]?\d{1,2}['′’][ ]?(?:\d{1,2}(?:[.,]\d{1,5})?(?:["″”]|''))?[ ]?[NS],?[ ]{1,2}\d{1,3}°[ ]?\d{1,2}['′’][ ]?(?:\d{1,2}(?:[.,]\d{1,5})?(?:["″”]|''))?[ ]?[EWO]/g;
const coordinateWords =
  /lat|lon|lng|gps|coord|location|position|koordinat|standort|ubicaci|position|坐标|座標|координат/i;

/** Finds pairs of latitude and longitude. */
export const findCoordinates: Sweep = (text) =>
  collect(text, coordinateShape, (start, end, [, latitude, north, longitude, east]) => {
    const category = "pii.coordinates";
    if (latitude === undefined) return { category, start, end, score: 0.95, attributes: { basis: "form" } };
    if (Math.abs(Number(latitude)) > 90 || Math.abs(Number(longitude)) > 180) return undefined;
    const marked = north !== "" && east !== undefined;
    const isAnnounced = marked || hasContext(text, start, end, coordinateWords);
    const score = isAnnounced ? 0.93 : /\.\d{5,}/.test(latitude) && /\.\d{5,}/.test(longitude ?? "") ? 0.55 : 0.3;
    return { category, start, end, score, attributes: { basis: isAnnounced ? "form and words around it" : "form" } };
  });

/** Russian passports have a series of four digits before a number of six. */
const documentShape =
  /(?<![A-Za-z0-9_.,-])(?:(?:\d{4}|\d{2} \d{2}) ?(?:№ ?)?\d{6}|(?=[A-Z0-9]{0,8}\d)[A-Z0-9]{6,9})(?![A-Za-z0-9_]|[.,]\d|-\d)/gi;
const passportWords =
  /passport|reisepass|passnummer|passeport|pasaporte|passaporto|passaporte|paspoort|паспорт|护照|護照|旅券|パスポート|여권|جواز/i;

/** Finds passport numbers. They have no check digit outside of the document, so words must announce them. */
export const findPassports: Sweep = (text) => (passportWords.test(text) ? passportsAfter(text, passportWords) : []);

/** The same for other words. */
export function passportsAfter(text: string, words: RegExp): Finding[] {
  return collect(text, documentShape, (start, end) => announced(text, start, end, words, "pii.passport"));
}

const licenceShape =
  /(?<![A-Za-z0-9_.,-])(?=[A-Z0-9-]{0,12}\d)[A-Z0-9](?:[A-Z0-9]|[ -](?=[A-Z0-9])){5,18}(?![A-Za-z0-9_]|[.,]\d)/gi;
const licenceWords =
  /driv(?:er|ing)(?:'?s)?[ -]licen[cs]e|\bdl (?:no|number|#)|führerschein|permis de conduire|permiso de conduc|carnet de conducir|patente di guida|rijbewijs|prawo jazdy|водительск|驾驶证|驾照|運転免許|운전면허/i;

/** Finds numbers of driving licences, which words must announce too. */
export const findLicences: Sweep = (text) => (licenceWords.test(text) ? licencesAfter(text, licenceWords) : []);

/** The same for other words. */
export function licencesAfter(text: string, words: RegExp): Finding[] {
  return collect(text, licenceShape, (start, end) => announced(text, start, end, words, "pii.driving_licence"));
}
