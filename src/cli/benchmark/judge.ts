// Judges: detectors and other products inside the boundary of whoever calls the command, which are measured beside a
// target. `--judge` names them in one line each, a file says more about them.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import {
  isCallHeader,
  modelName,
  needsQuestions,
  type ServerShape,
  serverShapes,
  shapesWithModel,
  shapesWithModelText,
} from "../../../runtime/engine/backend/backend.ts";
import type { Preset } from "../../../runtime/engine/backend/preset.ts";
import { presetOf, presets } from "../../../runtime/engine/backend/preset-catalog.ts";
import type { Options, Values } from "../command.ts";
import { usageFailure } from "../failure.ts";
import { readYaml } from "../file.ts";

/** Options that name judges. */
export const judgeOptions = {
  judge: {
    type: "string",
    value: "KEY=URL:SHAPE",
    help: "Detectors that are asked from here and measured beside the target, separated by commas.",
  },
  judges: { type: "string", value: "FILE", help: "The same with categories, thresholds, secrets and commands: YAML." },
} as const satisfies Options;

/** An HTTP server that speaks one of the contracts of detector backends. */
export interface JudgeServer {
  readonly url: string;
  readonly shape: ServerShape;
  readonly header: { readonly name: string; readonly value: string } | undefined;
  /** The model that the server is asked for, where its protocol has a place for it. */
  readonly model?: string | undefined;
  /** What its labels mean and what it is asked, by the preset that is named for it. */
  readonly meanings?: Preset | undefined;
}

/** Somebody who says what is in a text. */
export interface Judge {
  readonly key: string;
  /** A server, or a program with its arguments. */
  readonly at: JudgeServer | { readonly command: readonly string[] };
  /** What its labels mean; others count for nothing. Absent: its labels as they are. */
  readonly categories: Readonly<Record<string, string>> | undefined;
  /** The score from which on a finding counts. */
  readonly threshold: number;
  /** Time for one sample. */
  readonly timeoutMs: number;
}

const maxJudges = 8;
const maxBytes = 1024 * 1024;
const usual = { threshold: 0.5, timeoutMs: 10_000 };
const maxTimeoutMs = 600_000;
const keyPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const members = [
  ...["key", "url", "shape", "preset", "model", "header", "command", "categories", "threshold", "timeout_ms"],
];

/** The judges that the options name. */
export function readJudges(
  { judge, judges }: Values<typeof judgeOptions>,
  env: Readonly<Record<string, string | undefined>>,
): Judge[] {
  const all = [
    ...(judge === undefined ? [] : judge.split(",").map((each) => judgeInLine(each.trim()))),
    ...(judges === undefined ? [] : judgesInFile(judges, env)),
  ];
  if (all.length > maxJudges) throw usageFailure(`${all.length} judges are named; there are at most ${maxJudges}`);
  const twice = all.find(({ key }, at) => all.findIndex((other) => other.key === key) < at);
  if (twice !== undefined) throw usageFailure(`two judges are named ${twice.key}`);
  return all;
}

function judgeInLine(given: string): Judge {
  const [, key = "", url = "", shape = ""] = /^([^=]*)=(https?:\/\/.+):([^:/]+)$/.exec(given) ?? [];
  if (key === "") throw usageFailure(`--judge takes KEY=URL:SHAPE, not "${given}"`, `A shape is ${shapesText()}.`);
  const at = serverOf({ url, shape }, `--judge ${key}`, {});
  return { ...usual, key: keyOf(key, "--judge"), at, categories: undefined };
}

function judgesInFile(path: string, env: Readonly<Record<string, string | undefined>>): Judge[] {
  const value = readYaml(path, maxBytes, (why) => usageFailure(`${path}: ${why}`));
  const list = isObject(value) ? value.judges : value;
  if (!Array.isArray(list)) throw usageFailure(`${path}: expected a list of judges, or an object with \`judges\``);
  return list.map((each, at) => judgeOf(each, `${path}, judges[${at}]`, env));
}

function judgeOf(value: JsonValue, where: string, env: Readonly<Record<string, string | undefined>>): Judge {
  if (!isObject(value)) throw usageFailure(`${where}: expected an object`);
  const unknown = Object.keys(value).find((name) => !members.includes(name));
  if (unknown !== undefined) throw usageFailure(`${where}: "${unknown}" is none of ${members.join(", ")}`);
  const { command, url } = value;
  if ((command === undefined) === (url === undefined))
    throw usageFailure(`${where}: expected either \`url\` with \`shape\`, or \`command\``);
  const at = command === undefined ? serverOf(value, where, env) : { command: commandOf(value, where) };
  return {
    key: keyOf(value.key, where),
    at,
    categories: categoriesOf(value.categories, where) ?? ("command" in at ? undefined : at.meanings?.labels),
    threshold: numberOf(value.threshold, { ...{ where, name: "threshold", max: 1 }, usual: usual.threshold }),
    timeoutMs: numberOf(value.timeout_ms, {
      ...{ where, name: "timeout_ms", max: maxTimeoutMs },
      usual: usual.timeoutMs,
    }),
  };
}

function keyOf(value: JsonValue | undefined, where: string): string {
  if (typeof value === "string" && keyPattern.test(value)) return value;
  throw usageFailure(`${where}: a key is 1 to 64 letters, digits, dots, dashes and underscores`);
}

function serverOf(
  { url, shape, preset, header, model }: JsonObject,
  where: string,
  env: Readonly<Record<string, string | undefined>>,
): JudgeServer {
  const address = typeof url === "string" ? URL.parse(url) : null;
  if (address === null || !/^https?:$/.test(address.protocol) || address.username !== "" || address.password !== "")
    throw usageFailure(`${where}: expected an http or https URL without credentials`);
  const known = serverShapes.find((name) => name === shape);
  if (known === undefined) throw usageFailure(`${where}: the shape is ${shapesText()}`);
  if (model !== undefined && (typeof model !== "string" || !modelName.test(model) || !shapesWithModel.includes(known)))
    throw usageFailure(`${where}: \`model\` is the name of a model, for ${shapesWithModelText()}`);
  const meanings = presetFor(known, preset, where);
  return { url: address.href, shape: known, header: headerOf(header, where, env), model, meanings };
}

function presetFor(shape: ServerShape, name: JsonValue | undefined, where: string): Preset | undefined {
  if (name === undefined && !needsQuestions(shape)) return undefined;
  const fitting = presets.filter(({ shapes }) => shapes.includes(shape));
  const preset = typeof name === "string" ? presetOf(name) : undefined;
  if (preset !== undefined && fitting.includes(preset)) return preset;
  const known = fitting.length === 0 ? "none fits" : `one of ${fitting.map((each) => each.name).join(", ")}`;
  throw usageFailure(`${where}: \`preset\` says what a server of the shape ${shape} is asked or means: ${known}`);
}

// The value comes from the environment, so that no secret stands in a file or in the list of processes.
function headerOf(
  value: JsonValue | undefined,
  where: string,
  env: Readonly<Record<string, string | undefined>>,
): JudgeServer["header"] {
  if (value === undefined) return undefined;
  const { name, variable, ...rest } = isObject(value) ? value : {};
  const isNamed = typeof name === "string" && /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.test(name) && !isCallHeader(name);
  if (!isNamed || typeof variable !== "string" || Object.keys(rest).length > 0)
    throw usageFailure(`${where}: \`header\` has the \`name\` of a header and the \`variable\` that has its value`);
  const found = env[variable];
  if (found === undefined || !/^[\x20-\x7e]+$/.test(found))
    throw usageFailure(`${where}: ${variable} is not set, or has other than printable ASCII characters`);
  return { name, value: found };
}

function commandOf({ command, shape, preset, header, model }: JsonObject, where: string): string[] {
  if ([shape, preset, header, model].some((each) => each !== undefined))
    throw usageFailure(`${where}: \`shape\`, \`preset\`, \`model\` and \`header\` belong to a \`url\``);
  if (Array.isArray(command) && command.length > 0) {
    const words = command.flatMap((word) => (typeof word === "string" && word !== "" ? [word] : []));
    if (words.length === command.length) return words;
  }
  throw usageFailure(`${where}: \`command\` is a list of a program and its arguments`);
}

function categoriesOf(value: JsonValue | undefined, where: string): Judge["categories"] {
  if (value === undefined) return undefined;
  const entries = isObject(value) ? Object.entries(value) : [];
  const named = entries.flatMap(([label, category]): [string, string][] =>
    typeof category === "string" && category !== "" && category.length <= 128 ? [[label, category]] : [],
  );
  if (named.length > 0 && named.length === entries.length) return Object.fromEntries(named);
  throw usageFailure(`${where}: \`categories\` has a category for each label that counts`);
}

function numberOf(
  value: JsonValue | undefined,
  { where, name, max, usual: otherwise }: { readonly where: string; name: string; max: number; usual: number },
): number {
  if (value === undefined) return otherwise;
  if (typeof value === "number" && value > 0 && value <= max) return value;
  throw usageFailure(`${where}: \`${name}\` is a number above 0 and at most ${max}`);
}

function shapesText(): string {
  return `one of ${serverShapes.join(", ")}`;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
