// Organizations.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { CredentialKind } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { Fault, insufficientScope, validationFailed } from "../../kit/fault/fault.ts";
import { newId } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import { listPayable } from "../../store/billing/checkout.ts";
import { findSubscription } from "../../store/billing/subscription.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { lockAccount } from "../../store/identity/account.ts";
import { listWithoutFactor } from "../../store/identity/member.ts";
import { hasFirstRuntimeToken } from "../../store/identity/token.ts";
import {
  deleteOrganization,
  type Entitlements,
  findOrganization,
  lookUpEntitlements,
  OrganizationRow,
} from "../../store/tenancy/organization.ts";
import type { Plan } from "../billing/plan.ts";
import { tokensChannel } from "../channel.ts";
import { enqueueJob } from "../job.ts";
import { parseEmail } from "../mail/email.ts";
import { factorDemandedMail, type TransactionalMailer } from "../mail/mail.ts";
import { isUnchanged } from "../unchanged.ts";
import { lockTeamAs } from "./team-rule.ts";

/** Reads and changes the caller's organization. */
export class Organizations {
  readonly #database: Database;
  readonly #post: TransactionalPost | undefined;

  /** `post` is undefined when mail is not configured. */
  constructor(database: Database, post?: TransactionalPost) {
    this.#database = database;
    this.#post = post;
  }

  /** Creates an organization. */
  create(input: Pick<OrganizationInput, "name" | "plan">): Promise<OrganizationRow> {
    const id = newId();
    return this.#database.systemTransaction(id, async (tx) => addOrganization(tx, input));
  }

  /** The plan of an organization, and whether an unpaid bill blocks it. */
  async entitlements(orgId: string): Promise<Entitlements> {
    return lookUpEntitlements(this.#database, orgId);
  }

  /** The caller's organization, and whether the runtime that the installation's first start has set up is its own. */
  get(caller: Caller): Promise<{ readonly row: OrganizationRow; readonly hasFirstRuntime: boolean }> {
    return this.#database.read(caller.orgId, async (tx) => ({
      row: await findOrganization(tx),
      hasFirstRuntime: await hasFirstRuntimeToken(tx),
    }));
  }

  /** Changes what is given. */
  update(caller: Caller, change: OrganizationChange): Promise<OrganizationRow> {
    const billingEmail = readEmail(change.billingEmail, "billing_email");
    const securityEmail = readEmail(change.securityEmail, "security_email");
    const { secondFactorRequired: demanded } = change;
    return this.#database.transaction(caller, async (tx) => {
      if (demanded === true) await assertHasSecondFactor(tx, caller);
      const organization = await findOrganization(tx);
      const before = auditView(organization);
      const isNewDemand = demanded === true && !organization.secondFactorRequired;
      const next = {
        ...(change.name !== undefined && { name: change.name }),
        ...(billingEmail !== undefined && { billingEmail }),
        ...(securityEmail !== undefined && { securityEmail }),
        ...(demanded !== undefined && { secondFactorRequired: demanded }),
      };
      if (!isUnchanged(organization, next)) Object.assign(organization, next, { updatedAt: tx.now });
      tx.changed({ resource: `organization/${organization.id}`, before, after: auditView(organization) });
      if (isNewDemand) await this.#tellWhoIsShutOut(tx, organization);
      return organization;
    });
  }

  /** Members without a second factor learn from a mail why their next call is refused. */
  async #tellWhoIsShutOut(tx: Transaction, { name: organization }: OrganizationRow): Promise<void> {
    if (this.#post === undefined) return;
    const { mailer, publicUrl } = this.#post;
    for (const address of await listWithoutFactor(tx))
      await mailer.sendWithin(tx, factorDemandedMail(parseEmail(address), { organization, publicUrl }));
  }

  /**
   * Deletes the organization with everything that belongs to it, including its audit log. Rows that are too many for
   * one transaction, such as traces, cannot be read anymore and are removed by a job.
   */
  delete(caller: Caller, { confirm }: { readonly confirm: string }): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      await lockTeamAs(tx, caller, "owner");
      const { name } = await findOrganization(tx);
      if (confirm !== name) throw validationFailed([{ field: "confirm", message: "must be the organization's name" }]);
      await this.#leaveProvider(tx);
      await deleteOrganization(tx);
      // Connected runtimes are told that their tokens have ended.
      await tx.notify(tokensChannel, {});
      // The audit log is deleted too: the worker's own log keeps who deleted the organization.
      const { credential, audit } = caller;
      const by = `${credential.label} (${credential.id}) from ${audit.address} by request ${audit.requestId}`;
      await enqueueJob(tx, "purge-organization", { org_id: tx.orgId, by });
    });
  }

  /** Nobody pays for an organization that is gone. */
  async #leaveProvider(tx: Transaction): Promise<void> {
    const customerId = (await findSubscription(tx))?.customerId;
    if (customerId == null) return;
    await enqueueJob(tx, "end-customer", { customer_id: customerId, session_ids: await listPayable(tx) });
  }
}

/** What sends mails that are part of a change, and the address of the console, without a slash at its end. */
export interface TransactionalPost {
  readonly mailer: TransactionalMailer;
  readonly publicUrl: string;
}

/** What admins may change. An empty address removes one. */
export interface OrganizationChange {
  readonly name?: string | undefined;
  readonly billingEmail?: string | undefined;
  readonly securityEmail?: string | undefined;
  readonly secondFactorRequired?: boolean | undefined;
}

/** Nobody demands of others what they do not have. So one member at least goes on without an interruption. */
async function assertHasSecondFactor(tx: Transaction, { credential: { kind, id } }: Caller): Promise<void> {
  if (kind !== CredentialKind.MEMBER) throw insufficientScope("only a person can demand second factors, not a token");
  const account = await lockAccount(await tx.openAccount(id));
  if (account?.mfaEnabledAt != null) return;
  throw new Fault(
    Reason.SECOND_FACTOR_REQUIRED,
    "only somebody who has a second factor can demand it of others; set one up in your account",
  );
}

/** The address as it was written; null to remove it, undefined to leave it. */
function readEmail(text: string | undefined, field: string): string | null | undefined {
  if (text === undefined) return undefined;
  return text === "" ? null : parseEmail(text, field).text;
}

function auditView({ name, billingEmail, securityEmail, secondFactorRequired }: OrganizationRow) {
  return {
    name,
    billing_email: billingEmail ?? null,
    security_email: securityEmail ?? null,
    second_factor_required: secondFactorRequired,
  };
}

/** The input for a new organization. */
export interface OrganizationInput {
  readonly name: string;
  /** Default: the free one. */
  readonly plan?: Plan;
  /** A monthly limit of its own. Default: that of the plan. */
  readonly evaluationsLimit?: number | null;
}

/** Adds the transaction's organization. */
export function addOrganization(
  tx: Transaction,
  { name, plan = "free", evaluationsLimit = null }: OrganizationInput,
): OrganizationRow {
  tx.changed({ resource: `organization/${tx.orgId}`, before: null, after: { name } });
  return tx.em.create(OrganizationRow, {
    id: tx.orgId,
    name,
    plan,
    // Nobody has bought it.
    operatorPlan: plan === "free" ? null : plan,
    evaluationsLimit,
    billingBlocked: false,
    secondFactorRequired: false,
    createdAt: tx.now,
    updatedAt: tx.now,
  });
}
