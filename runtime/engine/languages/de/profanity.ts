// Coarse words in German.

import list from "naughty-words/de.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday:
    "bratze|bumsen|bonze|fratze|ische|kimme|lümmel|milf|möpse|morgenlatte|mufti|muschi|nackt|nippel|onanieren|orgasmus|pimpern|pinkeln|popel|poppen|reudig|rosette|schabracke|schiesser|schnackeln|vögeln|vollpfosten|wichse|kacke|kacken|neger|penis|porno|bimbo".split(
      "|",
    ),
  more: "arschgeige drecksau fickt gefickt hurensöhne kackvogel miststück scheiss scheiß beschissen wichser scheißdreck arschlöcher arschlöchern scheißkerl drecksack".split(
    " ",
  ),
};
