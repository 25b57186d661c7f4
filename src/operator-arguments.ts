// The arguments of `npm run operator`. They are read before the database is opened, so that help and typing errors need
// none.

import { parseArgs } from "node:util";

const usage = `usage: npm run operator -- <verb>

  create-organization <name> --owner <e-mail> [--person <name>] [--plan <plan>] [--evaluations <n>]
      creates an organization and, if the address has no account, its owner's account; the first password is read from
      standard input, or generated and shown
  list
      shows every organization with its plan
  show <organization id>
      shows one
  set-plan <organization id> <free|growth|enterprise> [--evaluations <n>] [--until <date>]
      puts an organization on a plan, with the plan's own monthly limit or, on growth, a higher one; until the date
      even if another plan is bought meanwhile, without a date until a plan is bought
  set-limit <organization id> <n|default>
      gives an organization on growth its own monthly limit, or the plan's again
  block <organization id> --reason <text>
      answers its calls with 402 until it is unblocked; what is safe to do stays open
  unblock <organization id> --reason <text>
      opens it again
  usage [--month <2026-11>]
      shows what each organization has used of the month; default: this one
  after-restore [<organization id>] --reason <text> [--revoke-created-before <date>] [--rotate admin,ci]
                [--revoke-keys <kid>,<kid>] [--erasures <file>]... [--continue] [--leave-out <organization id>,...]
      brings every organization, or one, out of a restore of the database to an earlier moment: new signing keys, what
      is in force signed anew under numbers that runtimes have not seen, an epoch of the log of evidence, sessions and
      leases ended, tokens listed, revoked or given new values, erasures of exported ledgers repeated. After it for
      all, control planes and workers are ready. Where some failed, --continue repeats it for these alone, and
      --leave-out goes on without. Needs DATABASE_WORKER_URL and POLICY_GUARD_MASTER_KEY
  after-restore --nothing-lost
      says that this is the same database with everything in it, elsewhere or on a new timeline
  end-sessions <organization id>
      signs out all of its members; tokens stay
  reconcile
      compares every customer with Stripe and brings those who differ to what Stripe says; needs the STRIPE_…
      variables of the control plane
  replay-provider-events --since <date>
      does the same for those whom Stripe's events since then are about; Stripe keeps events for 30 days

  --json      prints JSON
  --dry-run   checks everything and changes nothing
  --help      shows this`;

const options = {
  owner: { type: "string" },
  person: { type: "string" },
  plan: { type: "string" },
  evaluations: { type: "string" },
  until: { type: "string" },
  reason: { type: "string" },
  month: { type: "string" },
  since: { type: "string" },
  "revoke-created-before": { type: "string" },
  rotate: { type: "string" },
  "revoke-keys": { type: "string" },
  erasures: { type: "string", multiple: true },
  continue: { type: "boolean", default: false },
  "leave-out": { type: "string" },
  "nothing-lost": { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

type Values = ReturnType<typeof parsed>["values"];
const valueOptions = [
  ...(["owner", "person", "plan", "evaluations", "until", "reason", "month", "since"] as const),
  ...(["revoke-created-before", "rotate", "revoke-keys", "erasures", "continue", "leave-out"] as const),
  "nothing-lost",
] as const;
type ValueOption = (typeof valueOptions)[number];

const organization = "an organization's id";

/** The arguments of each verb, its required options and its optional ones. */
const verbs = {
  "create-organization": { arguments: ["a name"], needs: ["owner"], takes: ["person", "plan", "evaluations"] },
  list: { arguments: [], needs: [], takes: [] },
  show: { arguments: [organization], needs: [], takes: [] },
  "set-plan": { arguments: [organization, "a plan"], needs: [], takes: ["evaluations", "until"] },
  "set-limit": { arguments: [organization, 'a limit or "default"'], needs: [], takes: [] },
  block: { arguments: [organization], needs: ["reason"], takes: [] },
  unblock: { arguments: [organization], needs: ["reason"], takes: [] },
  usage: { arguments: [], needs: [], takes: ["month"] },
  "after-restore": {
    ...{ arguments: [organization], mayOmit: true, needs: [] },
    takes: [
      ...(["reason", "revoke-created-before", "rotate", "revoke-keys", "erasures"] as const),
      ...(["continue", "leave-out", "nothing-lost"] as const),
    ],
  },
  "end-sessions": { arguments: [organization], needs: [], takes: [] },
  reconcile: { arguments: [], needs: [], takes: [] },
  "replay-provider-events": { arguments: [], needs: ["since"], takes: [] },
} as const satisfies Record<
  string,
  {
    readonly arguments: readonly string[];
    /** Whether the argument may be left out. */
    readonly mayOmit?: boolean;
    readonly needs: readonly ValueOption[];
    readonly takes: readonly ValueOption[];
  }
>;

/** What the operator asked for. */
export interface OperatorCommand {
  readonly verb: keyof typeof verbs;
  /** A name or an id; empty for a verb about all of them. */
  readonly subject: string;
  /** A plan or a limit; empty for other verbs. */
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
  const mayOmit = "mayOmit" in rule && rest.length === 0;
  if (rest.length !== rule.arguments.length && !mayOmit)
    return wrong(
      `${verb} takes ${rule.arguments.join(" and ") || "no arguments"}, and got ${rest.length || "nothing"}`,
    );
  const [needs, takes]: [readonly ValueOption[], readonly ValueOption[]] = [rule.needs, rule.takes];
  const missing = needs.find((name) => values[name] === undefined);
  if (missing !== undefined) return wrong(`${verb} needs --${missing}`);
  const foreign = valueOptions.find(
    (name) => values[name] !== undefined && values[name] !== false && !needs.includes(name) && !takes.includes(name),
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
