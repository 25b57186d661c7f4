// What may be bought, changed and canceled, whoever takes the payment. Each rule locks the organization's billing, so
// that it still holds when the change commits.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
import { findSubscription, type SubscriptionRow } from "../../store/billing/subscription.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { findOrganization, lockBilling } from "../../store/tenancy/organization.ts";
import { comparePlans, type Plan } from "./plan.ts";
import type { BillingProvider } from "./provider.ts";
import { isHeldByOperator } from "./standing.ts";
import { isLive } from "./subscription.ts";

/** The operation is not possible as things stand. */
export function conflict(message: string): Fault {
  return new Fault(Reason.CONFLICT, message);
}

/** Whether something stands in the way of a checkout: what was bought on the local pages is no money's worth. */
export function isBought(subscription: SubscriptionRow | null, { name }: Pick<BillingProvider, "name">): boolean {
  return isLive(subscription) && !(subscription.provider === "stub" && name === "stripe");
}

/** Throws unless the plan can be bought now. */
export async function assertBuyable(
  tx: Transaction,
  plan: Plan,
  provider: Pick<BillingProvider, "name" | "sells">,
): Promise<void> {
  await lockBilling(tx);
  const organization = await findOrganization(tx);
  if (plan === "free") throw conflict("the plan free needs no checkout; cancel the subscription instead");
  const subscription = await findSubscription(tx);
  if (isBought(subscription, provider))
    throw conflict("there is a subscription already; change it with POST /v1/billing/change-plan");
  const isPretended = isLive(subscription) && subscription.plan === plan;
  if (organization.plan === plan && !isPretended) throw conflict(`the organization has the plan ${plan} already`);
  assertFree(organization, tx.now);
  if (!provider.sells(plan)) throw conflict(`the plan ${plan} is arranged with the operator of this installation`);
}

/** The subscription that may change to the plan; undefined when there is nothing to change. */
export async function changeable(
  tx: Transaction,
  plan: Plan,
  provider: Pick<BillingProvider, "name" | "sells">,
): Promise<SubscriptionRow | undefined> {
  await lockBilling(tx);
  const organization = await findOrganization(tx);
  const subscription = await findSubscription(tx);
  if (!isBought(subscription, provider) || subscription === null) {
    const order = comparePlans(plan, organization.plan);
    if (order === 0) return undefined;
    if (order < 0) throw conflict("the operator of this installation has set the plan, and changes it");
    throw new Fault(Reason.CHECKOUT_REQUIRED, "there is no subscription yet; begin with POST /v1/billing/checkout");
  }
  assertBoughtHere(subscription, provider);
  assertFree(organization, tx.now);
  const isOwing = subscription.status === "past_due" || subscription.status === "blocked";
  const order = comparePlans(plan, subscription.plan);
  if (isOwing && order > 0) throw conflict("an invoice is open; settle it in the portal before the plan grows");
  if (subscription.status === "blocked" && plan !== "free" && order !== 0)
    throw conflict("the organization is blocked; settle its open invoices in the portal first");
  if (order !== 0 && plan !== "free" && !provider.sells(plan))
    throw conflict(`the plan ${plan} is arranged with the operator of this installation`);
  return subscription;
}

/** The subscription that may be canceled. */
export async function cancelable(tx: Transaction, provider: Pick<BillingProvider, "name">): Promise<SubscriptionRow> {
  await lockBilling(tx);
  const subscription = await findSubscription(tx);
  if (!isLive(subscription)) throw conflict("there is no subscription to cancel");
  assertBoughtHere(subscription, provider);
  return subscription;
}

/** Throws for what was bought at a provider that is not connected any more: it cannot be changed from here. */
export function assertBoughtHere(subscription: SubscriptionRow, { name }: Pick<BillingProvider, "name">): void {
  if (subscription.provider === name || subscription.provider === "stub") return;
  throw conflict(
    "the subscription was bought at Stripe, to which this installation is not connected; ask its operator",
  );
}

function assertFree(organization: Parameters<typeof isHeldByOperator>[0], now: Date): void {
  if (!isHeldByOperator(organization, now)) return;
  const until = organization.operatorPlanUntil?.toISOString();
  throw conflict(`the operator of this installation has set the plan until ${until}`);
}
