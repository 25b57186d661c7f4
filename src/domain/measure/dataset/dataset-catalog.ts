// The datasets that can be installed: texts that ship with the product, and collections of others, of which licence,
// file and columns are known and nothing else is here. Ids never change.

import { createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { productFolder } from "../../../kit/process/product-folder.ts";
import { checkedBytes } from "./import-bytes.ts";

/** An entry of the catalog. */
export interface CatalogEntry {
  readonly id: string;
  /** By which it can be named too. */
  readonly name: string;
  readonly version: string;
  readonly title: string;
  readonly kind: "builtin" | "external";
  readonly licence: { readonly spdx: string; readonly url: string | null };
  readonly rows: number;
  readonly languages: readonly string[];
  readonly labels: readonly string[];
  readonly stages: readonly string[];
  readonly trainedOn: "none" | "partly" | "wholly";
  readonly files: readonly CatalogFile[];
  /** How its columns become fields; null where they have the names of fields. */
  readonly mapping: JsonObject | null;
  readonly homepage: string | null;
  readonly notes: string;
}

/** A file of an entry. */
export interface CatalogFile {
  readonly name: string;
  readonly format: "jsonl" | "csv" | "json";
  /** In hexadecimal digits; null for one that its publisher may change. */
  readonly sha256: string | null;
}

type Numbers = Pick<CatalogEntry, "rows" | "languages" | "labels" | "stages"> & {
  /** Texts among them that the built-in models were trained on. */
  readonly trained: number;
  readonly sha256: string;
};

const generated = "Made up from fixed seeds apart from the detector; its thresholds were tuned on another draw.";
const written = "Written sentence by sentence apart from the detector; its lists were tuned on another half.";

/** Name, id, title and who tuned on it. */
const shipped: readonly (readonly [name: string, id: string, title: string, notes: string])[] = [
  [
    "injection-holdout",
    "9bb226fd-34e1-4249-bf13-285c382f88b9",
    "Prompt injection, held out of training",
    "The groups of our corpus that no model was trained on: 15 %. Templates of the other groups have the same authors.",
  ],
  [
    "textbook-held-out",
    "11f26843-3323-4dea-8308-3ea045c39688",
    "What everybody tries first, in 35 languages",
    "No rule was written after it, and its other half is in the corpus; four innocent texts are in both.",
  ],
  [
    "injection-corpus",
    "1ed9f842-5216-4857-9198-15e8a7785ffd",
    "Prompt injection, as the model learned it",
    "The other 85 % of our corpus: the built-in model was trained on all of it, and patterns were written after it. For " +
      "study, and to train on; a figure that it gives of the built-in detector proves nothing.",
  ],
  [
    "over-defence",
    "f184e73e-f282-4775-ba45-1679b128650f",
    "Innocent texts with the words of attacks",
    "Innocent texts of the groups that no model was trained on, of the textbook's half and of the survey's half that no " +
      "rule was written after. All of them are to pass: measure false positives by it.",
  ],
  ["canary", "4e59536c-1aba-4760-9396-a816d1761ef2", "Canary tokens that leak", generated],
  ["code", "93c0ad4e-fc90-46f8-8445-433d75ce4a1a", "Code and commands that attack", generated],
  ["encoding", "978f7120-5e80-4f78-8c82-5138ef50e308", "Encoded texts", generated],
  ["gibberish", "47f34bf1-8b0a-411c-9ccb-79baa91fe401", "Texts of no language", generated],
  ["language", "88bee347-92eb-4baa-8fe8-91ec9280be34", "Texts in languages that are not allowed", generated],
  ["pii", "9839de4c-c802-495b-9f0b-6a6cc7c81d8b", "Personal data, made up", generated],
  ["repetition", "50fb58f7-840a-4c12-8e07-814262101be6", "Texts that repeat themselves", generated],
  ["secrets", "20d6185e-1216-4870-9c8e-260501e1eeaa", "Keys and passwords, made up", generated],
  ["unicode", "503505ba-9d89-45d5-a67e-62681fafefc9", "Hidden and confusing characters", generated],
  ["url", "6f4446d5-f403-4d4d-825b-2f1d51ed9897", "Addresses that carry data away", generated],
  ["profanity", "9462ff64-5939-4b2c-9253-b702a4550c3a", "Coarse words", written],
  ["self-harm", "6338b7da-d8ed-4636-ae76-0c764670e1fd", "Sentences of somebody at risk", written],
  ["topics", "e9856b62-1510-432e-83fd-83de642bb106", "Nine topics", written],
  ["toxicity", "b441c9d3-055b-4897-ac6a-1f1cbb6e80bf", "Insults and threats", written],
];

const external: readonly CatalogEntry[] = [
  {
    id: "0c5047f1-2767-49d9-91d9-caa388f3ef5f",
    name: "xstest",
    version: "2",
    title: "XSTest: safe questions that look harmful, and harmful ones beside them",
    kind: "external",
    licence: { spdx: "CC-BY-4.0", url: "https://creativecommons.org/licenses/by/4.0/" },
    ...{ rows: 450, languages: ["en"], labels: ["benign", "harmful_request"], stages: ["input"], trainedOn: "none" },
    files: [{ name: "xstest_prompts.csv", format: "csv", sha256: null }],
    mapping: {
      fields: { external_id: "id", text: "prompt", tags: "type" },
      labels: [
        { column: "label", equals: "safe", label: "benign" },
        { column: "label", equals: "unsafe", label: "harmful_request" },
      ],
      add_tags: ["over-defence"],
      language: "en",
    },
    homepage: "https://github.com/paul-rottger/exaggerated-safety",
    notes:
      "A harmful question is no injection: measure over-defence by it, not the recall of `injection`. The file is meant " +
      "as it is in the commit 475f10bf0a3d6a9dfb174b6de1a38afbfdff98a5: https://raw.githubusercontent.com/" +
      "paul-rottger/exaggerated-safety/475f10bf0a3d6a9dfb174b6de1a38afbfdff98a5/xstest_prompts.csv. Its publisher names " +
      "no SHA-256, so none is pinned here: give the one that you expect as `sha256`.",
  },
];

let read: readonly CatalogEntry[] | undefined;

/** The catalog. Read once. */
export function datasetCatalog(): readonly CatalogEntry[] {
  if (read !== undefined) return read;
  const index: Readonly<Record<string, Numbers>> = JSON.parse(readFileSync(fileOf("index.json"), "utf8"));
  const builtin = shipped.map(([name, id, title, notes]): CatalogEntry => {
    const found = index[name];
    if (found === undefined) throw new Error(`models/datasets/index.json has no ${name}`);
    const { trained, sha256, ...numbers } = found;
    const trainedOn = trained === 0 ? "none" : trained < numbers.rows ? "partly" : "wholly";
    return {
      ...{ id, name, version: "2026.11", title, kind: "builtin", ...numbers, trainedOn, mapping: null, notes },
      ...{ licence: { spdx: "LicenseRef-policy-guard", url: null }, homepage: null },
      files: [{ name: `${name}.jsonl.gz`, format: "jsonl", sha256 }],
    };
  });
  read = [...builtin, ...external];
  return read;
}

/** The entry of this id or name, or undefined. */
export function catalogEntry(idOrName: string): CatalogEntry | undefined {
  return datasetCatalog().find(({ id, name }) => id === idOrName.toLowerCase() || name === idOrName);
}

/** The file of a built-in entry. Throws digest_mismatch at its end when it has other bytes than the catalog says. */
export function shippedFile({ files: [file] }: CatalogEntry): AsyncIterable<Uint8Array> {
  if (file === undefined) throw new Error("an entry has a file");
  return checkedBytes(createReadStream(fileOf(file.name)), { expected: file.sha256 });
}

function fileOf(name: string): string {
  return join(productFolder("models"), "datasets", name);
}
