// Writes the datasets that ship with the product, of texts of this repository: `npx node bench/detection/datasets.ts`.
// Each is a file `models/datasets/<name>.jsonl.gz` of samples; `index.json` has their numbers, and catalog entries read
// them. Same sources, same samples.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { corpusFolder, isHeldOut, type Row } from "../../models/training/row.ts";
import { comparableText, readTextHashes } from "../../src/kit/crypto/text-hash.ts";
import { madeSets } from "./made.ts";

const root = join(import.meta.dirname, "..", "..");
const folder = join(root, "models", "datasets");

/** Templates of other groups may come to the same text. */
const trainedOn = readTextHashes(readFileSync(join(root, "models", "training-texts.hashes")));

interface ShippedSample {
  readonly external_id: string;
  readonly text: string;
  readonly labels: readonly string[];
  readonly expected_outcome?: "ALLOW";
  readonly stage: string;
  readonly language?: string;
  readonly group?: string;
  readonly tags: readonly string[];
  readonly split: "train" | "test";
}

/** Kinds of innocent texts that have the words of attacks. */
const hardKinds = new Set([
  ...["trigger_words", "quoted_attack_discussion", "docs_about_injection", "security_question", "roleplay"],
  ...["instructions_edit", "logs_config", "support_mail", "coding", "education", "creative"],
]);

/** The samples of each dataset that ships, by its name. */
export function shippedSamples(): ReadonlyMap<string, readonly ShippedSample[]> {
  const corpus = linesOf(
    readdirSync(corpusFolder)
      .filter((name) => name.endsWith(".jsonl"))
      .sort()
      .map((name) => join(corpusFolder, name)),
  );
  const isKept = (row: Line) => isHeldOut({ group: String(row.group) });
  const heldOut = corpus.filter(isKept);
  const textbook = linesOf([join(root, "test/runtime/engine/detectors/injection/textbook.jsonl")]);
  const survey = linesOf([join(root, "test/runtime/engine/detectors/injection/survey.test.jsonl")]);
  const hard = [...heldOut, ...textbook, ...survey].filter(
    ({ label, family, text }) =>
      label === "benign" && typeof family === "string" && hardKinds.has(family) && !isTrainedOn(String(text)),
  );
  // Keywords are of whoever names them, wishes to do harm are in no package, and further sentences of a detector have a
  // set of their own.
  const kept = new Set(["content_safety", "keywords"]);
  const offered = madeSets.filter(({ detector, title }) => !kept.has(detector) && title === undefined);
  const made = offered.map(({ detector, rows }) => {
    const samples = rows("test").map((row, at) => sampleOfRow(detector, row, at));
    return [detector.replaceAll("_", "-"), samples] as const;
  });
  return new Map([
    ["injection-holdout", heldOut.map(sampleOfLine)],
    ["injection-corpus", corpus.filter((row) => !isKept(row)).map(trainedSample)],
    ["over-defence", hard.map(innocentSample)],
    ["textbook-held-out", textbook.map(sampleOfLine)],
    ...made,
  ]);
}

type Line = Readonly<Record<string, unknown>>;

function linesOf(paths: readonly string[]): Line[] {
  return paths.flatMap((path) =>
    readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): Line => JSON.parse(line)),
  );
}

function sampleOfLine({ id, text, label, family, lang, stage, group }: Line): ShippedSample {
  return {
    ...{ external_id: String(id), text: String(text), labels: [String(label)], stage: String(stage ?? "input") },
    ...(typeof lang === "string" && lang !== "" ? { language: lang } : {}),
    ...{ group: String(group ?? id), tags: typeof family === "string" && family !== "" ? [family] : [], split: "test" },
  };
}

function trainedSample(line: Line): ShippedSample {
  return { ...sampleOfLine(line), split: "train" };
}

/** A sample of a set without attacks: what is right about it is its outcome. */
function innocentSample(line: Line): ShippedSample {
  const { external_id, text, labels, ...rest } = sampleOfLine(line);
  return { external_id, text, labels, expected_outcome: "ALLOW", ...rest };
}

function sampleOfRow(detector: string, { text, isAttack, kind, lang, stage, group }: Row, at: number): ShippedSample {
  return {
    ...{ external_id: `${detector}-${at + 1}`, text, labels: [isAttack ? detector : "benign"], stage },
    ...(lang === "" ? {} : { language: lang }),
    ...{ group, tags: kind === "" ? [] : [kind.slice(0, 128)], split: "test" },
  };
}

function isTrainedOn(text: string): boolean {
  return trainedOn.has(comparableText(text));
}

/** What catalog entries say about the samples. */
function numbersOf(samples: readonly ShippedSample[]) {
  const sorted = (values: readonly (string | undefined)[]) =>
    [...new Set(values.filter((value) => value !== undefined))].sort();
  return {
    rows: samples.length,
    trained: samples.filter(({ text }) => isTrainedOn(text)).length,
    languages: sorted(samples.map(({ language }) => language)),
    labels: sorted(samples.flatMap(({ labels }) => labels)),
    stages: sorted(samples.map(({ stage }) => stage)),
  };
}

if (process.argv[1] === import.meta.filename) {
  mkdirSync(folder, { recursive: true });
  const all = [...shippedSamples()].map(([name, samples]) => {
    const file = gzipSync(samples.map((sample) => `${JSON.stringify(sample)}\n`).join(""), { level: 9 });
    writeFileSync(join(folder, `${name}.jsonl.gz`), file);
    return [name, { sha256: createHash("sha256").update(file).digest("hex"), ...numbersOf(samples) }];
  });
  const index = Object.fromEntries(all);
  writeFileSync(join(folder, "index.json"), `${JSON.stringify(index, null, 2)}\n`);
}
