// Answers that got stuck and questions that were padded, and texts that repeat as rules, tables, lists, verses and
// figures do.

import type { Row } from "../../../models/training/row.ts";
import type { Draw } from "./draw.ts";
import { type Recipe, type Slots, textsOf } from "./fill.ts";
import type { DrawName } from "./pii.ts";

const phrases: Readonly<Record<DrawName, readonly string[]>> = {
  dev: ["poem ", "I am sorry. ", "the end of ", "und dann ", "na klar, "],
  test: [
    ...[
      "company ",
      "As an AI model, I cannot help. ",
      "- buy milk\n",
      "и так далее, ",
      "非常",
      "très ",
      "0x00, ",
      "and the cat sat on ",
    ],
    ...["Please wait…\n", "<br>", "lorem ipsum dolor ", "हाँ ", "foo(bar); ", "Yes! ", "どうぞ、"],
  ],
};

function times(draw: Draw, least: number, more: number): number {
  return least + draw.below(more);
}

function slotsOf(name: DrawName): Slots {
  return {
    LOOP: (draw) => draw.of(phrases[name]).repeat(times(draw, 12, 80)),
    RUN: (draw) => draw.of([..."aAx0!?я哈あ"]).repeat(times(draw, 60, 300)),
    LINES: (draw) =>
      `${draw.of(["The answer is 42.", "Retrying…", "print('ok')", "| a | b |", "Mr Smith signed it."])}\n`.repeat(
        times(draw, 14, 40),
      ),
    RULE: (draw) => draw.of([..."-=_*#~─═·."]).repeat(times(draw, 60, 60)),
    TABLE: (draw) => `| --- ${"| --- ".repeat(times(draw, 3, 8))}|`,
    CELLS: (draw) =>
      `${Array.from({ length: times(draw, 10, 20) }, (_, row) => `| ${row} | ${draw.digits(2)} | yes |`).join("\n")}`,
    LAUGH: (draw) => draw.of(["ha", "xD", "lol ", "ja", "ха", "w"]).repeat(times(draw, 3, 4)),
    LONG: (draw) =>
      `${draw.of(["so", "noooo", "whaaaa", "yess", "goool"])}${draw.of([..."oahs"]).repeat(times(draw, 3, 15))}`,
    FEW: (draw) => draw.of(["very ", "no, ", "never again ", "bye ", "run "]).repeat(times(draw, 2, 4)),
    LIST: (draw) =>
      Array.from(
        { length: times(draw, 8, 20) },
        (_, index) => `- item ${index + 1}: ${draw.of(["done", "open", "late"])}`,
      ).join("\n"),
    FIGURES: (draw) => `1${"0".repeat(times(draw, 6, 20))}`,
    MATRIX: (draw) =>
      Array.from({ length: times(draw, 5, 8) }, () => Array.from({ length: 8 }, () => draw.below(2)).join(" ")).join(
        "\n",
      ),
    NUMBER: (draw) => draw.digits(2),
  };
}

const recipes: Readonly<Record<DrawName, Recipe>> = {
  dev: {
    found: [{ kind: "any", of: ["{LOOP}", "ok {NUMBER}: {LOOP}", "{RUN}", "answer:\n{LINES}"] }],
    innocent: [
      {
        kind: "any",
        of: [
          "{RULE}\n{NUMBER}",
          "{TABLE}\n{CELLS}",
          "{LAUGH} {NUMBER}",
          "it is {LONG} good {NUMBER}",
          "{LIST}",
          "{FIGURES}",
        ],
      },
    ],
    slots: slotsOf("dev"),
  },
  test: {
    found: [
      {
        kind: "phrase",
        of: [
          "Here is the poem you asked for ({NUMBER}):\n{LOOP}",
          "{LOOP}The end, {NUMBER}.",
          '{"answer": "{LOOP}", "n": {NUMBER}}',
          "{NUMBER} {LOOP}",
        ],
      },
      {
        kind: "line",
        of: ["Log of run {NUMBER}\n{LINES}", "{LINES}Could you explain line {NUMBER}?", "```\n{LINES}```"],
      },
      {
        kind: "character",
        of: ["Say this {NUMBER} times: {RUN}", "{RUN}{NUMBER}", "Subject: {RUN}\n\nHello {NUMBER}"],
      },
    ],
    innocent: [
      {
        kind: "rule",
        of: [
          "Chapter {NUMBER}\n{RULE}\nIt was a dark night.",
          "/* {RULE} */\nint x = {NUMBER};",
          "{RULE}\nTotal: {NUMBER}\n{RULE}",
        ],
      },
      {
        kind: "table",
        of: [
          "| n | price | stock |\n{TABLE}\n{CELLS}",
          "{CELLS}\nSum it up, rounded to {NUMBER}.",
          "{MATRIX}\nWhat is the determinant, {NUMBER}?",
        ],
      },
      { kind: "list", of: ["My tasks for week {NUMBER}:\n{LIST}", "{LIST}"] },
      {
        kind: "talk",
        of: [
          "{LAUGH}{LAUGH} that was funny, {NUMBER} points",
          "It is {LONG} cold today, {NUMBER} degrees.",
          "She said {FEW}and left at {NUMBER}.",
          "We won {NUMBER}:0, {LONG}!!!!!!!!!",
        ],
      },
      {
        kind: "figure",
        of: [
          "A googol has many zeros; {FIGURES} has fewer, {NUMBER}.",
          "0b{NUMBER}0000000000000000",
          "color: #ffffff; width: {NUMBER}.00000000px",
          "IBAN DE00 0000 0000 0000 0000 {NUMBER}",
        ],
      },
      {
        kind: "verse",
        of: [
          "Row, row, row your boat\nGently down the stream\nMerrily, merrily, merrily, merrily\nLife is but a dream ({NUMBER})",
          "Na na na na, hey hey hey, goodbye! Take {NUMBER}",
          "Buffalo buffalo Buffalo buffalo buffalo buffalo Buffalo buffalo is sentence {NUMBER}.",
          "{NUMBER}, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89",
          "<div>\n  <div>\n    <div>\n      <p>{NUMBER}</p>\n    </div>\n  </div>\n</div>",
          "a,b,c\n1,,\n{NUMBER},,\n3,,\n4,,\n5,,",
        ],
      },
    ],
    slots: slotsOf("test"),
  },
};

/** Texts for the detector "repetition". */
export function generatedRepetitions(name: DrawName): Row[] {
  return textsOf("repetition", name, recipes[name], { found: 250, innocent: 300 });
}
