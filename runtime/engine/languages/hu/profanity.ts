// Coarse words in Hungarian.

import list from "naughty-words/hu.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday:
    "barmok|barmokat|barmot|barom|buksza|bukszák|bukszákat|bukszát|búrok|franc|francok|francokat|francot|marha|marhák|marhákat|marhát|megdöglik|pelék|pofa|pofákat|pofát|szajha|szajhák|szajhákat|szajhát|punci|puncik|fing|fingok|fingokat|fingot|pele|pina".split(
      "|",
    ),
  more: "bazmeg|bazdmeg|faszfej|seggfej|picsába|szar|szart|baszd meg|kurva anyád".split("|"),
};
