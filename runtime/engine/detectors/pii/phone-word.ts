// Words of all languages that identify a number as a phone number. A language, or its script, also indicates the
// regions of national numbers. Only a bounded part of the text is read.

import type { CountryCode } from "libphonenumber-js/max";
import { ofLanguages } from "../../languages/catalog.ts";
import type { PhoneLanguage } from "../../languages/phone-part.ts";

/** Words around numbers in many languages. */
const international: PhoneLanguage = {
  names:
    "tel|phone|telefon\\p{L}*|mobil|handy|fax|whatsapp|viber|signal|telegram|gsm|mob|phn|ph|tlf|telf|cel|kontakt|contacto",
  calls: "sms|whats|nummer|numer|numero|n[uú]mero|kontakt\\p{L}*|contat\\p{L}*",
};

/** The regions that a sign in the text indicates. */
interface RegionSign {
  readonly regions: readonly CountryCode[];
  readonly sign: RegExp;
}

/** Scripts whose letters suffice without any word; checked before and after the words of other languages. */
const firstScripts: readonly RegionSign[] = [
  { regions: ["IL"], sign: /\p{sc=Hebr}/iu },
  { regions: ["SA", "EG", "AE", "IR", "PK", "MA", "IQ", "JO"], sign: /\p{sc=Arab}/iu },
  { regions: ["IN", "NP"], sign: /\p{sc=Deva}/iu },
  { regions: ["BD", "IN"], sign: /\p{sc=Beng}/iu },
  { regions: ["TH"], sign: /\p{sc=Thai}/iu },
  { regions: ["JP"], sign: /[\p{sc=Hira}\p{sc=Kana}]/iu },
  { regions: ["KR"], sign: /\p{sc=Hang}/iu },
  { regions: ["CN", "TW", "HK"], sign: /\p{sc=Han}/iu },
];
const lastScripts: readonly RegionSign[] = [
  { regions: ["RU", "UA", "KZ", "BY", "BG", "RS"], sign: /\p{sc=Cyrl}/iu },
  { regions: ["GR", "CY"], sign: /\p{sc=Grek}/iu },
];

const languages = ofLanguages(
  ({ phone }) => phone,
  "en de fr es it pt nl sv da no fi pl cs sk hu ro hr sr sl tr id ms vi fil sw",
).map(([, phone]) => phone);
const spaced = [international, ...languages.filter(({ isJoined }) => isJoined !== true)];
const joined = languages.filter(({ isJoined }) => isJoined === true);

const apart = (source: string): string => `(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])`;
const anyOf = (sources: readonly (string | undefined)[]): string =>
  sources.filter((source) => source !== undefined).join("|");
const wordsOf = (list: readonly PhoneLanguage[]): string => anyOf(list.flatMap(({ names, calls }) => [names, calls]));

const spacedNames = anyOf(spaced.map(({ names }) => names));
const joinedNames = anyOf(joined.map(({ names }) => names));
const ownNumber =
  "(?:phone|mobile|cell|contact|tel|fax|telefon)[_-]?(?:number|no|nr)|(?:phone|contact|my|new|[a-z]{4,12}i|my (?:new|other|work|home|office|private|personal|cell|mobile|german|american|\\p{L}{2})) number|(?:our|his|her|their|your|the|whose|whatsapp) number is";

/** Words around a number that identify it as a phone number. */
export const phoneWords = new RegExp(`${apart(wordsOf(spaced))}|${wordsOf(joined)}|${ownNumber}`, "iu");

/** A label directly before a number, at the end of a text. */
export const phoneLabel = new RegExp(
  `(?:(?<![\\p{L}\\p{N}])(?:${spacedNames})(?:[ _-]?(?:number|nummer|no|nr|num|#))?|${joinedNames}|${ownNumber})(?: (?:is|ist|at|on|me at|us at|me on))?["']?[\\s:：.=)#*\\\\,-]{0,8}["']?$`,
  "iu",
);

/** A letter that stands for such a label on a card, at the end of a text. */
export const phoneLetter = /(?:^|[\s|,;([])[TPMFCHW][.:] ?$/i;

/** A label directly after a number, at the beginning of a text. */
export const phoneLabelBehind = new RegExp(`^[-\\s(,]{1,3}(?:${spacedNames})(?![\\p{L}\\p{N}])`, "iu");

const signs: readonly RegionSign[] = [
  ...firstScripts,
  ...languages.flatMap((phone) =>
    phone.regions === undefined ? [] : [{ regions: phone.regions, sign: new RegExp(apart(wordsOf([phone])), "iu") }],
  ),
  ...lastScripts,
];

/** The regions whose numbers a text in this language and script would contain: empty when nothing indicates any. */
export function regionsOfWords(text: string): CountryCode[] {
  return signs.flatMap(({ regions, sign }) => (sign.test(text) ? regions : []));
}
