// Texts to evaluate: those of this repository, those of a file, and all of them in disguises.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { madeSets } from "../../../bench/detection/made.ts";
import { readCorpus } from "../../../models/training/row.ts";
import { disguised, transforms } from "../../../models/training/transform.ts";
import { expanded } from "../../../test/harness/vector/placeholder.ts";
import { isObject, type Json } from "../json.ts";
import { pick, type Random, randomOf, shuffled } from "./random.ts";

/** Longer texts are cut: their number is worth more than their length. A few are long on purpose. */
const maxLength = 800;
/** Disguises make texts up to eight times as long. */
const maxChangedLength = 250;
const longTexts = 60;
const longLength = 20_000;

/** So many texts for evaluations, the same in every run with the same files. */
export function readTexts(root: string, count: number, file: string | undefined): string[] {
  const random = randomOf("texts");
  const corpus = readCorpus().map(({ text }) => text);
  const own = [...testTexts(root), ...madeTexts()];
  const named = file === undefined ? [] : readTextFile(file);
  const all = [...new Set([...edgeTexts, ...own, ...shuffled(random, named), ...shuffled(random, corpus)])];
  // Half of them as they are, half changed.
  const plain = all.filter((text) => text !== "").slice(0, Math.ceil(count / 2));
  const texts = plain.map((text) => text.slice(0, maxLength));
  while (texts.length < count) texts.push(changed(random, pick(random, plain).slice(0, maxChangedLength)));
  const long = Math.min(longTexts, Math.floor(count / 500));
  for (let index = 0; index < long; index++) texts[Math.floor(random() * texts.length)] = longText(random, plain);
  return shuffled(random, texts).map((text) => text.toWellFormed());
}

/** What a file of JSON lines has in `text`. */
function readTextFile(file: string): string[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line) => {
    if (line.trim() === "") return [];
    const row: Json = JSON.parse(line);
    return isObject(row) && typeof row.text === "string" ? [row.text] : [];
  });
}

const edgeTexts = [
  " ",
  "\n\n\n",
  "a",
  "\u0000",
  "\ufeff\ufeff",
  "👩‍👩‍👧‍👦".repeat(40),
  "e\u0301".repeat(80),
  "\u202eabc\u202c",
  "0".repeat(300),
  "a ".repeat(400),
  "zebra7Kfq93Lm and Qx81hhTTz0",
  "mL39qfK7arbez",
];

function madeTexts(): string[] {
  return madeSets.flatMap(({ rows }) => [...rows("dev"), ...rows("test")].map(({ text }) => text));
}

/** The texts of vectors and of the tests of packs and pages. */
function testTexts(root: string): string[] {
  const vectors = globSync("test/vectors/{evaluate,stream,each}/**/*.json", { cwd: root }).toSorted();
  const inVectors = vectors.flatMap((file) => textsIn(expanded(JSON.parse(readFileSync(join(root, file), "utf8")))));
  const pages = globSync(["packs/**/pack.yaml", "docs/*.md", "examples/**/*.yaml"], { cwd: root }).toSorted();
  const inPages = pages.flatMap((file) =>
    [
      ...readFileSync(join(root, file), "utf8").matchAll(
        /\b(?:text|content): *(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^,}\n]+))/g,
      ),
    ].map(([, a, b, c]) => a ?? b ?? c ?? ""),
  );
  return [...inVectors, ...inPages].filter((text) => text.length <= longLength);
}

function textsIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === "string" ? (/^(?:text|content|input)$/.test(name) ? [member] : []) : textsIn(member),
  );
}

const changes: Readonly<Record<string, (text: string, random: Random) => string>> = {
  upper: (text) => text.toUpperCase(),
  capitals: (text, random) =>
    [...text].map((char) => (random() < 0.5 ? char.toUpperCase() : char.toLowerCase())).join(""),
  lines: (text, random) => text.replaceAll(" ", (space) => (random() < 0.2 ? "\n" : space)),
  halved: (text, random) => text.slice(0, Math.floor(random() * text.length)),
  behind: (text, random) => text.slice(Math.floor(random() * text.length)),
  swapped: (text, random) => shuffled(random, text.split(" ")).join(" "),
  doubled: (text) => `${text}\n${text}`,
  quoted: (text) => `She wrote: "${text}". What does that mean?`,
  json: (text) => JSON.stringify({ note: text, n: 1 }),
};

/** The text in one of the disguises. */
function changed(random: Random, text: string): string {
  const name = pick(random, [...Object.keys(changes), ...Object.keys(transforms)]);
  const change = changes[name];
  return change === undefined ? disguised(name, text, Math.floor(random() * 1e6)) : change(text, random);
}

function longText(random: Random, texts: readonly string[]): string {
  let text = "";
  while (text.length < longLength) text += `${pick(random, texts).slice(0, maxLength)}\n`;
  return text;
}
