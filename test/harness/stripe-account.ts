// One account at Stripe as far as billing knows it: customers, subscriptions with their schedules, invoices and pages,
// and the rules by which they change. Written from Stripe's documentation; it has never been compared with Stripe
// itself. Objects have Stripe's own names of fields.

import type { Clock } from "../../src/kit/process/clock.ts";

/** What Stripe answers when it refuses. */
export class StripeRefusal extends Error {
  readonly status: number;
  readonly error: Readonly<Record<string, string>>;

  constructor(status: number, error: Readonly<Record<string, string>>) {
    super(error.message);
    this.status = status;
    this.error = error;
  }
}

/** A subscription, as it is kept. */
export interface FakeSubscription {
  readonly id: string;
  readonly object: "subscription";
  readonly customer: string;
  readonly created: number;
  status: string;
  price: string;
  readonly itemId: string;
  periodStart: number;
  periodEnd: number;
  cancel_at_period_end: boolean;
  cancel_at: number | null;
  trial_end: number | null;
  metadata: Record<string, string>;
  schedule: string | null;
}

/** An invoice, as it is kept. */
export interface FakeInvoice {
  readonly id: string;
  readonly object: "invoice";
  readonly number: string;
  readonly customer: string;
  readonly subscription: string;
  readonly created: number;
  status: "open" | "paid" | "void" | "uncollectible";
  total: number;
  paid_at: number | null;
  readonly start: number;
  readonly end: number;
  readonly description: string;
  readonly isProration: boolean;
}

interface FakeSchedule {
  readonly id: string;
  readonly object: "subscription_schedule";
  readonly subscription: string;
  status: "active" | "released" | "completed";
  phases: { start: number; end: number; price: string }[];
}

interface FakeSession {
  readonly id: string;
  readonly object: "checkout.session";
  readonly customer: string;
  readonly url: string;
  readonly expires_at: number;
  readonly price: string;
  readonly metadata: Record<string, string>;
  readonly trialDays: number;
  status: "open" | "complete" | "expired";
}

/** An event, as it is sent. */
export interface FakeEvent {
  readonly id: string;
  readonly object: "event";
  readonly type: string;
  readonly created: number;
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
}

/** The parameters of a call, as they come out of its body. */
export type Params = Readonly<Record<string, unknown>>;

const monthSeconds = 30 * 86_400;

/** The account. */
export class StripeAccount {
  readonly customers = new Map<
    string,
    {
      readonly id: string;
      readonly object: "customer";
      name?: string;
      email?: string;
      isDeclined: boolean;
      hasMethod: boolean;
    }
  >();
  readonly subscriptions = new Map<string, FakeSubscription>();
  readonly invoices = new Map<string, FakeInvoice>();
  readonly schedules = new Map<string, FakeSchedule>();
  readonly sessions = new Map<string, FakeSession>();
  /** Monthly prices in cents. */
  readonly prices = new Map<string, number>();
  /** Everything that has happened, oldest first. */
  readonly events: FakeEvent[] = [];
  readonly #clock: Clock;
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return Math.floor(this.#clock.now().getTime() / 1_000);
  }

  id(prefix: string): string {
    this.#count += 1;
    return `${prefix}_${String(this.#count).padStart(8, "0")}`;
  }

  emit(type: string, object: Readonly<Record<string, unknown>>): void {
    this.events.push({
      id: this.id("evt"),
      object: "event",
      type,
      created: this.now(),
      data: { object: { ...object } },
    });
  }

  createCustomer() {
    const customer = { id: this.id("cus"), object: "customer" as const, isDeclined: false, hasMethod: false };
    this.customers.set(customer.id, customer);
    this.emit("customer.created", { id: customer.id, object: "customer" });
    return customer;
  }

  customer(id: unknown) {
    return found(this.customers, id, "customer");
  }

  subscription(id: unknown): FakeSubscription {
    return found(this.subscriptions, id, "subscription");
  }

  // --- What a person does on Stripe's pages, and time. ---

  /** Pays on a page. The card may be declined: the subscription then stays incomplete, and the page open. */
  pay(sessionId: string, { isDeclined = false, hasMethod = true } = {}): FakeSubscription | undefined {
    const session = found(this.sessions, sessionId, "checkout.session");
    if (session.status !== "open" || session.expires_at <= this.now()) return undefined;
    const customer = this.customer(session.customer);
    Object.assign(customer, { isDeclined, hasMethod });
    if (isDeclined) return undefined;
    session.status = "complete";
    const subscription = this.subscribe(session.customer, session.price, session);
    this.emit("checkout.session.completed", view(session));
    return subscription;
  }

  subscribe(
    customer: string,
    price: string,
    { metadata = {}, trialDays = 0 }: { readonly metadata?: Record<string, string>; readonly trialDays?: number } = {},
  ): FakeSubscription {
    const start = this.now();
    const length = trialDays > 0 ? trialDays * 86_400 : monthSeconds;
    const subscription: FakeSubscription = {
      id: this.id("sub"),
      object: "subscription",
      customer,
      created: start,
      status: trialDays > 0 ? "trialing" : "active",
      price,
      itemId: this.id("si"),
      periodStart: start,
      periodEnd: start + length,
      cancel_at_period_end: false,
      cancel_at: null,
      trial_end: trialDays > 0 ? start + length : null,
      metadata: { ...metadata },
      schedule: null,
    };
    this.subscriptions.set(subscription.id, subscription);
    this.emit("customer.subscription.created", view(subscription));
    this.bill(subscription, trialDays > 0 ? 0 : this.amount(price), { isPaid: true });
    return subscription;
  }

  /** Renews and ends what is due. */
  tick(): void {
    for (const subscription of this.subscriptions.values()) {
      while (isLive(subscription) && subscription.periodEnd <= this.now()) this.#endPeriod(subscription);
    }
  }

  #endPeriod(subscription: FakeSubscription): void {
    const customer = this.customer(subscription.customer);
    const isTrialOver = subscription.status === "trialing";
    if (subscription.cancel_at_period_end || (isTrialOver && !customer.hasMethod)) {
      this.end(subscription);
      return;
    }
    const schedule = subscription.schedule === null ? undefined : this.schedules.get(subscription.schedule);
    const next = schedule?.phases.find(({ start }) => start === subscription.periodEnd);
    if (schedule !== undefined && next !== undefined) {
      subscription.price = next.price;
      schedule.status = "completed";
      subscription.schedule = null;
    }
    subscription.periodStart = subscription.periodEnd;
    subscription.periodEnd += monthSeconds;
    subscription.trial_end = null;
    this.bill(subscription, this.amount(subscription.price), { isPaid: !customer.isDeclined });
    if (customer.isDeclined) subscription.status = "past_due";
    else if (isTrialOver) subscription.status = "active";
    this.emit("customer.subscription.updated", view(subscription));
  }

  /** Stripe has tried for long enough. */
  giveUp(subscription: FakeSubscription): void {
    subscription.status = "unpaid";
    this.emit("customer.subscription.updated", view(subscription));
  }

  /** Settles an invoice, by payment or by the operator's word. */
  settle(invoice: FakeInvoice, status: "paid" | "void" | "uncollectible"): void {
    invoice.status = status;
    invoice.paid_at = status === "paid" ? this.now() : null;
    this.emit(status === "paid" ? "invoice.paid" : "invoice.voided", view(invoice));
    const subscription = this.subscription(invoice.subscription);
    const open = [...this.invoices.values()].filter(
      ({ subscription: id, status }) => id === subscription.id && (status === "open" || status === "uncollectible"),
    );
    if (open.length > 0 || (subscription.status !== "past_due" && subscription.status !== "unpaid")) return;
    subscription.status = "active";
    this.emit("customer.subscription.updated", view(subscription));
  }

  /** Forgets a customer and what they have, so that thousands of lives do not make each other slow. */
  forget(customer: string): void {
    for (const all of [this.subscriptions, this.invoices, this.sessions]) {
      for (const [id, object] of all) if (object.customer === customer) all.delete(id);
    }
    this.customers.delete(customer);
  }

  end(subscription: FakeSubscription): void {
    subscription.status = "canceled";
    subscription.schedule = null;
    this.emit("customer.subscription.deleted", view(subscription));
  }

  bill(
    subscription: FakeSubscription,
    total: number,
    { isPaid, isProration = false }: { readonly isPaid: boolean; readonly isProration?: boolean },
  ): FakeInvoice {
    const invoice: FakeInvoice = {
      id: this.id("in"),
      object: "invoice",
      number: `FAKE-${String(this.invoices.size + 1).padStart(4, "0")}`,
      customer: subscription.customer,
      subscription: subscription.id,
      created: this.now(),
      status: isPaid ? "paid" : "open",
      total,
      paid_at: isPaid ? this.now() : null,
      start: subscription.periodStart,
      end: subscription.periodEnd,
      description: `1 × ${subscription.price}`,
      isProration,
    };
    this.invoices.set(invoice.id, invoice);
    this.emit(isPaid ? "invoice.paid" : "invoice.payment_failed", view(invoice));
    return invoice;
  }

  amount(price: string): number {
    const amount = this.prices.get(price);
    if (amount === undefined) throw missing("price", price);
    return amount;
  }

  // --- What calls change. ---

  updateSubscription(id: string, params: Params): FakeSubscription {
    const subscription = this.subscription(id);
    if (!isLive(subscription))
      throw new StripeRefusal(
        400,
        invalid("A canceled subscription can only update its cancellation_details and metadata."),
      );
    const isCancelation = params.cancel_at_period_end !== undefined || params.cancel_at !== undefined;
    if (subscription.schedule !== null && isCancelation)
      throw new StripeRefusal(400, invalid("The subscription is managed by the subscription schedule"));
    const [item] = Object.values(Object(params.items));
    const { price, id: itemId } = Object(item);
    if (price !== undefined) this.#switch(subscription, String(price), String(itemId), params);
    if (params.cancel_at_period_end !== undefined)
      subscription.cancel_at_period_end = params.cancel_at_period_end === "true";
    if (params.cancel_at === "") subscription.cancel_at = null;
    subscription.metadata = { ...subscription.metadata, ...Object(params.metadata) };
    this.emit("customer.subscription.updated", view(subscription));
    return subscription;
  }

  #switch(subscription: FakeSubscription, price: string, itemId: string, params: Params): void {
    if (itemId !== subscription.itemId) throw missing("subscription_item", itemId);
    const difference = this.amount(price) - this.amount(subscription.price);
    const left = (subscription.periodEnd - this.now()) / (subscription.periodEnd - subscription.periodStart);
    const isBilled = params.proration_behavior === "always_invoice" && subscription.status !== "trialing";
    if (isBilled && difference !== 0) {
      const isDeclined = this.customer(subscription.customer).isDeclined;
      if (isDeclined && params.payment_behavior === "error_if_incomplete")
        throw new StripeRefusal(402, {
          type: "card_error",
          code: "card_declined",
          decline_code: "generic_decline",
          message: "Your card was declined.",
        });
      this.bill(subscription, Math.round(difference * left), { isPaid: !isDeclined, isProration: true });
    }
    subscription.price = price;
  }

  createCheckout(params: Params): FakeSession {
    const customer = this.customer(params.customer);
    const [line] = Object.values(Object(params.line_items));
    const price = String(Object(line).price);
    this.amount(price);
    const expires_at = Number(params.expires_at);
    if (expires_at < this.now() + 1_800 || expires_at > this.now() + 86_400)
      throw new StripeRefusal(
        400,
        invalid("expires_at must be between 30 minutes and 24 hours from now", "expires_at"),
      );
    const { metadata = {}, trial_period_days: trialDays = 0 } = Object(params.subscription_data);
    const id = this.id("cs_test");
    const session: FakeSession = {
      id,
      object: "checkout.session",
      customer: customer.id,
      url: `https://checkout.stripe.com/c/pay/${id}#fid`,
      expires_at,
      price,
      metadata,
      trialDays: Number(trialDays),
      status: "open",
    };
    this.sessions.set(id, session);
    return session;
  }

  expireCheckout(id: string): FakeSession {
    const session = found(this.sessions, id, "checkout.session");
    if (session.status !== "open")
      throw new StripeRefusal(400, invalid(`Only Checkout Sessions with a status in ["open"] can be expired.`));
    session.status = "expired";
    this.emit("checkout.session.expired", view(session));
    return session;
  }

  createSchedule(params: Params): FakeSchedule {
    const subscription = this.subscription(params.from_subscription);
    if (subscription.schedule !== null || !isLive(subscription))
      throw new StripeRefusal(400, invalid("You cannot migrate a subscription that is already attached to a schedule"));
    const { periodStart: start, periodEnd: end, price } = subscription;
    const schedule: FakeSchedule = {
      id: this.id("sub_sched"),
      object: "subscription_schedule",
      subscription: subscription.id,
      status: "active",
      phases: [{ start, end, price }],
    };
    this.schedules.set(schedule.id, schedule);
    subscription.schedule = schedule.id;
    this.emit("customer.subscription.updated", view(subscription));
    return schedule;
  }

  updateSchedule(id: string, params: Params): FakeSchedule {
    const schedule = found(this.schedules, id, "subscription_schedule");
    schedule.phases = Object.values(Object(params.phases)).map((phase) => {
      const { start_date, end_date, items } = Object(phase);
      const [item] = Object.values(Object(items));
      const price = String(Object(item).price);
      this.amount(price);
      const start = Number(start_date);
      return { start, end: end_date === undefined ? start + monthSeconds : Number(end_date), price };
    });
    return schedule;
  }

  releaseSchedule(id: string): FakeSchedule {
    const schedule = found(this.schedules, id, "subscription_schedule");
    if (schedule.status !== "active") throw new StripeRefusal(400, invalid("The schedule is not active"));
    schedule.status = "released";
    const subscription = this.subscription(schedule.subscription);
    subscription.schedule = null;
    this.emit("customer.subscription.updated", view(subscription));
    return schedule;
  }

  // --- What calls are answered. ---

  subscriptionJson(subscription: FakeSubscription): Params {
    const { id, object, customer, created, status, price, itemId, periodStart, periodEnd, schedule, ...rest } =
      subscription;
    const item = {
      id: itemId,
      object: "subscription_item",
      current_period_start: periodStart,
      current_period_end: periodEnd,
      price: { id: price, object: "price" },
      quantity: 1,
    };
    const held = schedule === null ? undefined : this.schedules.get(schedule);
    return {
      ...{ id, object, customer, created, status, ...rest },
      items: { object: "list", data: [item], has_more: false },
      schedule: held === undefined ? null : scheduleJson(held),
    };
  }
}

/** A schedule as calls are answered. */
export function scheduleJson({ id, object, status, subscription, phases }: FakeSchedule): Params {
  const shown = phases.map(({ start, end, price }) => ({
    start_date: start,
    end_date: end,
    items: [{ price, quantity: 1 }],
  }));
  return { id, object, status, subscription, phases: shown };
}

/** An invoice as calls are answered. */
export function invoiceJson(invoice: FakeInvoice): Params {
  const { id, object, number, customer, created, status, total, paid_at, start, end, description } = invoice;
  const line = {
    id: `il_${id}`,
    object: "line_item",
    amount: total,
    description,
    quantity: 1,
    period: { start, end },
    parent: {
      type: "subscription_item_details",
      subscription_item_details: { proration: invoice.isProration },
      invoice_item_details: null,
    },
  };
  return {
    ...{ id, object, number, customer, created, status, total, subtotal: total, currency: "usd" },
    amount_remaining: status === "paid" ? 0 : total,
    // Stripe's own period is the one before.
    ...{ period_start: created, period_end: created, due_date: null },
    hosted_invoice_url: `https://invoice.stripe.com/i/${id}`,
    status_transitions: { finalized_at: created, paid_at },
    parent: { type: "subscription_details", subscription_details: { subscription: invoice.subscription } },
    lines: { object: "list", data: [line], has_more: false },
  };
}

/** What an event shows of an object: enough to know whose it is, and nothing that anybody may believe. */
function view({ id, object, customer }: { readonly id: string; readonly object: string; readonly customer: string }) {
  return { id, object, customer, status: "whatever an event says is not believed" };
}

function isLive({ status }: FakeSubscription): boolean {
  return status !== "canceled" && status !== "incomplete_expired";
}

function found<T>(all: ReadonlyMap<string, T>, id: unknown, what: string): T {
  const object = all.get(String(id));
  if (object === undefined) throw missing(what, String(id));
  return object;
}

function missing(what: string, id: string): StripeRefusal {
  return new StripeRefusal(404, {
    type: "invalid_request_error",
    code: "resource_missing",
    message: `No such ${what}: '${id}'`,
  });
}

function invalid(message: string, param?: string) {
  return { type: "invalid_request_error", message, ...(param !== undefined && { param }) };
}
