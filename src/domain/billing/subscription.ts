// What an organization has bought, and what becomes of it with time. A subscription changes under the lock of the
// organization's billing, and every change ends in `settle`, which puts the plan in force.
//
//   none -> active -> past_due -> blocked -> active
//    |       |  ^         |                    (or none, when it had been canceled)
//    v       v  |         +-> active
// trialing  canceled -> none
//    |
//    +-> active, or none when nobody pays

import { randomBytes } from "node:crypto";
import { endCheckouts } from "../../store/billing/checkout.ts";
import { addInvoice, countStubInvoices, listOpenInvoices, type NewLine } from "../../store/billing/invoice.ts";
import { findSubscription, SubscriptionRow } from "../../store/billing/subscription.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { findOrganization, type OrganizationRow } from "../../store/tenancy/organization.ts";
import { dayOf } from "../telemetry/trace-tally.ts";
import { type NoticeMailer, tellBilling } from "./notice.ts";
import { endOfPeriod, prorated } from "./period.ts";
import { type Plan, planNames } from "./plan.ts";
import { type PriceList, shownAmount } from "./price.ts";
import { isHeldByOperator, operatorPlanOf, putInForce } from "./standing.ts";

const dayMs = 86_400_000;
/** Periods that one look at a subscription makes up for, when the worker was away for long. */
const maxPeriods = 40;

/** What changes of subscriptions need. */
export interface SubscriptionTerms {
  readonly prices: PriceList;
  /** How long a missing payment may take. */
  readonly graceMs: number;
  /** How many days a first subscription is tried out before it is paid; 0 for none. */
  readonly trialDays: number;
  readonly mailer: NoticeMailer;
}

/** Whether the organization has something that it pays for, or owes. */
export function isLive(subscription: SubscriptionRow | null): subscription is SubscriptionRow {
  return subscription !== null && subscription.status !== "none";
}

/** The subscription, or a new one that is none yet. */
export async function requireSubscription(
  tx: Transaction,
  provider: SubscriptionRow["provider"] = "stub",
): Promise<SubscriptionRow> {
  const found = await findSubscription(tx);
  if (found !== null) return found;
  return tx.em.create(SubscriptionRow, {
    orgId: tx.orgId,
    provider,
    status: "none",
    plan: "free",
    anchorDay: 1,
    cancelAtPeriodEnd: false,
    paymentFails: false,
    revision: 0,
    readings: 0,
    createdAt: tx.now,
    updatedAt: tx.now,
  });
}

/**
 * Puts in force what operator and subscription say. A purchase ends a plan of the operator that has no end of its own.
 */
export async function settle(
  tx: Transaction,
  mailer: NoticeMailer,
  {
    isPurchase = false,
    evaluationsLimit,
  }: { readonly isPurchase?: boolean; readonly evaluationsLimit?: number | null | undefined } = {},
): Promise<OrganizationRow> {
  const organization = await findOrganization(tx);
  const subscription = await findSubscription(tx);
  if (isPurchase && organization.operatorPlanUntil == null) organization.operatorPlan = null;
  // Nothing can be bought while the operator holds a plan until a date, on pages that were opened before neither.
  if (isHeldByOperator(organization, tx.now)) await endCheckouts(tx);
  if (organization.operatorPlanUntil != null && organization.operatorPlanUntil <= tx.now) {
    organization.operatorPlan = null;
    organization.operatorPlanUntil = null;
  }
  if (subscription !== null) {
    subscription.updatedAt = tx.now;
    subscription.revision += 1;
    subscription.dueAt = dueOf(subscription);
  }
  const bought = isLive(subscription) ? subscription.plan : "free";
  const before = { plan: organization.plan, billingBlocked: organization.billingBlocked };
  const after = await putInForce(tx, {
    plan: operatorPlanOf(organization, tx.now) ?? bought,
    evaluationsLimit: evaluationsLimit === undefined ? (organization.evaluationsLimit ?? null) : evaluationsLimit,
    billingBlocked: organization.operatorBlockReason != null || subscription?.status === "blocked",
  });
  await tellChanges(tx, mailer, before, after);
  return after;
}

async function tellChanges(
  tx: Transaction,
  mailer: NoticeMailer,
  before: Pick<OrganizationRow, "plan" | "billingBlocked">,
  { plan, billingBlocked }: OrganizationRow,
): Promise<void> {
  const about = tx.now.toISOString();
  if (before.plan !== plan) {
    const [from, to]: [Plan, Plan] = [before.plan, plan];
    const text = `The plan was ${planNames[from]} and is ${planNames[to]} from now on.`;
    await tellBilling(tx, mailer, { kind: "plan_changed", about, subject: `the plan is ${planNames[to]} now`, text });
  }
  if (before.billingBlocked === billingBlocked) return;
  const kind = billingBlocked ? ("blocked" as const) : ("unblocked" as const);
  const text = billingBlocked
    ? "Calls and evaluations are answered 402 payment_required until the bill is settled."
    : "Calls and evaluations go on as before.";
  const subject = billingBlocked ? "blocked until the bill is settled" : "open again";
  await tellBilling(tx, mailer, { kind, about, subject, text });
}

/** When something happens to the subscription by itself. */
function dueOf({ provider, status, periodEnd, graceEndsAt }: SubscriptionRow): Date | null {
  if (status === "past_due" && graceEndsAt != null) return new Date(graceEndsAt.getTime() - dayMs);
  // A provider renews and ends its subscriptions itself, and tells of it.
  if (provider !== "stub") return null;
  return status === "active" || status === "canceled" || status === "trialing" ? (periodEnd ?? null) : null;
}

/** Days that a subscription would be tried out if it began now: only the first one of an organization is. */
export async function trialDaysOf(tx: Transaction, { trialDays }: SubscriptionTerms): Promise<number> {
  return (await findSubscription(tx)) === null ? trialDays : 0;
}

/** Begins what was bought at the local page: with a trial, or with a first invoice that is paid. */
export async function beginSubscription(tx: Transaction, plan: Plan, terms: SubscriptionTerms): Promise<void> {
  const trialDays = await trialDaysOf(tx, terms);
  const subscription = await requireSubscription(tx);
  subscription.provider = "stub";
  subscription.status = "active";
  subscription.plan = plan;
  subscription.cancelAtPeriodEnd = false;
  subscription.pendingPlan = null;
  subscription.graceEndsAt = null;
  subscription.paymentFails = false;
  if (trialDays > 0) beginTrial(subscription, tx.now, trialDays);
  else {
    beginPeriod(subscription, tx.now, tx.now.getUTCDate());
    await billPeriod(tx, subscription, terms, { isPaid: true });
  }
  await settle(tx, terms.mailer, { isPurchase: true });
}

function beginTrial(subscription: SubscriptionRow, start: Date, days: number): void {
  const end = new Date(start.getTime() + days * dayMs);
  subscription.status = "trialing";
  subscription.anchorDay = end.getUTCDate();
  subscription.periodStart = start;
  subscription.periodEnd = end;
  subscription.trialEndsAt = end;
}

function beginPeriod(subscription: SubscriptionRow, start: Date, anchorDay: number): void {
  subscription.anchorDay = anchorDay;
  subscription.periodStart = start;
  subscription.periodEnd = endOfPeriod(start, anchorDay);
}

function periodOf({ periodStart, periodEnd }: SubscriptionRow): { readonly start: Date; readonly end: Date } {
  if (periodStart == null || periodEnd == null) throw new Error("a live subscription has a period");
  return { start: periodStart, end: periodEnd };
}

async function billPeriod(
  tx: Transaction,
  subscription: SubscriptionRow,
  terms: SubscriptionTerms,
  { isPaid }: { readonly isPaid: boolean },
): Promise<number> {
  const { start, end } = periodOf(subscription);
  const plan: Plan = subscription.plan;
  const line = {
    description: `${planNames[plan]}, ${dayOf(start)} to ${dayOf(end)}`,
    quantity: 1,
    amountMinor: terms.prices.amounts[plan] ?? 0,
    isProration: false,
  };
  return addStubInvoice(tx, subscription, terms, { lines: [line], isPaid });
}

async function addStubInvoice(
  tx: Transaction,
  subscription: SubscriptionRow,
  { prices, graceMs }: SubscriptionTerms,
  { lines, isPaid }: { readonly lines: readonly NewLine[]; readonly isPaid: boolean },
): Promise<number> {
  const { start, end } = periodOf(subscription);
  const total = lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  const number = (await countStubInvoices(tx)) + 1;
  await addInvoice(
    tx,
    {
      number: `PG-${tx.now.getUTCFullYear()}-${String(number).padStart(6, "0")}`,
      status: isPaid ? "paid" : "open",
      currency: prices.currency,
      subtotalMinor: total,
      totalMinor: total,
      amountDueMinor: isPaid ? 0 : total,
      periodStart: start,
      periodEnd: end,
      issuedAt: tx.now,
      dueAt: isPaid ? null : new Date(tx.now.getTime() + graceMs),
      paidAt: isPaid ? tx.now : null,
      provider: "stub",
      pageKey: randomBytes(16).toString("base64url"),
    },
    lines,
  );
  return total;
}

/** A larger plan at once, for a share of its price. */
export async function enlarge(
  tx: Transaction,
  subscription: SubscriptionRow,
  plan: Plan,
  terms: SubscriptionTerms,
): Promise<void> {
  const before: Plan = subscription.plan;
  const { amounts } = terms.prices;
  const difference = (amounts[plan] ?? 0) - (amounts[before] ?? 0);
  const period = periodOf(subscription);
  subscription.plan = plan;
  subscription.pendingPlan = null;
  revive(subscription);
  // A trial costs nothing, whatever is tried out.
  if (subscription.status === "trialing") return void (await settle(tx, terms.mailer, { isPurchase: true }));
  const line = {
    description: `${planNames[plan]} instead of ${planNames[before]}, ${dayOf(tx.now)} to ${dayOf(period.end)}`,
    quantity: 1,
    amountMinor: prorated(Math.max(0, difference), { ...period, now: tx.now }),
    isProration: true,
  };
  await addStubInvoice(tx, subscription, terms, { lines: [line], isPaid: true });
  await settle(tx, terms.mailer, { isPurchase: true });
}

/** Takes a cancellation back. */
export function revive(subscription: SubscriptionRow): void {
  subscription.cancelAtPeriodEnd = false;
  if (subscription.status === "canceled") subscription.status = "active";
}

/** Lets the subscription end with its period. One that owes something goes on owing it. */
export function cancelWithPeriod(subscription: SubscriptionRow): void {
  subscription.cancelAtPeriodEnd = true;
  subscription.pendingPlan = null;
  if (subscription.status === "active") subscription.status = "canceled";
}

/** Ends the subscription. One with open invoices stays blocked until they are settled. */
export async function endSubscription(tx: Transaction, subscription: SubscriptionRow): Promise<void> {
  const owes = (await listOpenInvoices(tx)).length > 0;
  subscription.cancelAtPeriodEnd = true;
  subscription.pendingPlan = null;
  subscription.graceEndsAt = null;
  subscription.trialEndsAt = null;
  subscription.status = owes ? "blocked" : "none";
  // So that who pays afterwards does not get the rest of a period that was given up.
  if (owes && periodOf(subscription).end > tx.now) subscription.periodEnd = tx.now;
  if (!owes) clear(subscription);
}

/** Makes it none: nothing of what was bought is left. */
export function clear(subscription: SubscriptionRow): void {
  subscription.plan = "free";
  subscription.status = "none";
  subscription.periodStart = null;
  subscription.periodEnd = null;
  subscription.cancelAtPeriodEnd = false;
  subscription.pendingPlan = null;
  subscription.graceEndsAt = null;
  subscription.trialEndsAt = null;
}

/** Opens a blocked subscription on the operator's word: what is open may take as long as after a first failure. */
export async function reopen(tx: Transaction, graceMs: number): Promise<void> {
  const subscription = await findSubscription(tx);
  if (subscription?.status !== "blocked") return;
  const owes = (await listOpenInvoices(tx)).length > 0;
  subscription.status = owes ? "past_due" : "active";
  subscription.graceEndsAt = owes ? new Date(tx.now.getTime() + graceMs) : null;
}

/** Settles every open invoice, as the person at the local portal does. Returns how many there were. */
export async function payOpenInvoices(tx: Transaction, terms: SubscriptionTerms): Promise<number> {
  const subscription = await findSubscription(tx);
  const open = await listOpenInvoices(tx);
  for (const invoice of open) {
    invoice.status = "paid";
    invoice.amountDueMinor = 0;
    invoice.paidAt = tx.now;
  }
  if (subscription === null || open.length === 0) return open.length;
  const wasBlocked = subscription.status === "blocked";
  subscription.graceEndsAt = null;
  if (wasBlocked && subscription.cancelAtPeriodEnd && periodOf(subscription).end <= tx.now) clear(subscription);
  else if (wasBlocked || subscription.status === "past_due") {
    subscription.status = subscription.cancelAtPeriodEnd ? "canceled" : "active";
    // Whoever was blocked beyond the period gets a whole one from now on.
    if (wasBlocked && periodOf(subscription).end <= tx.now) beginPeriod(subscription, tx.now, tx.now.getUTCDate());
  }
  await settle(tx, terms.mailer);
  return open.length;
}

/**
 * Lets what comes next come now: the end of the trial, of the period or of the grace time. Returns false when nothing
 * waits. The local pages do this, so that nobody has to wait for months to see every state.
 */
export async function skipAhead(tx: Transaction, terms: SubscriptionTerms): Promise<boolean> {
  const subscription = await findSubscription(tx);
  switch (subscription?.status) {
    case "trialing":
      subscription.trialEndsAt = tx.now;
      subscription.periodEnd = tx.now;
      subscription.anchorDay = tx.now.getUTCDate();
      break;
    case "active":
    case "canceled":
      subscription.periodEnd = tx.now;
      subscription.anchorDay = tx.now.getUTCDate();
      break;
    case "past_due":
      subscription.graceEndsAt = tx.now;
      break;
    default:
      return false;
  }
  await advance(tx, terms);
  return true;
}

/** Does what is due at this moment: renewals, ends of periods, of grace and of plans of the operator. */
export async function advance(tx: Transaction, terms: SubscriptionTerms): Promise<void> {
  const subscription = await findSubscription(tx);
  if (subscription !== null) {
    for (let i = 0; i < maxPeriods && (await step(tx, subscription, terms)); i++);
  }
  await settle(tx, terms.mailer);
  // What a warning has said is not due again before the end of the grace.
  if (subscription?.status === "past_due" && subscription.graceEndsAt != null)
    subscription.dueAt =
      subscription.dueAt != null && subscription.dueAt <= tx.now ? subscription.graceEndsAt : subscription.dueAt;
}

/** One change that is due; false when none is. */
async function step(tx: Transaction, subscription: SubscriptionRow, terms: SubscriptionTerms): Promise<boolean> {
  const { status, graceEndsAt } = subscription;
  if (status === "past_due" && graceEndsAt != null) return endGrace(tx, subscription, graceEndsAt, terms);
  if (subscription.provider !== "stub") return false;
  if (status !== "active" && status !== "canceled" && status !== "trialing") return false;
  const { end } = periodOf(subscription);
  if (end > tx.now) return false;
  const isUnpaidTrial = status === "trialing" && subscription.paymentFails;
  const isEnding = subscription.cancelAtPeriodEnd || subscription.pendingPlan === "free" || isUnpaidTrial;
  if (isEnding) await endSubscription(tx, subscription);
  else await renew(tx, subscription, end, terms);
  return true;
}

async function renew(
  tx: Transaction,
  subscription: SubscriptionRow,
  start: Date,
  terms: SubscriptionTerms,
): Promise<void> {
  subscription.plan = subscription.pendingPlan ?? subscription.plan;
  subscription.pendingPlan = null;
  beginPeriod(subscription, start, subscription.anchorDay);
  subscription.status = "active";
  subscription.trialEndsAt = null;
  const isPaid = !subscription.paymentFails;
  const total = await billPeriod(tx, subscription, terms, { isPaid });
  if (isPaid) return;
  subscription.status = "past_due";
  subscription.graceEndsAt = new Date(tx.now.getTime() + terms.graceMs);
  const until = subscription.graceEndsAt.toISOString().slice(0, 16).replace("T", " ");
  await tellBilling(tx, terms.mailer, {
    kind: "payment_failed",
    about: start.toISOString(),
    value: total,
    subject: "a payment failed",
    text: `A payment of ${shownAmount(total, terms.prices.currency)} was declined. Settle it before ${until} UTC; calls and evaluations are answered 402 from then on.`,
  });
}

async function endGrace(
  tx: Transaction,
  subscription: SubscriptionRow,
  graceEndsAt: Date,
  terms: SubscriptionTerms,
): Promise<boolean> {
  if (graceEndsAt <= tx.now) {
    subscription.status = "blocked";
    subscription.graceEndsAt = null;
    return true;
  }
  if (graceEndsAt.getTime() - tx.now.getTime() > dayMs) return false;
  await tellBilling(tx, terms.mailer, {
    kind: "grace_ending",
    about: graceEndsAt.toISOString(),
    subject: "a payment is missing, and tomorrow everything stops",
    text: `An invoice is still open. Calls and evaluations are answered 402 from ${graceEndsAt.toISOString().slice(0, 16).replace("T", " ")} UTC on.`,
  });
  return false;
}
