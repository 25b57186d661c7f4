// Stripe as the provider: pages to pay on and to manage payments are Stripe's own. No call to Stripe is made within a
// transaction.

import type { Caller } from "../../kit/rpc/context.ts";
import { StripeFailure } from "../../platform/stripe/failure.ts";
import type { StripeApi } from "../../platform/stripe/stripe.ts";
import { endCheckouts, findCheckout, listPayable } from "../../store/billing/checkout.ts";
import { findSubscription, type SubscriptionRow } from "../../store/billing/subscription.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { findOrganization, lockBilling } from "../../store/tenancy/organization.ts";
import { addPage, type LocalOptions, LocalProvider } from "./local-provider.ts";
import { comparePlans, type Plan } from "./plan.ts";
import type { BillingProvider, CheckoutWish, OpenedPage, PlanWish, Price } from "./provider.ts";
import { type ProviderChanges, providerUnavailable } from "./provider-change.ts";
import type { ProviderSync } from "./provider-sync.ts";
import { assertBuyable, cancelable, changeable, conflict, isBought } from "./purchase-rule.ts";
import { isPriced } from "./stripe-plan.ts";
import { requireSubscription } from "./subscription.ts";
import { auditView, readSummary, type Summary } from "./summary.ts";

/** What the provider works with. */
export interface StripeProviderParts {
  readonly api: StripeApi;
  readonly sync: ProviderSync;
  readonly changes: ProviderChanges;
  readonly options: LocalOptions;
}

/** What a checkout needs to know once it is written down. */
interface BegunCheckout {
  readonly id: string;
  readonly expiresAt: Date;
  readonly customerId: string | null;
  readonly name: string;
  readonly email: string | undefined;
  readonly hasTrial: boolean;
  /** Pages of before, on which nobody may pay any more. */
  readonly payable: readonly string[];
}

/** Stripe's own minimum is 30 minutes from the call. */
const checkoutLifeMs = 60 * 60_000;
/** Stripe ends a portal page that nobody has opened by then. */
const portalLifeMs = 5 * 60_000;
const priceLifeMs = 10 * 60_000;

/** Sells plans at Stripe. */
export class StripeProvider implements BillingProvider {
  readonly name = "stripe";
  readonly #database: Database;
  readonly #parts: StripeProviderParts;
  /** For subscriptions of before Stripe was connected. */
  readonly #local: LocalProvider;
  #prices: { readonly until: number; readonly list: Promise<Readonly<Partial<Record<Plan, Price>>>> } | undefined;

  constructor(database: Database, parts: StripeProviderParts) {
    this.#database = database;
    this.#parts = parts;
    this.#local = new LocalProvider(database, parts.options);
  }

  sells(plan: Plan): boolean {
    return isPriced(plan) && this.#parts.api.settings.prices[plan].length > 0;
  }

  /** Prices are Stripe's own, and asked for now and then. A price that Stripe does not tell just now is left out. */
  prices(): Promise<Readonly<Partial<Record<Plan, Price>>>> {
    if (this.#prices === undefined || this.#prices.until < performance.now())
      this.#prices = { until: performance.now() + priceLifeMs, list: this.#readPrices() };
    return this.#prices.list;
  }

  async checkout(caller: Caller, wish: CheckoutWish): Promise<OpenedPage> {
    const { plan } = wish;
    const { api, changes, sync, options } = this.#parts;
    const { orgId } = caller;
    return outcomeOf(async () => {
      await changes.finish(orgId);
      const begun = await this.#database.transaction(caller, (tx) => this.#begin(tx, wish));
      const { id, payable, expiresAt, hasTrial } = begun;
      for (const session of payable) await api.expireCheckout(session);
      const customerId = begun.customerId ?? (await this.#customer(orgId));
      const key = `customer:${orgId}:${id}`;
      await api.describeCustomer(customerId, { name: begun.name, email: begun.email, key });
      // Somebody may have paid on one of the pages before it ended.
      if (payable.length > 0) await sync.converge(orgId);
      if (!isPriced(plan)) throw conflict("the plan free needs no checkout");
      const back = `${options.publicUrl}/`;
      const order = { orgId, customerId, plan, expiresAt, hasTrial };
      const urls = { successUrl: wish.successUrl ?? back, cancelUrl: wish.cancelUrl ?? back };
      const page = await api.createCheckout({ ...order, ...urls }, `checkout:${id}`);
      if (!(await this.#keepPage(orgId, id, page.id))) {
        await api.expireCheckout(page.id);
        throw conflict("another checkout, or a payment, was quicker; read the summary and begin again if need be");
      }
      return { id, url: page.url, provider: this.name, expiresAt };
    });
  }

  async changePlan(caller: Caller, { plan, when }: PlanWish): Promise<Summary> {
    const { changes } = this.#parts;
    return this.#changed(caller, async (tx) => {
      const subscription = await changeable(tx, plan, this);
      if (subscription === undefined) return undefined;
      const order = comparePlans(plan, subscription.plan);
      const isNow = (when ?? (order > 0 ? "now" : "period_end")) === "now";
      if (order === 0) return changes.add(tx, subscription, { kind: "keep" });
      if (plan === "free") return changes.add(tx, subscription, { kind: isNow ? "end" : "cancel" });
      return changes.add(tx, subscription, { kind: isNow ? "switch" : "switch_later", plan });
    });
  }

  async cancel(caller: Caller, { atPeriodEnd }: { readonly atPeriodEnd: boolean }): Promise<Summary> {
    const { changes } = this.#parts;
    const known = await this.#database.read(caller.orgId, findSubscription);
    if (known?.provider === "stub") return this.#local.cancel(caller, { atPeriodEnd });
    return this.#changed(caller, async (tx) => {
      const subscription = await cancelable(tx, this);
      return changes.add(tx, subscription, { kind: atPeriodEnd ? "cancel" : "end" });
    });
  }

  async openPortal(caller: Caller, returnUrl: string | null): Promise<OpenedPage> {
    const { api, options } = this.#parts;
    const opened = await this.#database.transaction(caller, async (tx) => {
      await lockBilling(tx);
      const customerId = (await findSubscription(tx))?.customerId;
      if (customerId == null) throw conflict("there is no subscription yet; begin with a checkout");
      const urls = { successUrl: returnUrl, cancelUrl: null };
      return {
        customerId,
        ...addPage(tx, { kind: "portal", plan: null, provider: this.name, ...urls, lifeMs: portalLifeMs }),
      };
    });
    const { id, expiresAt, customerId } = opened;
    const back = returnUrl ?? `${options.publicUrl}/`;
    return outcomeOf(async () => {
      const url = await api.openPortal(customerId, back, `portal:${id}`);
      return { id, url, provider: this.name, expiresAt };
    });
  }

  /** Writes the wish down, makes it so, and returns how the organization stands then. */
  async #changed(caller: Caller, decide: (tx: Transaction) => Promise<string | undefined>): Promise<Summary> {
    const { changes } = this.#parts;
    const { orgId } = caller;
    return outcomeOf(async () => {
      await changes.finish(orgId);
      const id = await this.#database.transaction(caller, async (tx) => {
        const before = auditView(await readSummary(tx));
        const intent = await decide(tx);
        // The result follows as a change of its own, when Stripe has confirmed it.
        const after = { ...before, intent: intent ?? null };
        tx.changed({ resource: `subscription/${orgId}`, before, after });
        return intent;
      });
      if (id !== undefined) await changes.run(orgId, id);
      return this.#database.read(orgId, readSummary);
    });
  }

  async #begin(tx: Transaction, wish: CheckoutWish): Promise<BegunCheckout> {
    await assertBuyable(tx, wish.plan, this);
    const payable = await listPayable(tx);
    await endCheckouts(tx);
    const page = addPage(tx, { ...wish, kind: "checkout", provider: this.name, lifeMs: checkoutLifeMs });
    const { name, billingEmail } = await findOrganization(tx);
    const known: SubscriptionRow | null = await findSubscription(tx);
    return {
      ...page,
      payable,
      name,
      email: billingEmail ?? undefined,
      customerId: known?.customerId ?? null,
      // One trial for each organization: whoever had a subscription at Stripe had it.
      hasTrial: this.#parts.api.settings.trialDays > 0 && known?.readAt == null,
    };
  }

  /** Makes the organization a customer, once. */
  async #customer(orgId: string): Promise<string> {
    const id = await this.#parts.api.createCustomer(orgId);
    return this.#database.systemTransaction(orgId, async (tx) => {
      await lockBilling(tx);
      const subscription = await requireSubscription(tx, this.name);
      subscription.customerId ??= id;
      return subscription.customerId;
    });
  }

  /** Notes the page of Stripe, unless the checkout has ended, or something was bought, in the meantime. */
  #keepPage(orgId: string, id: string, sessionId: string): Promise<boolean> {
    return this.#database.systemTransaction(orgId, async (tx) => {
      await lockBilling(tx);
      const checkout = await findCheckout(tx, id);
      if (checkout?.status !== "open" || isBought(await findSubscription(tx), this)) return false;
      checkout.sessionId = sessionId;
      return true;
    });
  }

  async #readPrices(): Promise<Readonly<Partial<Record<Plan, Price>>>> {
    const { api } = this.#parts;
    const prices: Partial<Record<Plan, Price>> = {};
    for (const [plan, [priceId]] of Object.entries(api.settings.prices)) {
      const price = priceId === undefined ? undefined : await api.readPrice(priceId).catch(() => undefined);
      // Asked again by the next call.
      if (price === undefined && priceId !== undefined) this.#prices = undefined;
      if (price?.amountMinor == null) continue;
      prices[plan as Plan] = { currency: price.currency, amountMinor: price.amountMinor }; // a key of the prices
    }
    return prices;
  }
}

/** The result, or what callers are told when Stripe fails: its own words are for the log. */
async function outcomeOf<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StripeFailure ? providerUnavailable(error) : error;
  }
}
