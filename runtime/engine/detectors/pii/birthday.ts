// Dates of birth: existing dates that words announce, and on which a person could have been born.

import type { Sweep } from "../detector-plan.ts";
import type { Finding } from "../finding.ts";
import { announced, collect } from "./announce.ts";
import { isDate } from "./check-digit.ts";

const birthWords =
  /born|birth|\bdob\b|d\.o\.b|birthday|geboren|geburts|\bgeb\.|née? le|naissance|nacid[oa]|nacimiento|nat[oa] il|nascita|nascid[oa]|nascimento|geboortedatum|urodzon|data ur|родил|рождени|doğum|出生|生日|生年月日|誕生日|생년월일|ميلاد|जन्म/i;
/** Beginnings of the names of each month, from January on. */
const monthNames: readonly string[] = [
  ...["jan|ene|gen", "feb|févr", "mar|mär|mars", "apr|abr|avr", "may|mai|mag", "jun|juin|giu", "jul|juil|lug"],
  ...["aug|ago|août", "sep|set", "oct|okt|ott", "nov", "dec|dez|dic|déc"],
];
const months = monthNames.join("|");
const monthPatterns = monthNames.map((names) => new RegExp(`^(?:${names})`, "iu"));
const dateShape = new RegExp(
  `(?<![\\w.,/-])(?:\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}|\\d{1,2}[-/. ]{1,2}\\d{1,2}[-/. ]{1,2}\\d{2,4}|\\d{1,2}(?:st|nd|rd|th|\\.)?(?: (?:of|de))? (?:${months})[a-zäéû]{0,7}\\.?(?: de|,)? \\d{4}|(?:${months})[a-z]{0,7}\\.? \\d{1,2}(?:st|nd|rd|th)?,? \\d{4}|\\d{4}年\\d{1,2}月\\d{1,2}日)(?![\\w/-]|\\.\\d)`,
  "giu",
);
const firstYear = 1900;
/** The latest plausible year, since the engine has no clock. */
const lastYear = 2035;

/** Finds dates that words identify as a date of birth. */
export const findBirthdays: Sweep = (text) => (birthWords.test(text) ? birthdaysAfter(text, birthWords) : []);

/** The same for other words. */
export function birthdaysAfter(text: string, words: RegExp): Finding[] {
  return collect(text, dateShape, (start, end, [date]) =>
    isBirthday(date) ? announced(text, start, end, words, "pii.date_of_birth") : undefined,
  );
}

function isBirthday(date: string): boolean {
  const [first = "", second = "", third = ""] = date.match(/\d+/g) ?? [];
  const name = /\p{L}{3,}/gu;
  const month = [...date.matchAll(name)].map(([word]) => monthPatterns.findIndex((names) => names.test(word)) + 1);
  if (third === "") return isDay(second, Math.max(0, ...month), first);
  if (first.length === 4) return isDay(first, Number(second), third);
  // The order of day and month depends on the country.
  return isDay(third, Number(second), first) || isDay(third, Number(first), second);
}

// A year of two digits may belong to any century.
function isDay(year: string, month: number, day: string): boolean {
  const number = Number(year);
  const isYear = year.length === 2 || (year.length === 4 && number >= firstYear && number <= lastYear);
  return isYear && isDate(number, month, Number(day));
}
