// A command is a name, options and a function. Arguments are parsed here, the same way for all.

import { parseArgs } from "node:util";
import { didYouMean } from "../../runtime/engine/policy/problem.ts";
import { type ExitCode, exitCodes, usageFailure } from "./failure.ts";
import { Output, type Streams } from "./output.ts";

/** An option of a command. */
export interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string;
  /** The name of its value in the help, such as "FILE". */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** The value when the option is given without one. Any other value then has to be given as --option=VALUE. */
  readonly whenBare?: string;
  /** Whether it may be given several times; its value is then a list. */
  readonly multiple?: boolean;
  readonly help: string;
}

/** The options of a command by their long names. */
export type Options = Readonly<Record<string, Option>>;

/** The options as they were given. */
export type Values<O extends Options> = {
  readonly [K in keyof O]?: O[K] extends { readonly multiple: true }
    ? readonly string[]
    : O[K]["type"] extends "boolean"
      ? boolean
      : string;
};

/** The outside world, as commands reach it. */
export interface Surroundings extends Streams {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  /** The file of this program, for Node to start. */
  readonly program: string;
}

/** One call of a command. */
export interface Call<O extends Options> {
  readonly values: Values<O>;
  readonly positionals: readonly string[];
  readonly output: Output;
  readonly world: Surroundings;
}

interface CommandFacts {
  /** One word, or two for a command of a group. */
  readonly name: string;
  readonly summary: string;
  readonly positionals: { readonly label: string; readonly min: number; readonly max: number };
  /** Further paragraphs of the help. */
  readonly notes?: string;
}

/** The declaration of a command. */
export interface CommandSpec<O extends Options> extends CommandFacts {
  readonly options: O;
  readonly run: (call: Call<O>) => Promise<ExitCode>;
}

/** A command that can be called. */
export interface Command {
  readonly help: string;
  readonly execute: (args: readonly string[], world: Surroundings) => Promise<ExitCode>;
}

const commonOptions = {
  json: { type: "boolean", help: "Print the result as JSON." },
  help: { type: "boolean", short: "h", help: "Print this help." },
} as const satisfies Options;

/** Makes a command. */
export function defineCommand<const O extends Options>(spec: CommandSpec<O>): Command {
  const options: Options = { ...spec.options, ...commonOptions };
  const help = helpText(spec, options);
  return {
    help,
    async execute(args, world) {
      const { values, positionals } = parsed(spec.name, options, args);
      const output = new Output(world, { isJson: values.json === true });
      if (values.help === true) {
        output.raw(help);
        return exitCodes.fine;
      }
      checkCount(spec, positionals.length);
      // The parser gives each option the type that the table has for it, and `Values` follows from that table.
      return spec.run({ values: values as Values<O>, positionals, output, world });
    },
  };
}

function parsed(name: string, options: Options, args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: withBareValues(args, options),
      options: Object.fromEntries(
        Object.entries(options).map(([key, { type, short, multiple = false }]) => [
          key,
          { type, multiple, ...(short !== undefined && { short }) },
        ]),
      ),
      allowPositionals: true,
    });
    for (const [key, value] of Object.entries(values)) checkChoice(key, value, options[key]?.choices);
    return { values, positionals };
  } catch (error) {
    if (!isParseError(error)) throw error;
    const unknown = /^Unknown option '(-{1,2}[^']*)'/.exec(error.message)?.[1];
    const message = unknown === undefined ? firstSentence(error.message) : `there is no option ${unknown}`;
    const known = Object.keys(options).map((key) => `--${key}`);
    const guess = unknown === undefined ? undefined : didYouMean(unknown, known);
    throw usageFailure(`${name}: ${message}`, guess ?? `\`policy-guard ${name} --help\` lists its options.`);
  }
}

// The parser does not know optional values.
function withBareValues(args: readonly string[], options: Options): string[] {
  const end = args.indexOf("--");
  return args.map((arg, index) => {
    const bare = arg.startsWith("--") && (end === -1 || index < end) ? options[arg.slice(2)]?.whenBare : undefined;
    return bare === undefined ? arg : `${arg}=${bare}`;
  });
}

function isParseError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}

function firstSentence(text: string): string {
  return text.split(/\.\s|\n/, 1)[0] ?? text;
}

function checkChoice(key: string, value: unknown, choices: readonly string[] | undefined): void {
  if (choices === undefined || typeof value !== "string" || choices.includes(value)) return;
  throw usageFailure(`--${key} takes one of ${choices.join(", ")}, not "${value}"`, didYouMean(value, choices));
}

function checkCount({ name, positionals: { label, min, max } }: CommandFacts, count: number): void {
  if (count >= min && count <= max) return;
  const what = count < min ? "too few arguments" : "too many arguments";
  throw usageFailure(`${name}: ${what}`, `usage: policy-guard ${name} ${label}`.trimEnd());
}

/** The value of an option as a whole number. */
export function integerOf(text: string | undefined, option: string, min: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= min) return value;
  throw usageFailure(`--${option} takes a whole number of at least ${min}, not "${text}"`);
}

/** The value of an option as a share. */
export function shareOf(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const share = Number(text);
  if (text.trim() !== "" && share >= 0 && share <= 1) return share;
  throw usageFailure(`--${option} takes a share from 0 to 1, not "${text}"`);
}

/** The parts of an option's value that are separated by commas. */
export function listOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(",").map((each) => each.trim());
}

/** The value of a required option. */
export function required(text: string | undefined, option: string): string {
  if (text === undefined || text === "") throw usageFailure(`--${option} is missing`);
  return text;
}

function helpText({ name, summary, positionals, notes }: CommandFacts, options: Options): string {
  const rows = Object.entries(options).map(([key, { short, type, value = "VALUE", whenBare, help, choices }]) => {
    const given = type === "boolean" ? "" : whenBare === undefined ? ` ${value}` : `[=${value}]`;
    const flag = `${short === undefined ? "    " : `-${short}, `}--${key}${given}`;
    return `  ${flag.padEnd(30)}  ${help}${choices === undefined ? "" : ` One of ${choices.join(", ")}.`}`;
  });
  const usage = `policy-guard ${name} ${positionals.label}`.trimEnd();
  const more = notes === undefined ? "" : `\n${notes.trim()}\n`;
  return `${summary}\n\nusage: ${usage} [options]\n${more}\noptions:\n${rows.join("\n")}\n`;
}
