// Coarse words in Russian.

import list from "naughty-words/ru.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday:
    "bychara|gol|padlo|pedik|perdet|petuh|uboy|po'imat' na konchik|svodit posrat|бугор|встать раком|голый|другой дразнится|играть на кожаной флейте|каждый дрочит как он хочет|какая разница|курите мою трубку|мент|на фиг|обнаженный|обоссаться можно|офигеть|половое сношение|секс|сиськи|ты мне ваньку не валяй|фига|хапать|хер с ней|хер с ним|хохол|хрен|perdet|манда|byk".split(
      "|",
    ),
  more: "хуя хую хуем хуевый хуёвый пиздец пиздеца хуйня хуйни хуйню нахуй похуй охуел охуели охуенно охуенный ебаный ёбаный ебаная ебаные заебал заебали заебись уебок уёбок блять бля бляди блядская мудак мудаки пизда пизды пиздеж пиздёж долбоёб долбоеб говна дерьма".split(
    " ",
  ),
};
