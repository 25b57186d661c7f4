// What an organization may use at this moment: the plan in force, its limit, and whether it is blocked. Everything that
// changes one of them ends here, in the transaction of the change, so that leases are called back and runtimes are
// told.

import { lockMonth, recallLeases } from "../../store/billing/quota-lease.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { findOrganization, type OrganizationRow } from "../../store/tenancy/organization.ts";
import { quotaChannel } from "../channel.ts";
import { monthAfter, monthOf } from "../telemetry/trace-tally.ts";
import { monthlyLimit, type Plan } from "./plan.ts";

/** The plan in force, a limit of the organization's own, and whether it is blocked. */
export interface Standing {
  readonly plan: Plan;
  readonly evaluationsLimit: number | null;
  readonly billingBlocked: boolean;
}

/** The operator's plan; null when there is none, or its time is over. */
export function operatorPlanOf(
  { operatorPlan, operatorPlanUntil }: Pick<OrganizationRow, "operatorPlan" | "operatorPlanUntil">,
  now: Date,
): Plan | null {
  return operatorPlan == null || (operatorPlanUntil != null && operatorPlanUntil <= now) ? null : operatorPlan;
}

/** Whether the operator holds a plan until a date, so that nothing can be bought. */
export function isHeldByOperator(organization: Parameters<typeof operatorPlanOf>[0], now: Date): boolean {
  return organization.operatorPlanUntil != null && operatorPlanOf(organization, now) !== null;
}

/**
 * Puts a standing in force. Grants and plan changes wait for each other at the month's counters, so no lease is granted
 * by a limit that has ended. Connected runtimes are told at the commit. Call it after `lockBilling`.
 */
export async function putInForce(tx: Transaction, standing: Standing): Promise<OrganizationRow> {
  const month = monthOf(tx.now);
  // Before the organization is read: a change that was under way is visible then.
  await lockMonth(tx, month);
  await lockMonth(tx, monthAfter(month));
  const organization = await findOrganization(tx);
  const before = monthlyLimit(organization);
  const after = monthlyLimit(standing);
  const isChanged =
    before !== after || organization.plan !== standing.plan || organization.billingBlocked !== standing.billingBlocked;
  if (after !== null && (before === null || after < before)) await recallLeases(tx, month);
  if (before === null && after !== null) organization.unlimitedUntil = tx.now;
  if (after === null) organization.unlimitedUntil = null;
  organization.plan = standing.plan;
  organization.evaluationsLimit = standing.evaluationsLimit;
  organization.billingBlocked = standing.billingBlocked;
  organization.updatedAt = tx.now;
  if (isChanged) await tx.notify(quotaChannel, {});
  return organization;
}
