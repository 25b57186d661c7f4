// The calls to Stripe that billing makes, through its own library. Each write has an idempotency key, so that a
// repeated one takes effect once.

import type Stripe from "stripe";
import type { Outbound } from "../../kit/net/outbound/client.ts";
import type { Clock } from "../../kit/process/clock.ts";
import { type CustomerFacts, invoiceFacts, subscriptionFacts } from "./facts.ts";
import { failureOf, StripeFailure } from "./failure.ts";
import { createStripeHttpClient } from "./http-client.ts";
import type { PricedPlan, StripeSettings } from "./settings.ts";

/** What a connection is made from. */
export interface StripeParts {
  readonly settings: StripeSettings;
  readonly outbound: Outbound;
  readonly clock: Clock;
  /** Called after each call, with its result. */
  readonly onCall?: (call: { readonly operation: string; readonly result: string }) => void;
  /** How often the library repeats a call by itself, with the same idempotency key. */
  readonly maxRetries?: number;
}

/** A page for a person to pay on. */
export interface CheckoutOrder {
  readonly orgId: string;
  readonly customerId: string;
  readonly plan: PricedPlan;
  readonly successUrl: string;
  readonly cancelUrl: string;
  readonly expiresAt: Date;
  readonly hasTrial: boolean;
}

/** An event, of which nothing is believed but that something happened to this customer. */
export interface StripeEvent {
  readonly id: string;
  readonly type: string;
  readonly customerId: string | undefined;
}

/** Changes of a subscription, as the library takes them. */
export type SubscriptionChanges = Stripe.SubscriptionUpdateParams;
/** Changes of a schedule, as the library takes them. */
export type ScheduleChanges = Stripe.SubscriptionScheduleUpdateParams;

/** What a price costs. */
export interface PriceFacts {
  readonly currency: string;
  /** Null for a price that is not a fixed amount. */
  readonly amountMinor: number | null;
}

const timeoutMs = 10_000;
const usualRetries = 2;
/** How old a signature may be, in seconds: what Stripe recommends. */
const signatureAgeSeconds = 300;
/** More than anybody has. What is beyond is older than the rest. */
const maxListed = 100;

/** A connection to Stripe. */
export class StripeApi {
  readonly settings: StripeSettings;
  readonly #parts: StripeParts;
  #client: Promise<Stripe> | undefined;

  constructor(parts: StripeParts) {
    this.settings = parts.settings;
    this.#parts = parts;
  }

  /** Creates the customer of an organization, or returns the one that the same key has created. */
  async createCustomer(orgId: string): Promise<string> {
    const options = { idempotencyKey: `customer:${orgId}` };
    const { id } = await this.#call("create customer", (stripe) =>
      stripe.customers.create({ metadata: { policy_guard_org: orgId } }, options),
    );
    return id;
  }

  /** Says who the customer is. */
  async describeCustomer(
    id: string,
    { name, email, key }: { readonly name: string; readonly email: string | undefined; readonly key: string },
  ): Promise<void> {
    const facts = { name, ...(email !== undefined && { email }) };
    await this.#call("update customer", (stripe) => stripe.customers.update(id, facts, { idempotencyKey: key }));
  }

  /** Everything about a customer's subscriptions, and its newest invoices. */
  async readCustomer(id: string): Promise<CustomerFacts> {
    const [subscriptions, invoices] = await this.#call("read customer", (stripe) =>
      Promise.all([
        stripe.subscriptions.list({ customer: id, status: "all", limit: maxListed, expand: ["data.schedule"] }),
        stripe.invoices.list({ customer: id, limit: maxListed }),
      ]),
    );
    return {
      subscriptions: subscriptions.data.flatMap((subscription) => subscriptionFacts(subscription) ?? []),
      invoices: invoices.data.flatMap((invoice) => invoiceFacts(invoice) ?? []),
    };
  }

  /** Opens a page to pay on. */
  async createCheckout(order: CheckoutOrder, key: string): Promise<{ readonly id: string; readonly url: string }> {
    const { id, url } = await this.#call("create checkout", (stripe) =>
      stripe.checkout.sessions.create(checkoutParams(order, this.settings), { idempotencyKey: key }),
    );
    if (url === null) throw new StripeFailure("create checkout", "refused", ["the session has no address"]);
    return { id, url };
  }

  /** Ends a page to pay on. One that is paid or has ended stays as it is. */
  async expireCheckout(id: string): Promise<void> {
    const options = { idempotencyKey: `expire:${id}` };
    await this.#call("expire checkout", (stripe) => stripe.checkout.sessions.expire(id, {}, options)).catch(
      unless("refused", "missing"),
    );
  }

  /** Opens the page on which a customer manages payments. */
  async openPortal(customerId: string, returnUrl: string, key: string): Promise<string> {
    const { url } = await this.#call("open portal", (stripe) =>
      stripe.billingPortal.sessions.create({ customer: customerId, return_url: returnUrl }, { idempotencyKey: key }),
    );
    return url;
  }

  /** Changes a subscription. */
  async updateSubscription(id: string, changes: SubscriptionChanges, key: string): Promise<void> {
    await this.#call("update subscription", (stripe) =>
      stripe.subscriptions.update(id, changes, { idempotencyKey: key }),
    );
  }

  /** Ends a subscription at once. One that has ended stays as it is. */
  async endSubscription(id: string, key: string): Promise<void> {
    const params = { invoice_now: false, prorate: false };
    await this.#call("cancel subscription", (stripe) =>
      stripe.subscriptions.cancel(id, params, { idempotencyKey: key }),
    ).catch(unless("missing"));
  }

  /** Puts a subscription under a schedule that has one phase: the present one. */
  async createSchedule(subscriptionId: string, key: string): Promise<void> {
    await this.#call("create schedule", (stripe) =>
      stripe.subscriptionSchedules.create({ from_subscription: subscriptionId }, { idempotencyKey: key }),
    );
  }

  /** Sets what the phases of a schedule are. */
  async updateSchedule(id: string, changes: ScheduleChanges, key: string): Promise<void> {
    await this.#call("update schedule", (stripe) =>
      stripe.subscriptionSchedules.update(id, changes, { idempotencyKey: key }),
    );
  }

  /** Takes a schedule off its subscription, which stays as it is. */
  async releaseSchedule(id: string, key: string): Promise<void> {
    await this.#call("release schedule", (stripe) =>
      stripe.subscriptionSchedules.release(id, {}, { idempotencyKey: key }),
    );
  }

  /** What a price costs. */
  async readPrice(id: string): Promise<PriceFacts> {
    const { currency, unit_amount } = await this.#call("read price", (stripe) => stripe.prices.retrieve(id));
    return { currency: currency.toUpperCase(), amountMinor: unit_amount };
  }

  /** The events since a moment, the newest first. Stripe keeps them for 30 days. */
  async *listEvents(since: Date): AsyncGenerator<StripeEvent> {
    const created = { gte: Math.floor(since.getTime() / 1_000) };
    for (let after: string | undefined; ; ) {
      const query = { created, limit: maxListed, ...(after !== undefined && { starting_after: after }) };
      const page = await this.#call("list events", (stripe) => stripe.events.list(query));
      for (const event of page.data) yield eventOf(event);
      after = page.data.at(-1)?.id;
      if (!page.has_more || after === undefined) return;
    }
  }

  /** The event that a signed body tells of; undefined when no secret of ours has signed these bytes just now. */
  async readEvent(body: Uint8Array, signature: string): Promise<StripeEvent | undefined> {
    const { webhooks } = await this.#library();
    const receivedAt = this.#parts.clock.now().getTime();
    for (const secret of this.settings.webhookSecrets) {
      try {
        const read = webhooks.constructEvent(
          Buffer.from(body),
          signature,
          secret,
          signatureAgeSeconds,
          undefined,
          receivedAt,
        );
        return eventOf(read);
      } catch {
        // Signed by another secret, or by nobody.
      }
    }
    return undefined;
  }

  async #call<T>(operation: string, work: (stripe: Stripe) => Promise<T>): Promise<T> {
    const { onCall } = this.#parts;
    try {
      const answer = await work(await this.#library());
      onCall?.({ operation, result: "done" });
      return answer;
    } catch (error) {
      const failure = failureOf(operation, error);
      onCall?.({ operation, result: failure instanceof StripeFailure ? failure.kind : "failed" });
      throw failure;
    }
  }

  /** Loaded when it is needed: it takes a tenth of a second, and most installations are not connected. */
  #library(): Promise<Stripe> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  async #connect(): Promise<Stripe> {
    const { default: Library } = await import("stripe");
    const { outbound, maxRetries = usualRetries } = this.#parts;
    const { apiUrl, secretKey } = this.settings;
    // Without `apiVersion`, the library asks for the version that its types describe.
    return new Library(secretKey, {
      telemetry: false,
      maxNetworkRetries: maxRetries,
      timeout: timeoutMs,
      protocol: apiUrl.protocol === "http:" ? "http" : "https",
      host: apiUrl.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: apiUrl.port || (apiUrl.protocol === "http:" ? "80" : "443"),
      httpClient: createStripeHttpClient(outbound),
    });
  }
}

function checkoutParams(order: CheckoutOrder, settings: StripeSettings): Stripe.Checkout.SessionCreateParams {
  const { orgId, plan, customerId, expiresAt, hasTrial } = order;
  const metadata = { policy_guard_org: orgId, policy_guard_plan: plan };
  const trial = {
    trial_period_days: settings.trialDays,
    trial_settings: { end_behavior: { missing_payment_method: "cancel" as const } },
  };
  return {
    mode: "subscription",
    customer: customerId,
    client_reference_id: orgId,
    line_items: [{ price: settings.prices[plan][0] ?? "", quantity: 1 }],
    success_url: order.successUrl,
    cancel_url: order.cancelUrl,
    expires_at: Math.floor(expiresAt.getTime() / 1_000),
    metadata,
    subscription_data: { metadata, ...(hasTrial && trial) },
    ...(hasTrial && { payment_method_collection: "if_required" as const }),
    ...(settings.isTaxAutomatic && {
      automatic_tax: { enabled: true },
      customer_update: { address: "auto" as const, name: "auto" as const },
    }),
  };
}

/** Nothing of the object is read but whose it is. */
function eventOf({ id, type, data }: Stripe.Event): StripeEvent {
  const { object, id: objectId, customer } = Object(data.object);
  const owner = object === "customer" ? objectId : (Object(customer).id ?? customer);
  return { id, type, customerId: typeof owner === "string" ? owner : undefined };
}

function unless(...kinds: readonly StripeFailure["kind"][]) {
  return (error: unknown) => {
    if (!(error instanceof StripeFailure) || !kinds.includes(error.kind)) throw error;
  };
}
