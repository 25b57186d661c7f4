// Texts with a keyword, as written, in another case, width or spacing, or in look-alike letters; and texts with parts
// and neighbours of one.

import type { Row } from "../../../models/training/row.ts";
import type { Draw } from "./draw.ts";
import { type Recipe, type Slots, textsOf } from "./fill.ts";
import type { DrawName } from "./pii.ts";
import { mimicked } from "./unicode-value.ts";

/** Keywords that the detector is told of. */
export const keywordLists: Readonly<Record<DrawName, readonly string[]>> = {
  dev: ["project nightfall", "Globex", "gehaltsliste"],
  test: ["operation sea breeze", "Initech", "merger", "Kündigungsliste", "проект аврора", "極秘計画"],
};

function wide(text: string): string {
  return [...text]
    .map((char) => (/[!-~]/.test(char) ? String.fromCharCode(char.charCodeAt(0) + 0xfee0) : char))
    .join("");
}

function slotsOf(name: DrawName): Slots {
  const word = (draw: Draw): string => draw.of(keywordLists[name]);
  const latin = (draw: Draw): string => draw.of(keywordLists[name].filter((one) => /^[a-z ]+$/i.test(one)));
  return {
    WORD: word,
    CASED: (draw) => draw.of([word(draw).toUpperCase(), word(draw).toLowerCase()]),
    WIDE: (draw) => wide(latin(draw)),
    SPACED: (draw) => latin(draw).replaceAll(" ", draw.of(["  ", "\n", "\u00a0", "\t"])),
    MIMICKED: (draw) => mimicked(latin(draw), draw),
    JOINED: (draw) =>
      draw.of(["re", "sub", "x", "anti"]) + latin(draw).replaceAll(" ", "") + draw.of(["s", "ish", "2", ""]),
    HALF: (draw) =>
      draw.of([
        "sea breeze",
        "operation",
        "Initial",
        "merge",
        "emerging",
        "Kündigung",
        "проект",
        "計画",
        "極秘",
        "night",
        "Globe",
        "Gehalt",
      ]),
    NUMBER: (draw) => draw.digits(3),
  };
}

const recipes: Readonly<Record<DrawName, Recipe>> = {
  dev: {
    found: [
      {
        kind: "any",
        of: [
          "what is {WORD} {NUMBER}",
          "{CASED}: {NUMBER}",
          "a {WIDE} b{NUMBER}",
          "see {SPACED}, {NUMBER}",
          "the {MIMICKED} file {NUMBER}",
        ],
      },
    ],
    innocent: [{ kind: "any", of: ["what is {HALF} {NUMBER}", "{JOINED}: {NUMBER}", "the file {NUMBER}"] }],
    slots: slotsOf("dev"),
  },
  test: {
    found: [
      {
        kind: "as written",
        of: [
          "Who works on {WORD} in room {NUMBER}?",
          "({WORD})",
          "Re: {WORD}, part {NUMBER}",
          "„{WORD}“ – Seite {NUMBER}",
        ],
      },
      { kind: "case", of: ["PLEASE SEND {CASED} TO {NUMBER}", "draft {NUMBER} on {CASED}."] },
      { kind: "width", of: ["Notes on {WIDE}, {NUMBER} pages", "「{WIDE}」{NUMBER}"] },
      { kind: "spacing", of: ["All about {SPACED} in {NUMBER} words.", "> {SPACED}\n\nIs that true, {NUMBER}?"] },
      { kind: "look-alike", of: ["Tell me what {MIMICKED} costs, {NUMBER} or more.", "{MIMICKED} / {NUMBER}"] },
    ],
    innocent: [
      {
        kind: "part",
        of: [
          "Who works on {HALF} in room {NUMBER}?",
          "{HALF}, {HALF} and {NUMBER} others",
          "Notes on {HALF} ({NUMBER} pages)",
        ],
      },
      { kind: "joined", of: ["The word {JOINED} has {NUMBER} letters.", "const {JOINED} = {NUMBER};"] },
      {
        kind: "apart",
        of: [
          "The operation at sea was no breeze for the {NUMBER} sailors.",
          "Проекту нужна аврора номер {NUMBER}.",
          "In it, tech and {NUMBER} merging lanes",
        ],
      },
    ],
    slots: slotsOf("test"),
  },
};

/** Texts for the detector "keywords". */
export function generatedKeywords(name: DrawName): Row[] {
  return textsOf("keywords", name, recipes[name], { found: 250, innocent: 250 });
}
