// Coarse words in Ukrainian.

import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  more: "хуй хуйня хуйню нахуй похуй пиздець пізда пизда їбати йобаний заїбав блядь блять курва гівно лайно їбав їбаний їбана їбало срака сраку сраці мудак".split(
    " ",
  ),
};
