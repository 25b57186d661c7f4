// The sets of labelled texts that detectors are measured on: the groups of our corpus that nothing was trained on, the
// same attacks in disguise, and whatever files somebody names.

import { isHeldOut, type Row, readCorpus, readRows } from "../../models/training/row.ts";
import { disguised, transforms } from "../../models/training/transform.ts";

/** A set of texts. */
export interface LabelledSet {
  readonly name: string;
  readonly rows: readonly Row[];
}

const mostDisguised = 150;
const longestDisguised = 1_000;

/** The hold-out of the corpus, file by file. */
export function heldOutSets(): LabelledSet[] {
  return setsBy(readCorpus().filter(isHeldOut), ({ source }) => source);
}

/** The sets of a file: one for each source and kind that its rows name. */
export function setsOfFile(path: string, label: string): LabelledSet[] {
  return setsBy(readRows(path, label), ({ source, kind }) => (kind === "" ? source : `${kind} (${source})`));
}

/** English texts of the hold-out in every disguise, attacks and innocent ones. */
export function disguisedSets(): LabelledSet[] {
  const rows = readCorpus().filter((row) => isHeldOut(row) && row.lang === "en" && row.text.length <= longestDisguised);
  const attacks = rows.filter(({ isAttack }) => isAttack).slice(0, mostDisguised);
  const innocent = rows.filter(({ isAttack }) => !isAttack).slice(0, mostDisguised);
  return Object.keys(transforms).map((name) => ({
    name: `in ${name}`,
    rows: [...attacks, ...innocent].map((row, index) => ({ ...row, text: disguised(name, row.text, index) })),
  }));
}

/** The sets of the languages that occur often enough. */
export function setsOfLanguages(rows: readonly Row[], least = 20): LabelledSet[] {
  return setsBy(rows, ({ lang }) => lang).filter(({ name, rows: those }) => name !== "" && those.length >= least);
}

/** The sets of the kinds of texts. */
export function setsOfKinds(rows: readonly Row[]): LabelledSet[] {
  return setsBy(rows, ({ kind, isAttack }) => (isAttack ? kind : `innocent: ${kind}`));
}

/** Innocent texts of everyday use, as people send them: at most 2,000. */
export function ordinaryRows(rows: readonly Row[]): Row[] {
  const kinds = /^(?:ordinary_chat|benign_(?:clinc|banking77|oasst_en|selfinstruct|code|gsm8k))$/;
  const ordinary = rows.filter(({ isAttack, kind }) => !isAttack && kinds.test(kind));
  return ordinary.filter((_, index) => index % Math.ceil(ordinary.length / 2_000) === 0);
}

/** The same texts, joined to texts of at least this many units. */
export function joinedRows(rows: readonly Row[], units: number): Row[] {
  const joined: Row[] = [];
  let text = "";
  for (const row of rows) {
    text += `${row.text}\n`;
    if (text.length < units) continue;
    joined.push({ ...row, text });
    text = "";
  }
  return joined;
}

function setsBy(rows: readonly Row[], nameOf: (row: Row) => string): LabelledSet[] {
  return [...Map.groupBy(rows, nameOf)]
    .map(([name, those]) => ({ name, rows: those }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
