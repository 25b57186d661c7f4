// Where plans are bought. There are two: the local pages, which take no money, and Stripe. Billing decides what may be
// asked, a provider makes it so.

import type { Caller } from "../../kit/rpc/context.ts";
import type { BillingProvider as ProviderName } from "../../store/billing/subscription.ts";
import type { Plan } from "./plan.ts";
import type { Summary } from "./summary.ts";

/** What a month costs, in minor units. */
export interface Price {
  readonly currency: string;
  readonly amountMinor: number;
}

/** A page for a person, by its address. */
export interface OpenedPage {
  readonly id: string;
  readonly url: string;
  readonly provider: ProviderName;
  readonly expiresAt: Date;
}

/** What is to be bought, and where the page leads afterwards. */
export interface CheckoutWish {
  readonly plan: Plan;
  readonly successUrl: string | null;
  readonly cancelUrl: string | null;
}

/** The plan to have, and when: now, with the next period, or as it is usual. */
export interface PlanWish {
  readonly plan: Plan;
  readonly when?: string | undefined;
}

/** A way to buy plans. */
export interface BillingProvider {
  readonly name: ProviderName;
  /** Whether the plan can be bought. */
  sells(plan: Plan): boolean;
  /** What plans cost, as far as it is known. */
  prices(): Promise<Readonly<Partial<Record<Plan, Price>>>>;
  /** Opens a page to pay on. Another open checkout of the organization ends. */
  checkout(caller: Caller, wish: CheckoutWish): Promise<OpenedPage>;
  /** Changes the plan of a subscription. */
  changePlan(caller: Caller, wish: PlanWish): Promise<Summary>;
  /** Cancels the subscription, with the period or at once. */
  cancel(caller: Caller, options: { readonly atPeriodEnd: boolean }): Promise<Summary>;
  /** Opens a page on which invoices are settled and payments managed. */
  openPortal(caller: Caller, returnUrl: string | null): Promise<OpenedPage>;
}
