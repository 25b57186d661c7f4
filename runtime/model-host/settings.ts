// What a folder says about its labels: `config.json` of the model, and `policy-guard.json` of its operator.

import { unknownLabels } from "../engine/backend/backend.ts";
import type { Preset } from "../engine/backend/preset.ts";
import { presetNames, presetOf } from "../engine/backend/preset-catalog.ts";
import { isRecord, readJson } from "./folder.ts";
import { LoadFailure } from "./load-failure.ts";

/** A text with what the model has to say about it. */
export interface Fixture {
  readonly text: string;
  /** The tokens, special ones included. */
  readonly ids: readonly number[];
  readonly scores: Readonly<Record<string, number>>;
  readonly tolerance: number;
}

/** The settings of a model. */
export interface ModelSettings {
  /** The labels, in the order of the outputs. */
  readonly labels: readonly string[];
  /** Categories by label, for policies that do not map labels themselves. */
  readonly categories: ReadonlyMap<string, string>;
  /** Labels that are no findings. */
  readonly ignored: ReadonlySet<string>;
  /** The preset that the folder names; undefined when it names none. */
  readonly preset: Preset | undefined;
  readonly activation: "softmax" | "sigmoid";
  /** Max tokens of a window, special ones included. */
  readonly maxTokens: number;
  /** Tokens that neighbouring windows share. */
  readonly stride: number;
  readonly maxWindows: number;
  readonly fixtures: readonly Fixture[];
}

/** The file of the operator. */
export const settingsFile = "policy-guard.json";

const keys = ["preset", "labels", "ignore", "activation", "max_tokens", "stride", "max_windows", "fixtures"];
const category = /^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$/;

/** Reads the settings of a folder. Throws a LoadFailure that says what is wrong. */
export function readSettings(folder: string): ModelSettings {
  const config = readJson(folder, "config.json");
  if (config === undefined) throw new LoadFailure("file_missing", "config.json is missing: it names the labels");
  const labels = labelsOf(config);
  const own = readJson(folder, settingsFile) ?? {};
  const unknown = Object.keys(own).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw invalid(unknown, `expected one of ${keys.join(", ")}`);
  const preset = presetIn(own);
  const meanings = meaningsOf(own, labels, preset);
  const maxTokens = whole(own, "max_tokens", { min: 8, max: 8_192, or: 512 });
  const stride = whole(own, "stride", { min: 0, max: 4_096, or: Math.min(64, Math.floor(maxTokens / 8)) });
  if (stride * 2 > maxTokens) throw invalid("stride", "expected at most half of max_tokens");
  return {
    labels,
    ...meanings,
    preset,
    activation: activationOf(own, config, { count: labels.length, preset }),
    ...{ maxTokens, stride },
    maxWindows: whole(own, "max_windows", { min: 1, max: 32, or: 8 }),
    fixtures: fixturesOf(own, labels),
  };
}

function labelsOf({ id2label }: Readonly<Record<string, unknown>>): string[] {
  const names = isRecord(id2label) ? Object.entries(id2label) : [];
  const labels = names.map(([, name]) => name);
  const isList = names.every(([index], at) => index === String(at));
  if (names.length === 0 || names.length > 1_000 || !isList || !labels.every(isLabel))
    throw new LoadFailure("settings_invalid", 'config.json, id2label: expected labels such as {"0": "SAFE"}');
  if (new Set(labels).size < labels.length)
    throw new LoadFailure("settings_invalid", "config.json, id2label: expected each label once");
  return labels;
}

function isLabel(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 128;
}

function presetIn({ preset: name }: Readonly<Record<string, unknown>>): Preset | undefined {
  if (name === undefined) return undefined;
  const preset = typeof name === "string" ? presetOf(name) : undefined;
  if (preset === undefined) throw invalid("preset", `expected one of ${presetNames()}`);
  if (!preset.shapes.includes("onnx-text-classification"))
    throw invalid("preset", `${preset.name} is for servers: ${preset.shapes.join(", ")}`);
  return preset;
}

/** What the labels mean: what the preset says, and what the operator says, who has the last word. */
function meaningsOf(
  own: Readonly<Record<string, unknown>>,
  labels: readonly string[],
  preset: Preset | undefined,
): Pick<ModelSettings, "categories" | "ignored"> {
  const categories = categoriesOf(own, labels);
  const ignored = new Set(ignoredOf(own, labels));
  if (preset === undefined) return { categories, ignored };
  const open = labels.filter((label) => !categories.has(label) && !ignored.has(label));
  const unknown = unknownLabels(open, preset);
  if (unknown.length > 0)
    throw invalid("preset", `${preset.name} does not know ${unknown.join(", ")}: name them in labels or ignore`);
  for (const label of open) {
    const category = Object.hasOwn(preset.labels, label) ? preset.labels[label] : undefined;
    if (category === undefined) ignored.add(label);
    else categories.set(label, category);
  }
  return { categories, ignored };
}

function categoriesOf({ labels = {} }: Readonly<Record<string, unknown>>, known: readonly string[]) {
  if (!isRecord(labels)) throw invalid("labels", 'expected categories such as {"INJECTION": "injection.model"}');
  const entries = Object.entries(labels).map(([label, name]): [string, string] => {
    if (!known.includes(label)) throw invalid("labels", `config.json has no label ${JSON.stringify(label)}`);
    if (typeof name !== "string" || name.length > 64 || !category.test(name))
      throw invalid("labels", `${JSON.stringify(label)} needs a category such as injection.model`);
    return [label, name];
  });
  return new Map(entries);
}

function ignoredOf({ ignore = [] }: Readonly<Record<string, unknown>>, known: readonly string[]): string[] {
  if (!Array.isArray(ignore)) throw invalid("ignore", 'expected a list of labels, such as ["SAFE"]');
  return ignore.map((label: unknown) => {
    if (typeof label !== "string" || !known.includes(label))
      throw invalid("ignore", `config.json has no label ${JSON.stringify(label)}`);
    return label;
  });
}

function activationOf(
  { activation = "auto" }: Readonly<Record<string, unknown>>,
  { problem_type: problem }: Readonly<Record<string, unknown>>,
  { count, preset }: { readonly count: number; readonly preset: Preset | undefined },
): ModelSettings["activation"] {
  if (activation === "softmax" || activation === "sigmoid") return activation;
  if (activation !== "auto") throw invalid("activation", "expected auto, softmax or sigmoid");
  if (preset?.activation !== undefined) return preset.activation;
  if (problem === "regression")
    throw new LoadFailure("settings_invalid", "config.json: a regression has no scores; set activation");
  return problem === "multi_label_classification" || count === 1 ? "sigmoid" : "softmax";
}

function fixturesOf({ fixtures = [] }: Readonly<Record<string, unknown>>, labels: readonly string[]): Fixture[] {
  if (!Array.isArray(fixtures) || fixtures.length > 100) throw invalid("fixtures", "expected a list of at most 100");
  return fixtures.map((given: unknown): Fixture => {
    const { text, ids, scores, tolerance = 0.02 } = isRecord(given) ? given : {};
    if (typeof text !== "string" || text === "") throw invalid("fixtures", "each needs a text");
    if (!Array.isArray(ids) || !ids.every((id): id is number => Number.isInteger(id)))
      throw invalid("fixtures", "each needs the ids of its tokens, special ones included");
    const found = isRecord(scores) ? Object.entries(scores) : [];
    if (found.length === 0 || !found.every(isScore) || !found.every(([label]) => labels.includes(label)))
      throw invalid("fixtures", "each needs scores of labels of config.json, from 0 to 1");
    if (typeof tolerance !== "number" || !(tolerance >= 0 && tolerance <= 0.2))
      throw invalid("fixtures", "tolerance is from 0 to 0.2");
    return { text, ids, scores: Object.fromEntries(found), tolerance };
  });
}

function isScore(entry: [string, unknown]): entry is [string, number] {
  return typeof entry[1] === "number" && entry[1] >= 0 && entry[1] <= 1;
}

function whole(
  own: Readonly<Record<string, unknown>>,
  key: string,
  { min, max, or }: { readonly min: number; readonly max: number; readonly or: number },
): number {
  const value = own[key] ?? or;
  if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max)
    throw invalid(key, `expected a whole number from ${min} to ${max}`);
  return value;
}

function invalid(key: string, message: string): LoadFailure {
  return new LoadFailure("settings_invalid", `${settingsFile}, ${key}: ${message}`);
}
