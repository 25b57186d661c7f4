// Coarse words in Portuguese.

import list from "naughty-words/pt.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday:
    "aborto|amador|ânus|aranha|ariano|balalao|bastardo|biscate|bissexual|braulio de borracha|bumbum|camisinha|cerveja|chupar|cocaína|coito|cona|consolo|corno|dum raio|esporra|frango assado|gozar|grelho|heroína|heterosexual|homem gay|homoerótico|lésbica|passar um cheque|peidar|pênis|sacanagem|torneira|transar|vadia|vibrador|dar o rabo|comer|mama|inferno|clitoris|lolita|saco|fecal|homosexual|boob|burro|pinto|veado|bicha".split(
      "|",
    ),
  more: "caralhos fodido fodida foda-se porras putaria buceta bucetas cuzão cuzões".split(" "),
};
