// What Stripe's account of a customer means for the organization: a function of what Stripe says now, and of nothing
// that was said before. So the order, number and loss of events cannot matter.

import type { CustomerFacts, InvoiceFacts, SubscriptionFacts } from "../../platform/stripe/facts.ts";
import type { PricedPlan, StripeSettings } from "../../platform/stripe/settings.ts";
import type { SubscriptionRow, SubscriptionStatus } from "../../store/billing/subscription.ts";
import { plannedPlan, planOfSubscription } from "./stripe-plan.ts";

/** How the subscription stands. */
export interface ProviderState {
  readonly subscriptionId: string;
  readonly status: SubscriptionStatus;
  readonly plan: PricedPlan;
  readonly periodStart: Date;
  readonly periodEnd: Date;
  readonly cancelAtPeriodEnd: boolean;
  readonly pendingPlan: PricedPlan | null;
  readonly trialEndsAt: Date | null;
  readonly graceEndsAt: Date | null;
  /** The oldest unpaid invoice, while one is missing. */
  readonly unpaid: InvoiceFacts | undefined;
}

/** What the state depends on besides what Stripe says. */
export interface StateTerms {
  readonly settings: StripeSettings;
  readonly graceMs: number;
  readonly now: Date;
  /** The grace time that stands, of which invoice: the operator may have made it longer. */
  readonly row: Pick<SubscriptionRow, "graceEndsAt" | "graceInvoice">;
}

const live = new Set(["trialing", "active", "past_due", "unpaid"]);

/** How the organization stands by what Stripe says; undefined when it has bought nothing, or owes nothing any more. */
export function readState(facts: CustomerFacts, terms: StateTerms): ProviderState | undefined {
  const subscription = subscriptionOfRecord(facts);
  if (subscription === undefined) return undefined;
  const { periodStart, periodEnd, cancelAt, trialEndsAt = null } = subscription;
  const unpaid = isOwing(subscription) ? unpaidOf(subscription, facts) : undefined;
  const isEnding = subscription.cancelAtPeriodEnd || (cancelAt !== undefined && cancelAt <= periodEnd);
  const { status, graceEndsAt } = standingOf(subscription, { isEnding, unpaid, terms });
  return {
    subscriptionId: subscription.id,
    status,
    plan: planOfSubscription(subscription, terms.settings),
    periodStart,
    periodEnd,
    cancelAtPeriodEnd: isEnding || subscription.status === "canceled",
    pendingPlan: plannedPlan(subscription, terms.settings) ?? null,
    trialEndsAt,
    graceEndsAt,
    unpaid,
  };
}

/** Live subscriptions besides the one that counts: somebody pays for them without need. */
export function surplusOf(facts: CustomerFacts): readonly SubscriptionFacts[] {
  const counted = subscriptionOfRecord(facts);
  return facts.subscriptions.filter((subscription) => live.has(subscription.status) && subscription !== counted);
}

/** The live one; of several the oldest. Otherwise the newest of those that ended with a debt. */
function subscriptionOfRecord(facts: CustomerFacts): SubscriptionFacts | undefined {
  const byAge = facts.subscriptions.toSorted(
    (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1),
  );
  const owing = (subscription: SubscriptionFacts) =>
    subscription.status === "canceled" && unpaidOf(subscription, facts) !== undefined;
  return byAge.find(({ status }) => live.has(status)) ?? byAge.findLast(owing);
}

function isOwing({ status }: SubscriptionFacts): boolean {
  return status === "past_due" || status === "unpaid" || status === "canceled";
}

/** The oldest invoice of a subscription that is not paid. */
function unpaidOf({ id }: SubscriptionFacts, { invoices }: CustomerFacts): InvoiceFacts | undefined {
  return invoices
    .filter(({ subscriptionId, status }) => subscriptionId === id && (status === "open" || status === "uncollectible"))
    .toSorted((a, b) => a.issuedAt.getTime() - b.issuedAt.getTime() || (a.id < b.id ? -1 : 1))[0];
}

function standingOf(
  { status, periodStart }: SubscriptionFacts,
  facts: { readonly isEnding: boolean; readonly unpaid: InvoiceFacts | undefined; readonly terms: StateTerms },
): Pick<ProviderState, "status" | "graceEndsAt"> {
  const { isEnding, unpaid, terms } = facts;
  if (status !== "past_due" && status !== "unpaid" && status !== "canceled") {
    const standing = status === "trialing" ? "trialing" : "active";
    return { status: isEnding ? "canceled" : standing, graceEndsAt: null };
  }
  const { graceEndsAt, isExtended } = graceOf(unpaid, unpaid?.issuedAt ?? periodStart, terms);
  // The provider has given up, unless the operator has not.
  const isOver = graceEndsAt <= terms.now || (status !== "past_due" && !isExtended);
  return isOver ? { status: "blocked", graceEndsAt: null } : { status: "past_due", graceEndsAt };
}

/** The grace time begins with the invoice that is missing, so that a second failure never makes it longer. */
function graceOf(unpaid: InvoiceFacts | undefined, since: Date, { graceMs, row }: StateTerms) {
  const usual = new Date(since.getTime() + graceMs);
  const isSame = row.graceInvoice === (unpaid?.id ?? null);
  const isExtended = isSame && row.graceEndsAt != null && row.graceEndsAt > usual;
  return { graceEndsAt: isExtended && row.graceEndsAt != null ? row.graceEndsAt : usual, isExtended };
}
