// Coarse words in Spanish.

import list from "naughty-words/es.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday:
    "asesinato|bastardo|chupada|chupetón|concha|coprofagía|drogas|esperma|fiesta de salchichas|hacer una paja|haciendo el amor|heroína|idiota|imbécil|infierno|kapullo|maciza|maldito|mamada|martillo|orina|pedo|pervertido|pezón|pinche|prostituta|racista|ramera|sádico|semen|sexo|sexo oral|tetas grandes|tía buena|travesti|verga|marica|nazi|vulva|trio|asno|caca".split(
      "|",
    ),
  more: "cabronazo cojones coñazo hostias joder jodido jodida mierdas putada puto putas chingar chingada joded jódete".split(
    " ",
  ),
};
