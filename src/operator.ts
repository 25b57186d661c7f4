// `npm run operator -- <verb> …`: changes that the operator of an installation makes to organizations. They have no
// counterpart in the API: access to the database is the permission.

import { randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import { text } from "node:stream/consumers";
import { operatorSchema } from "./config.ts";
import { ProviderUpkeep, type Reconciliation } from "./domain/billing/provider-upkeep.ts";
import { PasswordHasher } from "./domain/identity/password-hash.ts";
import {
  type MadeOrganization,
  Operator,
  type OperatorView,
  type OrganizationUsage,
} from "./domain/operator/operator.ts";
import { validationFailed } from "./kit/fault/fault.ts";
import { createOutbound } from "./kit/net/outbound/client.ts";
import { createNetworkGuard } from "./kit/net/outbound/guard.ts";
import { createLog } from "./kit/observability/log.ts";
import { systemClock } from "./kit/process/clock.ts";
import { type Config, productVariables, readConfig } from "./kit/process/config.ts";
import { runOrSay } from "./kit/process/start-failure.ts";
import { type OperatorCommand, readOperatorArguments, tellUsage } from "./operator-arguments.ts";
import { afterRestore } from "./operator-restore.ts";
import type { Answer } from "./operator-restore-answer.ts";
import { type Database, openDatabase } from "./store/connection/database.ts";
import { connectStripe } from "./stripe-connection.ts";

async function main(): Promise<number> {
  const command = readOperatorArguments(process.argv.slice(2));
  if ("exitCode" in command) return tellUsage(command);
  const { options: values } = command;
  const config = readConfig(operatorSchema, process.env, productVariables);
  const database = await openDatabase({ url: config.databaseUrl, poolSize: 2, clock: systemClock });
  const worker = new LazyWorker(config.workerUrl);
  try {
    const options = {
      actor: `operator:${login()}`,
      isDryRun: values["dry-run"],
      defaultPlan: config.defaultPlan,
      graceMs: config.billingGraceMs,
    };
    const {
      json,
      lines,
      exitCode = 0,
    } = isOwn(command)
      ? await run(new Operator(database, new PasswordHasher(), options), command, worker)
      : command.verb === "after-restore"
        ? await afterRestore(command, { config, database, openWorker: () => worker.open(), ...options })
        : await compareWithStripe(config, command, { worker, ...options });
    if (values.json) console.log(JSON.stringify({ ...json, dry_run: options.isDryRun }));
    else for (const line of options.isDryRun ? [...lines, "Nothing was changed: --dry-run."] : lines) console.log(line);
    return exitCode;
  } finally {
    await Promise.all([database.close(), worker.close()]);
  }
}

/** The database as the worker's login, which alone may look at all organizations. Opened when a verb needs it. */
class LazyWorker {
  readonly #url: string | undefined;
  #opened: Promise<Database> | undefined;

  constructor(url: string | undefined) {
    this.#url = url;
  }

  open(): Promise<Database> {
    if (this.#url === undefined) throw new Error("DATABASE_WORKER_URL: unset; this verb looks at all organizations");
    this.#opened ??= openDatabase({ url: this.#url, poolSize: 2, clock: systemClock });
    return this.#opened;
  }

  async close(): Promise<void> {
    await (await this.#opened)?.close();
  }
}

/** The verbs that ask Stripe, and the one that signs. */
const otherVerbs = ["reconcile", "replay-provider-events", "after-restore"] as const;

/** A command that only the database knows the answer to. */
type OwnCommand = OperatorCommand & { readonly verb: Exclude<OperatorCommand["verb"], (typeof otherVerbs)[number]> };

function isOwn(command: OperatorCommand): command is OwnCommand {
  return !otherVerbs.some((verb) => verb === command.verb);
}

/** Brings organizations to what Stripe says. */
async function compareWithStripe(
  config: Config<typeof operatorSchema>,
  { verb, options: { since = "" } }: OperatorCommand,
  { worker, actor, isDryRun }: { readonly worker: LazyWorker; readonly actor: string; readonly isDryRun: boolean },
): Promise<Answer> {
  const { allowNetworks = [], dnsServers = [], billingGraceMs: graceMs } = config;
  const from = new Date(since);
  if (verb === "replay-provider-events" && Number.isNaN(from.getTime()))
    throw validationFailed([{ field: "since", message: "expected a date such as 2027-01-31" }]);
  const outbound = createOutbound({ guard: createNetworkGuard({ allowNetworks, dnsServers }) });
  try {
    const database = await worker.open();
    const parts = { clock: systemClock, log: createLog({ name: "operator", level: "silent" }) };
    const none = { mailer: "worker" as const, metrics: undefined };
    const stripe = connectStripe(config, { database, outbound, graceMs, ...parts, ...none });
    if (stripe === undefined) throw new Error("STRIPE_SECRET_KEY: unset; this verb asks Stripe");
    const upkeep = new ProviderUpkeep(database, { ...stripe, ...parts });
    const how = { isDryRun, actor };
    return compared(verb === "reconcile" ? await upkeep.reconcile(how) : await upkeep.replay(from, how));
  } finally {
    await outbound.close();
  }
}

function compared({ organizations, changed, failed }: Reconciliation): Answer {
  const lines = [
    `Compared ${organizations} organizations with Stripe; ${changed.length} differed, ${failed.length} failed.`,
    ...changed.map(
      ({ orgId, before, after }) =>
        `${orgId}: was ${before.plan} (${before.status}), is ${after.plan} (${after.status}).`,
    ),
    ...failed.map((orgId) => `${orgId}: could not be compared; try again, or see the log of the worker tomorrow.`),
  ];
  const json = changed.map(({ orgId, before, after }) => ({ org_id: orgId, before, after }));
  return { json: { organizations, changed: json, failed }, lines };
}

async function run(operator: Operator, command: OwnCommand, worker: LazyWorker): Promise<Answer> {
  const { verb, subject, value, options } = command;
  const { owner = "", person, plan, until, reason = "" } = options;
  const evaluations = options.evaluations === undefined ? undefined : Number(options.evaluations);
  switch (verb) {
    case "create-organization":
      return await create(operator, { name: subject, owner, person, plan, evaluations });
    case "list":
      return listed(await operator.list(await worker.open()));
    case "show":
      return changed(await operator.show(subject));
    case "set-plan":
      return changed(await operator.setPlan(subject, value, { evaluations, until }));
    case "set-limit":
      return changed(await operator.setLimit(subject, value === "default" ? undefined : Number(value)));
    case "block":
      return changed(await operator.block(subject, reason));
    case "unblock":
      return changed(await operator.unblock(subject, reason));
    case "usage":
      return used(await operator.usage(await worker.open(), options.month ?? new Date().toISOString().slice(0, 7)));
    case "end-sessions": {
      const { members, ...view } = await operator.endSessions(subject);
      return { json: { ...jsonOf(view), members }, lines: [`Signed out ${members} members of ${view.orgId}.`] };
    }
    default:
      return verb satisfies never;
  }
}

function listed(views: readonly OperatorView[]): Answer {
  return { json: { orgs: views.map(jsonOf) }, lines: views.flatMap(linesOf) };
}

function used(rows: readonly OrganizationUsage[]): Answer {
  const json = rows.map(({ month, evaluations, playgroundEvaluations, overageEvaluations, ...view }) => ({
    ...jsonOf(view),
    month,
    evaluations,
    playground_evaluations: playgroundEvaluations,
    overage_evaluations: overageEvaluations,
  }));
  const lines = rows.map(
    ({ orgId, name, plan, month, evaluations, playgroundEvaluations, overageEvaluations, evaluationsPerMonth }) =>
      `${orgId} ("${name}"), ${month}: ${evaluations + playgroundEvaluations} of ${evaluationsPerMonth ?? "any number of"} evaluations (${plan}), ${playgroundEvaluations} of them in the playground, ${overageEvaluations} as overage.`,
  );
  return { json: { usage: json }, lines };
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
  if (!isNewAccount) return "The account already existed and keeps its password.";
  return madeUp === undefined ? "The password is the one given." : `The password is ${madeUp}`;
}

function changed(view: OperatorView): Answer {
  return { json: jsonOf(view), lines: linesOf(view) };
}

function jsonOf(view: OperatorView) {
  return {
    org_id: view.orgId,
    name: view.name,
    plan: view.plan,
    evaluations_per_month: view.evaluationsPerMonth,
    billing_blocked: view.billingBlocked,
    block_reason: view.blockReason,
    operator_plan: view.operatorPlan,
    operator_plan_until: view.operatorPlanUntil?.toISOString() ?? null,
  };
}

function linesOf(view: OperatorView): string[] {
  const { orgId, name, plan, evaluationsPerMonth, billingBlocked, blockReason, operatorPlanUntil } = view;
  const limit = evaluationsPerMonth === null ? "without a limit" : `up to ${evaluationsPerMonth} evaluations a month`;
  const until = operatorPlanUntil === null ? "" : `, until ${operatorPlanUntil.toISOString()}`;
  const block = billingBlocked ? ` It is blocked: ${blockReason ?? "its bill is not paid"}.` : "";
  return [`Organization ${orgId} ("${name}"): plan ${plan}, ${limit}${until}.${block}`];
}

/** The user who runs the command: its name, or its number when it has none. */
function login(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}

// Last, when the class above is there.
await runOrSay(main);
