// Changes that the operator of an installation makes to organizations from the command line. Each is one transaction,
// with an entry in the organization's own audit log.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, notFound, validationFailed } from "../../kit/fault/fault.ts";
import { isUuid, newId } from "../../kit/process/id.ts";
import type { AuditIntent } from "../../kit/rpc/context.ts";
import type { Database } from "../../store/connection/database.ts";
import type { AccountTransaction, AuditAuthor } from "../../store/core/transaction.ts";
import { findAccount, lookUpAccount } from "../../store/identity/account.ts";
import { findAnyOrganization, type OrganizationRow } from "../../store/tenancy/organization.ts";
import { evaluationsPerMonth, isPlan, monthlyLimit, type Plan } from "../billing/plan.ts";
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
    const plan = readPlan(input.plan ?? "free");
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

  /** Puts an organization on a plan, with the plan's own limit unless `evaluations` is given. */
  async setPlan(orgId: string, plan: string, evaluations?: number): Promise<OperatorView> {
    const wanted = readPlan(plan);
    return this.#change(orgId, "organization.set_plan", (organization) => {
      organization.plan = wanted;
      organization.evaluationsLimit = readLimit(wanted, evaluations);
    });
  }

  /** Sets the monthly limit of an organization; undefined for that of its plan. */
  setLimit(orgId: string, evaluations: number | undefined): Promise<OperatorView> {
    return this.#change(orgId, "organization.set_limit", (organization) => {
      organization.evaluationsLimit = readLimit(organization.plan, evaluations);
    });
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

  async #change(orgId: string, action: string, change: (organization: OrganizationRow) => void): Promise<OperatorView> {
    if (!isUuid(orgId))
      throw validationFailed([{ field: "organization", message: "expected the id of an organization" }]);
    return this.#try((finish) =>
      this.#database.transaction({ orgId, ...this.#author(action) }, async (tx) => {
        const organization = await findAnyOrganization(tx);
        if (organization === null) throw notFound("organization");
        const before = auditView(organization);
        change(organization);
        organization.updatedAt = tx.now;
        tx.changed({ resource: `organization/${orgId}`, before, after: auditView(organization) });
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

function readName(text: string, field: string): string {
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
    throw new Fault(Reason.CONFLICT, `only the plan growth can have a limit of its own, and this one is ${plan}`);
  const min = evaluationsPerMonth.growth;
  if (Number.isSafeInteger(evaluations) && evaluations >= min && evaluations <= maxEvaluations) return evaluations;
  throw validationFailed([
    { field: "evaluations", message: `expected a whole number from ${min} to ${maxEvaluations} a month` },
  ]);
}

function viewOf(organization: OrganizationRow): OperatorView {
  const { id: orgId, name, plan } = organization;
  return { orgId, name, plan, evaluationsPerMonth: monthlyLimit(organization) };
}

function auditView({ plan, evaluationsLimit }: OrganizationRow) {
  return { plan, evaluations_limit: evaluationsLimit ?? null };
}
