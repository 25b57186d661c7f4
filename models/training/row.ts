// Labelled texts: the corpus of this repository, and files that a developer has beside it.

import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { normalize } from "../../runtime/engine/text/normalize.ts";

/** A labelled text. */
export interface Row {
  readonly id: string;
  /** As detectors read it. */
  readonly text: string;
  readonly isAttack: boolean;
  /** Family of an attack, or what kind of innocent text it is. */
  readonly kind: string;
  /** BCP 47 tag; "" when nobody said. */
  readonly lang: string;
  /** "input", "output", "tool_result" or "retrieval". */
  readonly stage: string;
  /** Where it comes from: a file of the corpus, or what its row says. */
  readonly source: string;
  /** Rows of one template share a group, so that no split parts them. */
  readonly group: string;
}

/** The corpus of this repository. */
export const corpusFolder = fileURLToPath(new URL("../corpus/", import.meta.url));

/** All rows of the corpus, file by file. */
export function readCorpus(folder = corpusFolder): Row[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  return files.sort().flatMap((name) => readRows(join(folder, name)));
}

/**
 * The rows of a JSONL file, gzipped or not. A row has `text`, and that `label` if it is an attack; the text before a
 * transform, `plain`, goes before `text`.
 */
export function readRows(path: string, label = "attack"): Row[] {
  const bytes = readFileSync(path);
  const lines = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8").split("\n");
  const file = basename(path).replace(/\.jsonl(\.gz)?$/, "");
  return lines.filter((line) => line !== "").map((line, index) => rowOf(JSON.parse(line), { file, index, label }));
}

interface Place {
  readonly file: string;
  readonly index: number;
  readonly label: string;
}

function rowOf(given: Readonly<Record<string, unknown>>, { file, index, label }: Place): Row {
  const textOf = (...names: readonly string[]): string | undefined =>
    names.map((name) => given[name]).find((value) => typeof value === "string");
  const text = textOf("plain", "text");
  if (text === undefined) throw new Error(`${file}: row ${index + 1} has no text`);
  const id = textOf("id") ?? `${file}-${index + 1}`;
  return {
    id,
    text: normalize(text),
    isAttack: textOf("label") === label,
    kind: textOf("family", "kind", "sub") ?? "",
    lang: textOf("lang") ?? "",
    stage: textOf("stage") ?? "input",
    source: textOf("source") ?? file,
    group: textOf("group") ?? id,
  };
}

/** Of the groups of the corpus, those of which no text is trained on: 15 %. */
export function isHeldOut({ group }: Pick<Row, "group">): boolean {
  return hashOf(group) % 100 < 15;
}

/** A number for a text, the same in every run. FNV-1a, mixed. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
