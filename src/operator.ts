// `npm run operator -- <verb> …`: changes that the operator of an installation makes to organizations. They have no
// counterpart in the API: access to the database is the permission.

import { randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import { text } from "node:stream/consumers";
import { operatorSchema } from "./config.ts";
import { PasswordHasher } from "./domain/identity/password-hash.ts";
import { type MadeOrganization, Operator, type OperatorView } from "./domain/operator/operator.ts";
import { systemClock } from "./kit/process/clock.ts";
import { productVariables, readConfig } from "./kit/process/config.ts";
import { runOrSay } from "./kit/process/start-failure.ts";
import { type OperatorCommand, readOperatorArguments, tellUsage } from "./operator-arguments.ts";
import { openDatabase } from "./store/connection/database.ts";

await runOrSay(main);

/** The result of a verb: an object for --json, and lines for people. */
interface Answer {
  readonly json: object;
  readonly lines: readonly string[];
}

async function main(): Promise<number> {
  const command = readOperatorArguments(process.argv.slice(2));
  if ("exitCode" in command) return tellUsage(command);
  const { options: values } = command;
  const { databaseUrl } = readConfig(operatorSchema, process.env, productVariables);
  const database = await openDatabase({ url: databaseUrl, poolSize: 2, clock: systemClock });
  try {
    const options = { actor: `operator:${login()}`, isDryRun: values["dry-run"] };
    const { json, lines } = await run(new Operator(database, new PasswordHasher(), options), command);
    if (values.json) console.log(JSON.stringify({ ...json, dry_run: options.isDryRun }));
    else for (const line of options.isDryRun ? [...lines, "Nothing was changed: --dry-run."] : lines) console.log(line);
    return 0;
  } finally {
    await database.close();
  }
}

async function run(operator: Operator, { verb, subject, value, options }: OperatorCommand): Promise<Answer> {
  const { owner = "", person, plan } = options;
  const evaluations = options.evaluations === undefined ? undefined : Number(options.evaluations);
  if (verb === "create-organization")
    return await create(operator, { name: subject, owner, person, plan, evaluations });
  if (verb === "set-plan") return changed(await operator.setPlan(subject, value, evaluations));
  return changed(await operator.setLimit(subject, value === "default" ? undefined : Number(value)));
}

async function create(
  operator: Operator,
  input: {
    readonly name: string;
    readonly owner: string;
    readonly person: string | undefined;
    readonly plan: string | undefined;
    readonly evaluations: number | undefined;
  },
): Promise<Answer> {
  let madeUp: string | undefined;
  const password = async () => {
    const given = process.stdin.isTTY ? "" : (await text(process.stdin)).split(/\r?\n/)[0];
    if (given) return given;
    madeUp = randomBytes(15).toString("base64url");
    return madeUp;
  };
  const { name, owner, person = owner.slice(0, owner.indexOf("@")), plan, evaluations } = input;
  const made = await operator.createOrganization({
    name,
    ownerEmail: owner,
    ownerName: person,
    password,
    plan,
    evaluations,
  });
  return {
    json: { ...jsonOf(made), owner, is_new_account: made.isNewAccount, password: madeUp ?? null },
    lines: [...linesOf(made), `${owner} owns it. ${accountLine(made, madeUp)}`],
  };
}

function accountLine({ isNewAccount }: MadeOrganization, madeUp: string | undefined): string {
  if (!isNewAccount) return "The account was there already, and keeps its password.";
  return madeUp === undefined ? "The password is the one given." : `The password is ${madeUp}`;
}

function changed(view: OperatorView): Answer {
  return { json: jsonOf(view), lines: linesOf(view) };
}

function jsonOf({ orgId, name, plan, evaluationsPerMonth }: OperatorView) {
  return { org_id: orgId, name, plan, evaluations_per_month: evaluationsPerMonth };
}

function linesOf({ orgId, name, plan, evaluationsPerMonth }: OperatorView): string[] {
  const limit = evaluationsPerMonth === null ? "without a limit" : `up to ${evaluationsPerMonth} evaluations a month`;
  return [`Organization ${orgId} ("${name}"): plan ${plan}, ${limit}.`];
}

/** The user who runs the command: its name, or its number when it has none. */
function login(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}
