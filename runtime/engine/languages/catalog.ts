// The languages that the detectors know. A language is a folder and an entry in this list; each detector's part is a
// file of the folder, whose type is in `<detector>-part.ts`.

import { arabic } from "./ar/language.ts";
import { bulgarian } from "./bg/language.ts";
import { bengali } from "./bn/language.ts";
import { czech } from "./cs/language.ts";
import { danish } from "./da/language.ts";
import { german } from "./de/language.ts";
import { greek } from "./el/language.ts";
import { english } from "./en/language.ts";
import { spanish } from "./es/language.ts";
import { persian } from "./fa/language.ts";
import { finnish } from "./fi/language.ts";
import { filipino } from "./fil/language.ts";
import { french } from "./fr/language.ts";
import { hebrew } from "./he/language.ts";
import { hindi } from "./hi/language.ts";
import { croatian } from "./hr/language.ts";
import { hungarian } from "./hu/language.ts";
import { indonesian } from "./id/language.ts";
import { italian } from "./it/language.ts";
import { japanese } from "./ja/language.ts";
import { korean } from "./ko/language.ts";
import type { Language } from "./language.ts";
import { malay } from "./ms/language.ts";
import { dutch } from "./nl/language.ts";
import { norwegian } from "./no/language.ts";
import { polish } from "./pl/language.ts";
import { portuguese } from "./pt/language.ts";
import { romanian } from "./ro/language.ts";
import { russian } from "./ru/language.ts";
import { slovak } from "./sk/language.ts";
import { slovenian } from "./sl/language.ts";
import { serbian } from "./sr/language.ts";
import { swedish } from "./sv/language.ts";
import { swahili } from "./sw/language.ts";
import { tamil } from "./ta/language.ts";
import { thai } from "./th/language.ts";
import { turkish } from "./tr/language.ts";
import { ukrainian } from "./uk/language.ts";
import { urdu } from "./ur/language.ts";
import { vietnamese } from "./vi/language.ts";
import { chinese } from "./zh/language.ts";

const languages: readonly Language[] = [
  english,
  spanish,
  french,
  german,
  italian,
  portuguese,
  dutch,
  polish,
  russian,
  ukrainian,
  turkish,
  arabic,
  hindi,
  chinese,
  japanese,
  korean,
  finnish,
  hungarian,
  czech,
  romanian,
  greek,
  hebrew,
  persian,
  urdu,
  bengali,
  tamil,
  thai,
  swahili,
  filipino,
  malay,
  indonesian,
  vietnamese,
  swedish,
  danish,
  norwegian,
  slovak,
  croatian,
  serbian,
  slovenian,
  bulgarian,
];

/**
 * The parts of all languages of one kind, with their tags. When two languages find the same text, the earlier rule
 * names the finding, so the order affects what a detector reports: the given tags come first, the other languages in
 * the order of the list.
 */
export function ofLanguages<T>(pick: (language: Language) => T | undefined, first = ""): (readonly [string, T])[] {
  const leading = first.split(" ");
  const rankOf = ({ tag }: Language): number => {
    const rank = leading.indexOf(tag);
    return rank < 0 ? leading.length : rank;
  };
  return languages
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .flatMap((language) => {
      const picked = pick(language);
      return picked === undefined ? [] : [[language.tag, picked] as const];
    });
}
