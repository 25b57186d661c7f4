// Changes that the operator of an installation makes to organizations from the command line. Each is one transaction,
// with an entry in the organization's own audit log.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, validationFailed } from "../../kit/fault/fault.ts";
import { isUuid, newId } from "../../kit/process/id.ts";
import type { AuditIntent } from "../../kit/rpc/context.ts";
import { readMonth } from "../../store/billing/usage.ts";
import type { Database } from "../../store/connection/database.ts";
import type { AccountTransaction, AuditAuthor } from "../../store/core/transaction.ts";
import { findAccount, lookUpAccount } from "../../store/identity/account.ts";
import { listMemberAccounts } from "../../store/identity/member.ts";
import { revokeSessions } from "../../store/identity/session.ts";
import {
  findAnyOrganization,
  lockBilling,
  lookUpOrganizations,
  type OrganizationRow,
} from "../../store/tenancy/organization.ts";
import { evaluationsPerMonth, isPlan, monthlyLimit, type Plan } from "../billing/plan.ts";
import { reopen, settle } from "../billing/subscription.ts";
import { addAccount, addMember, requireAccount } from "../identity/account.ts";
import type { PasswordHasher } from "../identity/password-hash.ts";
import { checkPassword } from "../identity/password-rule.ts";
import { type EmailAddress, parseEmail } from "../mail/email.ts";
import { addOrganization } from "../tenancy/organization.ts";

/** The input for a new organization and its owner. */
export interface NewOrganization {
  readonly name: string;
  readonly ownerEmail: string;
  /** Name of the owner, used when the address has no account yet. */
  readonly ownerName: string;
  /** Returns the first password of a new account; only called for a new one. */
  readonly password: () => Promise<string>;
  readonly plan?: string | undefined;
  readonly evaluations?: number | undefined;
}

/** An organization after the operator's change. */
export interface OperatorView {
  readonly orgId: string;
  readonly name: string;
  readonly plan: Plan;
  /** Evaluations of a month; null without a limit. */
  readonly evaluationsPerMonth: number | null;
  readonly billingBlocked: boolean;
  /** Why the operator has blocked it; null when it is not, or when its bill is not paid. */
  readonly blockReason: string | null;
  /** The plan that the operator has set, and until when; null when nobody did. */
  readonly operatorPlan: Plan | null;
  readonly operatorPlanUntil: Date | null;
}

/** The new organization. */
export interface MadeOrganization extends OperatorView {
  /** Whether the owner's account is new. */
  readonly isNewAccount: boolean;
}

/** The operator, and whether it is a dry run. */
export interface OperatorOptions {
  /** Name of the operator in the audit log, such as "operator:ada". */
  readonly actor: string;
  /** Makes every change and rolls it back. */
  readonly isDryRun: boolean;
  /** The plan of an organization that is created without one. */
  readonly defaultPlan: Plan;
  /** How long a missing payment may take, from an unblock on. */
  readonly graceMs: number;
}

/** What a month has had. */
export interface OrganizationUsage extends OperatorView {
  readonly month: string;
  readonly evaluations: number;
  readonly playgroundEvaluations: number;
  readonly overageEvaluations: number;
}

/** What a verb changes besides the organization's own columns. */
interface OperatorChange {
  /** Undefined leaves it. */
  readonly evaluationsLimit?: number | null;
  /** Told in the entry of the audit log. */
  readonly why?: string;
  /** Opens a subscription that is blocked. */
  readonly isReopened?: boolean;
}

/** Maximum of a limit of evaluations. */
const maxEvaluations = 1_000_000_000_000;
const maxNameLength = 200;

/** The operator's commands. */
export class Operator {
  readonly #database: Database;
  readonly #hasher: PasswordHasher;
  readonly #options: OperatorOptions;

  constructor(database: Database, hasher: PasswordHasher, options: OperatorOptions) {
    this.#database = database;
    this.#hasher = hasher;
    this.#options = options;
  }

  /** Creates an organization that the person of this address owns. An existing account keeps its password. */
  async createOrganization(input: NewOrganization): Promise<MadeOrganization> {
    const name = readName(input.name, "name");
    const ownerName = readName(input.ownerName, "person");
    const email = parseEmail(input.ownerEmail, "owner");
    const plan = readPlan(input.plan ?? this.#options.defaultPlan);
    const evaluationsLimit = readLimit(plan, input.evaluations);
    const found = await lookUpAccount(this.#database, email.key);
    const passwordHash = found === undefined ? await this.#firstPassword(input, email, ownerName) : undefined;
    const view = await this.#try((finish) =>
      this.#database.accountTransaction(found?.id ?? newId(), async (tx) => {
        if (passwordHash !== undefined)
          await addAccount(tx, { email, name: ownerName, passwordHash, isVerified: false });
        return finish(await this.#add(tx, { name, plan, evaluationsLimit }));
      }),
    );
    return { ...view, isNewAccount: found === undefined };
  }

  /**
   * Puts an organization on a plan, with the plan's own limit unless `evaluations` is given. It stands until `until`,
   * whatever is bought meanwhile; without an end, until a plan is bought.
   */
  async setPlan(
    orgId: string,
    plan: string,
    { evaluations, until }: { readonly evaluations?: number | undefined; readonly until?: string | undefined } = {},
  ): Promise<OperatorView> {
    const wanted = readPlan(plan);
    const end = until === undefined ? null : readEnd(until);
    return this.#change(orgId, "organization.set_plan", (organization, now) => {
      if (end !== null && end <= now) throw validationFailed([{ field: "until", message: "is in the past" }]);
      organization.operatorPlan = wanted;
      organization.operatorPlanUntil = end;
      return { evaluationsLimit: readLimit(wanted, evaluations) };
    });
  }

  /** Sets the monthly limit of an organization; undefined for that of its plan. */
  setLimit(orgId: string, evaluations: number | undefined): Promise<OperatorView> {
    return this.#change(orgId, "organization.set_limit", (organization) => ({
      evaluationsLimit: readLimit(organization.plan, evaluations),
    }));
  }

  /** Blocks an organization: its calls are answered 402 until it is unblocked. */
  async block(orgId: string, reason: string): Promise<OperatorView> {
    const why = readName(reason, "reason");
    return this.#change(orgId, "organization.block", (organization) => {
      organization.operatorBlockReason = why;
      return {};
    });
  }

  /** Opens an organization again, whoever blocked it. */
  async unblock(orgId: string, reason: string): Promise<OperatorView> {
    const why = readName(reason, "reason");
    return this.#change(orgId, "organization.unblock", (organization) => {
      organization.operatorBlockReason = null;
      return { why, isReopened: true };
    });
  }

  /** Every organization, by its creation. */
  async list(worker: Database): Promise<OperatorView[]> {
    const views: OperatorView[] = [];
    for (const { id } of await lookUpOrganizations(worker)) {
      const found = await worker.read(id, findAnyOrganization);
      if (found !== null) views.push(viewOf(found));
    }
    return views;
  }

  /** One organization. */
  show(orgId: string): Promise<OperatorView> {
    return this.#database.read(readOrgId(orgId), async (tx) => {
      const organization = await findAnyOrganization(tx);
      if (organization === null) throw unknownOrganization();
      return viewOf(organization);
    });
  }

  /** How much of a month, such as "2026-11", each organization has used. */
  async usage(worker: Database, month: string): Promise<OrganizationUsage[]> {
    if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
      throw validationFailed([{ field: "month", message: "expected a month such as 2026-11" }]);
    const used: OrganizationUsage[] = [];
    for (const { id } of await lookUpOrganizations(worker)) {
      const found = await worker.read(id, async (tx) => {
        const organization = await findAnyOrganization(tx);
        return organization && { organization, counts: await readMonth(tx, `${month}-01`) };
      });
      if (found !== null) used.push({ ...viewOf(found.organization), month, ...found.counts });
    }
    return used;
  }

  /** Ends every session of the organization's members. Tokens stay. Returns how many members there are. */
  async endSessions(orgId: string): Promise<OperatorView & { readonly members: number }> {
    const accounts = await this.#database.read(readOrgId(orgId), async (tx) => {
      if ((await findAnyOrganization(tx)) === null) throw unknownOrganization();
      return (await listMemberAccounts(tx)).map(({ account_id: id }) => id);
    });
    const view = await this.#change(orgId, "organization.end_sessions", () => ({}));
    if (!this.#options.isDryRun)
      for (const id of accounts) await this.#database.accountTransaction(id, (tx) => revokeSessions(tx));
    return { ...view, members: accounts.length };
  }

  async #firstPassword({ password }: NewOrganization, email: EmailAddress, name: string): Promise<string> {
    const text = await password();
    checkPassword(text, { email, name });
    return this.#hasher.hash(text);
  }

  async #add(tx: AccountTransaction, input: Parameters<typeof addOrganization>[1]): Promise<OrganizationRow> {
    const account = requireAccount(await findAccount(tx));
    const organization = await tx.openOrganization(newId(), this.#author("organization.create"));
    const row = addOrganization(organization, input);
    await organization.em.flush();
    const { id } = addMember(organization, account, "owner");
    organization.changed({ resource: `member/${id}`, before: null, after: { email: account.email, role: "owner" } });
    return row;
  }

  async #change(
    orgId: string,
    action: string,
    change: (organization: OrganizationRow, now: Date) => OperatorChange,
  ): Promise<OperatorView> {
    return this.#try((finish) =>
      this.#database.transaction({ orgId: readOrgId(orgId), ...this.#author(action) }, async (tx) => {
        await lockBilling(tx);
        const organization = await findAnyOrganization(tx);
        if (organization === null) throw unknownOrganization();
        const before = auditView(organization);
        const { evaluationsLimit, why, isReopened = false } = change(organization, tx.now);
        if (isReopened) await reopen(tx, this.#options.graceMs);
        // The commands do not know the mail server; the worker does.
        await settle(tx, "worker", { evaluationsLimit });
        const after = auditView(organization);
        tx.changed({
          resource: `organization/${orgId}`,
          before,
          after: why === undefined ? after : { ...after, reason: why },
        });
        return finish(organization);
      }),
    );
  }

  #author(action: string): AuditAuthor {
    const { actor } = this.#options;
    const audit: AuditIntent = { action, requestId: newId(), address: "" };
    return { credential: { id: "operator", label: actor }, audit };
  }

  /** Runs the work. A dry run is rolled back at its end and gives the same answer. */
  async #try(work: (finish: (row: OrganizationRow) => OperatorView) => Promise<OperatorView>): Promise<OperatorView> {
    const finish = (row: OrganizationRow) => {
      const view = viewOf(row);
      if (this.#options.isDryRun) throw new TakenBack(view);
      return view;
    };
    try {
      return await work(finish);
    } catch (error) {
      if (error instanceof TakenBack) return error.view;
      throw error;
    }
  }
}

/** Thrown to roll back the transaction of a dry run. */
class TakenBack extends Error {
  readonly view: OperatorView;

  constructor(view: OperatorView) {
    super("a dry run is taken back");
    this.view = view;
  }
}

/** That there is no such organization. */
export function unknownOrganization(): Fault {
  return new Fault(Reason.NOT_FOUND, "no organization has this id; the verb list shows all of them");
}

/** A name, or a reason, as the operator gives it. */
export function readName(text: string, field: string): string {
  if (text !== "" && text.length <= maxNameLength && !/\p{Cc}/u.test(text)) return text;
  throw validationFailed([{ field, message: `expected 1 to ${maxNameLength} characters, without control characters` }]);
}

function readPlan(plan: string): Plan {
  if (isPlan(plan)) return plan;
  const plans = Object.keys(evaluationsPerMonth).join(", ");
  throw validationFailed([{ field: "plan", message: `expected one of ${plans}` }]);
}

/**
 * The own limit of an organization on this plan; null without one. Only a plan that is sold by volume can have a higher
 * one.
 */
function readLimit(plan: Plan, evaluations: number | undefined): number | null {
  if (evaluations === undefined) return null;
  if (plan !== "growth")
    throw new Fault(
      Reason.CONFLICT,
      `only the plan growth can have its own limit, and this organization has the plan ${plan}`,
    );
  const min = evaluationsPerMonth.growth;
  if (Number.isSafeInteger(evaluations) && evaluations >= min && evaluations <= maxEvaluations) return evaluations;
  throw validationFailed([
    { field: "evaluations", message: `expected a whole number from ${min} to ${maxEvaluations} a month` },
  ]);
}

/** The id of an organization. */
export function readOrgId(orgId: string): string {
  if (isUuid(orgId)) return orgId.toLowerCase();
  throw validationFailed([{ field: "organization", message: "expected the id of an organization" }]);
}

/** The end of a day, or a moment. */
function readEnd(text: string): Date {
  const end = new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T23:59:59.999Z` : text);
  if (!Number.isNaN(end.getTime())) return end;
  throw validationFailed([{ field: "until", message: "expected a date such as 2027-01-31, or a moment in ISO 8601" }]);
}

function viewOf(organization: OrganizationRow): OperatorView {
  const { id: orgId, name, plan, billingBlocked } = organization;
  return {
    orgId,
    name,
    plan,
    evaluationsPerMonth: monthlyLimit(organization),
    billingBlocked,
    blockReason: organization.operatorBlockReason ?? null,
    operatorPlan: organization.operatorPlan ?? null,
    operatorPlanUntil: organization.operatorPlanUntil ?? null,
  };
}

function auditView(organization: OrganizationRow) {
  const { plan, evaluationsLimit, billingBlocked, operatorPlanUntil, operatorBlockReason } = organization;
  return {
    plan,
    evaluations_limit: evaluationsLimit ?? null,
    operator_plan_until: operatorPlanUntil?.toISOString() ?? null,
    billing_blocked: billingBlocked,
    block_reason: operatorBlockReason ?? null,
  };
}
