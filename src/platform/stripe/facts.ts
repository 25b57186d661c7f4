// What we read of Stripe's objects, in words of our own: nothing else of them is kept. Field names are those of the API
// version that the library pins: the period stands on a subscription's items, the subscription of an invoice under
// `parent`.

import type Stripe from "stripe";

/** A subscription as Stripe has it. */
export interface SubscriptionFacts {
  readonly id: string;
  readonly status: string;
  readonly createdAt: Date;
  readonly itemId: string;
  readonly priceId: string;
  /** The plan that we wrote on it when it was bought, or changed. */
  readonly planNote: string | undefined;
  readonly periodStart: Date;
  readonly periodEnd: Date;
  /** Ends with its period, or at a moment that somebody chose in Stripe's dashboard. */
  readonly cancelAtPeriodEnd: boolean;
  readonly cancelAt: Date | undefined;
  readonly trialEndsAt: Date | undefined;
  readonly schedule: ScheduleFacts | undefined;
}

/** A change that waits for the end of the period. */
export interface ScheduleFacts {
  readonly id: string;
  readonly phases: readonly { readonly start: Date; readonly end: Date; readonly priceId: string }[];
}

/** A line of an invoice. */
export interface InvoiceLineFacts {
  readonly description: string;
  readonly quantity: number;
  readonly amountMinor: number;
  readonly isProration: boolean;
}

/** An invoice as Stripe has it. Drafts are left out: they may still change, or go. */
export interface InvoiceFacts {
  readonly id: string;
  readonly number: string;
  readonly status: "open" | "paid" | "void" | "uncollectible";
  readonly subscriptionId: string | undefined;
  readonly currency: string;
  readonly subtotalMinor: number;
  readonly totalMinor: number;
  readonly amountDueMinor: number;
  readonly periodStart: Date;
  readonly periodEnd: Date;
  readonly createdAt: Date;
  readonly issuedAt: Date;
  readonly dueAt: Date | undefined;
  readonly paidAt: Date | undefined;
  readonly hostedUrl: string | undefined;
  readonly lines: readonly InvoiceLineFacts[];
}

/** All that Stripe says of a customer, read at one moment. */
export interface CustomerFacts {
  readonly subscriptions: readonly SubscriptionFacts[];
  readonly invoices: readonly InvoiceFacts[];
}

/** What we read of a subscription; undefined for one without items, which sells nothing of ours. */
export function subscriptionFacts(subscription: Stripe.Subscription): SubscriptionFacts | undefined {
  const [item] = subscription.items.data;
  if (item === undefined) return undefined;
  const { id, status, metadata, schedule } = subscription;
  return {
    id,
    status,
    createdAt: moment(subscription.created),
    itemId: item.id,
    priceId: item.price.id,
    planNote: metadata.policy_guard_plan,
    periodStart: moment(item.current_period_start),
    periodEnd: moment(item.current_period_end),
    cancelAtPeriodEnd: subscription.cancel_at_period_end,
    cancelAt: optionalMoment(subscription.cancel_at),
    trialEndsAt: status === "trialing" ? optionalMoment(subscription.trial_end) : undefined,
    schedule: scheduleFacts(schedule),
  };
}

function scheduleFacts(schedule: Stripe.Subscription["schedule"]): ScheduleFacts | undefined {
  if (schedule === null || typeof schedule === "string") return undefined;
  if (schedule.status !== "active" && schedule.status !== "not_started") return undefined;
  const phases = schedule.phases.flatMap(({ start_date: start, end_date: end, items: [item] }) =>
    item === undefined ? [] : [{ start: moment(start), end: moment(end), priceId: idOf(item.price) }],
  );
  return { id: schedule.id, phases };
}

const statuses = ["open", "paid", "void", "uncollectible"] as const;

/** What we read of an invoice; undefined for a draft. */
export function invoiceFacts(invoice: Stripe.Invoice): InvoiceFacts | undefined {
  const { id, currency, lines, status_transitions: transitions } = invoice;
  const status = statuses.find((known) => known === invoice.status);
  if (status === undefined) return undefined;
  const subscription = invoice.parent?.subscription_details?.subscription;
  const starts = lines.data.map(({ period }) => period.start);
  const ends = lines.data.map(({ period }) => period.end);
  return {
    id,
    number: invoice.number ?? id,
    status,
    subscriptionId: subscription == null ? undefined : idOf(subscription),
    currency: currency.toUpperCase(),
    subtotalMinor: invoice.subtotal,
    totalMinor: invoice.total,
    amountDueMinor: status === "void" ? 0 : invoice.amount_remaining,
    // An invoice's own period is the one that has ended; its lines have the one that is paid.
    periodStart: moment(starts.length === 0 ? invoice.period_start : Math.min(...starts)),
    periodEnd: moment(ends.length === 0 ? invoice.period_end : Math.max(...ends)),
    createdAt: moment(invoice.created),
    issuedAt: moment(transitions.finalized_at ?? invoice.created),
    dueAt: optionalMoment(invoice.due_date),
    paidAt: optionalMoment(transitions.paid_at),
    hostedUrl: invoice.hosted_invoice_url ?? undefined,
    lines: lines.data.map(lineFacts),
  };
}

function lineFacts({ description, quantity, amount, parent }: Stripe.InvoiceLineItem): InvoiceLineFacts {
  const details = parent?.subscription_item_details ?? parent?.invoice_item_details;
  return {
    description: description ?? "",
    quantity: quantity ?? 1,
    amountMinor: amount,
    isProration: details?.proration ?? false,
  };
}

function idOf(object: string | { readonly id: string }): string {
  return typeof object === "string" ? object : object.id;
}

function moment(seconds: number): Date {
  return new Date(seconds * 1_000);
}

function optionalMoment(seconds: number | null): Date | undefined {
  return seconds === null ? undefined : moment(seconds);
}
