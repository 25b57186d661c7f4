// Coarse words in Italian.

import list from "naughty-words/it.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday:
    "allupato|ammucchiata|anale|bagnarsi|balle|battere|battona|belino|biga|boiata|bordello|brinca|budiùlo|busone|cacca|cadavere|casci|cesso|checca|chiappa|chiavare|cornuto|cozza|femminuccia|figone|goldone|guardone|imbecille|ingoio|lofare|loffa|loffare|mannaggia|montare|mussa|nave scuola|nerchia|padulo|palle|palloso|patacca|pecorina|pesce|picio|pincare|pippa|pipì|pippone|piscio|pisello|pistolotto|pomiciare|pompa|porca|porco|porco due|quaglia|rizzarsi|rompiballe|ruffiano|sbattere|sbattersi|sbrodolata|soccia|sorca|spagnola|succhione|sveltina|tarzanello|tette|tirare|topa|trombare|vangare|zinne|zio cantante|bastardo|assatanato|arrapato|lecchino|bocchino|slinguata|slinguare|mona|monta|fica|sega|fava|potta|cagna|finocchio|figa|troia|pirla|regina|recchione|scopare|scopata|vacca|zoccola|terrone".split(
      "|",
    ),
  more: "cazzi incazzato incazzata puttane stronzi stronze".split(" "),
};
