// How an organization's plan, its use and its subscription stand, read in one snapshot.

import { listNotices, type ShownNotice } from "../../store/billing/billing-notice.ts";
import { type BillingProvider, findSubscription, type SubscriptionStatus } from "../../store/billing/subscription.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { findOrganization } from "../../store/tenancy/organization.ts";
import type { Plan } from "./plan.ts";
import { operatorPlanOf } from "./standing.ts";
import { isLive } from "./subscription.ts";
import { readUsageView, type UsageView } from "./usage.ts";

const noticeDays = 31;

/** The answer to "which plan, how much is left, what is owed". */
export interface Summary extends UsageView {
  readonly orgId: string;
  readonly status: SubscriptionStatus;
  readonly provider: "none" | BillingProvider | "operator";
  readonly billingBlocked: boolean;
  readonly graceEndsAt: Date | null;
  readonly trialEndsAt: Date | null;
  readonly currentPeriodStart: Date | null;
  readonly currentPeriodEnd: Date | null;
  readonly cancelAtPeriodEnd: boolean;
  readonly pendingPlan: Plan | null;
  readonly notices: readonly ShownNotice[];
}

/** Reads it within a transaction. */
export async function readSummary(tx: Transaction): Promise<Summary> {
  await tx.em.flush();
  const organization = await findOrganization(tx);
  const subscription = await findSubscription(tx);
  const live = isLive(subscription) ? subscription : undefined;
  const isOperators = operatorPlanOf(organization, tx.now) !== null;
  return {
    ...(await readUsageView(tx)),
    orgId: tx.orgId,
    status: organization.billingBlocked ? "blocked" : (live?.status ?? "none"),
    provider: isOperators ? "operator" : (live?.provider ?? "none"),
    billingBlocked: organization.billingBlocked,
    graceEndsAt: live?.graceEndsAt ?? null,
    trialEndsAt: live?.trialEndsAt ?? null,
    currentPeriodStart: live?.periodStart ?? null,
    currentPeriodEnd: live?.periodEnd ?? null,
    cancelAtPeriodEnd: live?.cancelAtPeriodEnd ?? false,
    pendingPlan: live?.pendingPlan ?? null,
    notices: await listNotices(tx, new Date(tx.now.getTime() - noticeDays * 86_400_000)),
  };
}

/** What the log of evidence says of a subscription. */
export function auditView({ plan, status, pendingPlan, cancelAtPeriodEnd }: Summary) {
  return { plan, status, pending_plan: pendingPlan, cancel_at_period_end: cancelAtPeriodEnd };
}
