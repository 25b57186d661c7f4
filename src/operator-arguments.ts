// The arguments of `npm run operator`. They are read before the database is opened, so that help and typing errors need
// none.

import { parseArgs } from "node:util";

const usage = `usage: npm run operator -- <verb>

  create-organization <name> --owner <e-mail> [--person <name>] [--plan <plan>] [--evaluations <n>]
      makes an organization, and its owner's account where the address has none; the first password on standard input,
      or made up and shown
  set-plan <organization id> <free|growth|enterprise> [--evaluations <n>]
      puts an organization on a plan, with the plan's own monthly limit or, on growth, a higher one
  set-limit <organization id> <n|default>
      gives an organization on growth a monthly limit of its own, or that of the plan again

  --json      answers in JSON
  --dry-run   checks and tries everything, and changes nothing
  --help      shows this`;

const options = {
  owner: { type: "string" },
  person: { type: "string" },
  plan: { type: "string" },
  evaluations: { type: "string" },
  json: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

type Values = ReturnType<typeof parsed>["values"];
type ValueOption = "owner" | "person" | "plan" | "evaluations";

/** The arguments of each verb, its required options and its optional ones. */
const verbs = {
  "create-organization": { arguments: ["a name"], needs: ["owner"], takes: ["person", "plan", "evaluations"] },
  "set-plan": { arguments: ["an organization's id", "a plan"], needs: [], takes: ["evaluations"] },
  "set-limit": { arguments: ["an organization's id", 'a limit or "default"'], needs: [], takes: [] },
} as const satisfies Record<
  string,
  {
    readonly arguments: readonly string[];
    readonly needs: readonly ValueOption[];
    readonly takes: readonly ValueOption[];
  }
>;

/** What the operator asked for. */
export interface OperatorCommand {
  readonly verb: keyof typeof verbs;
  /** A name or an id. */
  readonly subject: string;
  /** A plan or a limit; empty for `create-organization`. */
  readonly value: string;
  readonly options: Values;
}

/** The text to print instead of doing something, and the exit code. */
export interface OperatorUsage {
  readonly text: string;
  readonly exitCode: 0 | 2;
}

/** Reads the arguments. Returns a text and an exit code for help and for errors. */
export function readOperatorArguments(args: readonly string[]): OperatorCommand | OperatorUsage {
  try {
    const { values, positionals } = parsed(args);
    if (values.help) return { text: usage, exitCode: 0 };
    return commandOf(positionals, values);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS"))) throw error;
    const unknown = /^Unknown option '(-{1,2}[^']*)'/.exec(error.message)?.[1];
    return wrong(unknown === undefined ? error.message : `there is no option ${unknown}`);
  }
}

/** Prints help on standard output and errors on standard error. Returns the exit code. */
export function tellUsage({ text, exitCode }: OperatorUsage): number {
  if (exitCode === 0) console.log(text);
  else console.error(text);
  return exitCode;
}

function parsed(args: readonly string[]) {
  return parseArgs({ args: [...args], allowPositionals: true, options });
}

function commandOf([verb, ...rest]: readonly string[], values: Values): OperatorCommand | OperatorUsage {
  if (verb === undefined) return wrong("the verb is missing");
  if (!isVerb(verb)) return wrong(`there is no verb "${verb}"; it is one of ${Object.keys(verbs).join(", ")}`);
  const rule = verbs[verb];
  if (rest.length !== rule.arguments.length)
    return wrong(`${verb} takes ${rule.arguments.join(" and ")}, and got ${rest.length || "nothing"}`);
  const [needs, takes]: [readonly ValueOption[], readonly ValueOption[]] = [rule.needs, rule.takes];
  const missing = needs.find((name) => values[name] === undefined);
  if (missing !== undefined) return wrong(`${verb} needs --${missing}`);
  const valueOptions: readonly ValueOption[] = ["owner", "person", "plan", "evaluations"];
  const foreign = valueOptions.find(
    (name) => values[name] !== undefined && !needs.includes(name) && !takes.includes(name),
  );
  if (foreign !== undefined) return wrong(`${verb} takes no --${foreign}`);
  const [subject = "", value = ""] = rest;
  return { verb, subject, value, options: values };
}

function isVerb(text: string): text is keyof typeof verbs {
  return Object.hasOwn(verbs, text);
}

function wrong(what: string): OperatorUsage {
  return { text: `operator: ${what}\n\n${usage}`, exitCode: 2 };
}
