// How the text of one environment variable becomes a value. Each kind says what it expects in words that fit after
// "expected", so that a wrong setting is one clear line.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import ipaddr from "ipaddr.js";

/** What every variable states. */
interface VariableFacts {
  /** Name in the environment. */
  readonly name: string;
  /** One sentence for the operations manual. */
  readonly description: string;
  /** The text that holds when the variable is unset. Without it, and without `required`, the value is undefined. */
  readonly default?: string;
  /** Unset is an error. */
  readonly required?: boolean;
  /** The value never appears in an error or a document. */
  readonly secret?: boolean;
}

/** One environment variable: its name, its kind, and what it is for. */
export type Variable = VariableFacts &
  (
    | { readonly kind: "string"; readonly maxLength?: number }
    | { readonly kind: "int"; readonly min?: number; readonly max?: number }
    | { readonly kind: "duration"; readonly max?: string }
    | { readonly kind: "port" | "ratio" | "bool" | "cidr-list" | "list" | "path" | "secret-file" }
    | { readonly kind: "url"; readonly schemes: readonly string[] }
    | { readonly kind: "enum"; readonly values: readonly string[] }
  );

/** The type of a variable's value. Durations are milliseconds; a secret-file gives the content of the file. */
export type VariableValue<V extends Variable> = V extends {
  readonly kind: "enum";
  readonly values: readonly (infer T)[];
}
  ? T
  : V["kind"] extends "int" | "port" | "ratio" | "duration"
    ? number
    : V["kind"] extends "bool"
      ? boolean
      : V["kind"] extends "cidr-list" | "list"
        ? readonly string[]
        : string;

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const maxDurationMs = 2 ** 31 - 1;

/** What a variable takes, in words that fit after "expected". */
export function expectation(variable: Variable): string {
  switch (variable.kind) {
    case "string":
      return `text of at most ${variable.maxLength ?? 4096} characters`;
    case "int":
      return `a whole number from ${variable.min ?? 0} to ${variable.max ?? Number.MAX_SAFE_INTEGER}`;
    case "port":
      return "a port from 0 to 65535 (0 for any free one)";
    case "ratio":
      return "a number from 0 to 1";
    case "bool":
      return "true or false";
    case "duration":
      return variable.max === undefined
        ? "a duration such as 250ms, 30s, 5m, 2h or 7d, at most 24d"
        : `a duration such as 250ms or ${variable.max}, at most ${variable.max}`;
    case "url":
      return `a URL that begins with ${variable.schemes.map((scheme) => `${scheme}://`).join(" or ")}`;
    case "cidr-list":
      return "networks such as 10.0.0.0/8,fd00::/8, separated by commas";
    case "list":
      return "texts separated by commas";
    case "path":
      return "a path";
    case "enum":
      return `one of ${variable.values.join(", ")}`;
    case "secret-file":
      return "the path of a readable file that is not empty";
  }
}

/** The value of a text, or undefined when the text is not what the variable expects. */
export function parseValue(
  variable: Variable,
  text: string,
): string | number | boolean | readonly string[] | undefined {
  switch (variable.kind) {
    case "string":
      return text.length <= (variable.maxLength ?? 4096) ? text : undefined;
    case "int":
      return parseInteger(text, variable.min ?? 0, variable.max ?? Number.MAX_SAFE_INTEGER);
    case "port":
      return parseInteger(text, 0, 65_535);
    case "ratio":
      return parseRatio(text);
    case "bool":
      return text === "true" ? true : text === "false" ? false : undefined;
    case "duration":
      return parseDuration(text, variable.max);
    case "url":
      return isUrl(text, variable.schemes) ? text : undefined;
    case "cidr-list":
      return splitList(text, (entry) => ipaddr.isValidCIDR(entry));
    case "list":
      return splitList(text, (entry) => entry !== "");
    case "path":
      return text.includes("\0") ? undefined : resolve(text);
    case "enum":
      return variable.values.includes(text) ? text : undefined;
    case "secret-file":
      return readSecret(text);
  }
}

function parseInteger(text: string, min: number, max: number): number | undefined {
  if (!/^-?\d{1,16}$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) && value >= min && value <= max ? value : undefined;
}

function parseRatio(text: string): number | undefined {
  return /^(0|1|0?\.\d{1,10}|1\.0+)$/.test(text) ? Number(text) : undefined;
}

// Longer than 24 days overflows Node's timers, which then fire at once.
function parseDuration(text: string, max?: string): number | undefined {
  const limitMs = max === undefined ? maxDurationMs : parseDuration(max);
  const match = /^(\d{1,10})(ms|s|m|h|d)$/.exec(text);
  const factor = unitsMs[match?.[2] ?? ""];
  if (factor === undefined) return undefined;
  const valueMs = Number(match?.[1]) * factor;
  return limitMs !== undefined && valueMs <= limitMs ? valueMs : undefined;
}

function isUrl(text: string, schemes: readonly string[]): boolean {
  return URL.canParse(text) && schemes.some((scheme) => text.toLowerCase().startsWith(`${scheme}://`));
}

function splitList(text: string, isGood: (entry: string) => boolean): readonly string[] | undefined {
  const entries = text.split(",").map((entry) => entry.trim());
  return entries.every(isGood) ? entries : undefined;
}

/** The content of a file without the space around it; undefined when it cannot be read or has none. */
export function readSecret(path: string): string | undefined {
  try {
    const content = readFileSync(path, "utf8").trim();
    return content === "" ? undefined : content;
  } catch {
    return undefined;
  }
}
