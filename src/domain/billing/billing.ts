// Plans as customers buy, change and end them, at the provider of this installation.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, notFound, validationFailed } from "../../kit/fault/fault.ts";
import { isLoopback } from "../../kit/net/host.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import { type InvoiceStatus, type InvoiceWithLines, listInvoices, readInvoice } from "../../store/billing/invoice.ts";
import { findSubscription } from "../../store/billing/subscription.ts";
import type { Database } from "../../store/connection/database.ts";
import { findOrganization } from "../../store/tenancy/organization.ts";
import { retentionDays } from "../telemetry/retention.ts";
import type { BillingMode } from "./advice.ts";
import { invoiceDocument } from "./invoice-document.ts";
import { LocalProvider, localPrices } from "./local-provider.ts";
import { monthlyLimit, type Plan, planFeatures, planNames, plans } from "./plan.ts";
import type { BillingProvider, OpenedPage, PlanWish, Price } from "./provider.ts";
import { isBought } from "./purchase-rule.ts";
import { isHeldByOperator } from "./standing.ts";
import type { SubscriptionTerms } from "./subscription.ts";
import { readSummary, type Summary } from "./summary.ts";

/** What the service needs. */
export interface BillingOptions extends SubscriptionTerms {
  readonly mode: BillingMode;
  /** Address of the control plane, without a slash at its end. */
  readonly publicUrl: string;
}

/** A plan as an organization sees it. */
export interface PlanView {
  readonly id: Plan;
  readonly displayName: string;
  readonly evaluationsPerMonth: number | null;
  readonly price: Price | null;
  readonly features: readonly string[];
  readonly traceRetentionDays: number;
  readonly isCurrent: boolean;
  readonly canCheckout: boolean;
}

/** Buys, changes and ends plans. */
export class Billing {
  readonly #database: Database;
  readonly #options: BillingOptions;
  /** Undefined where nothing is sold. */
  readonly #provider: BillingProvider | undefined;

  /** `stripe` is the provider of the mode "stripe". */
  constructor(database: Database, options: BillingOptions, stripe?: BillingProvider) {
    this.#database = database;
    this.#options = options;
    this.#provider = options.mode === "stub" ? new LocalProvider(database, options) : stripe;
  }

  /** How the organization stands. */
  summary({ orgId }: Caller): Promise<Summary> {
    return this.#database.read(orgId, readSummary);
  }

  /** The plans, the smallest first. */
  async plans({ orgId }: Caller): Promise<PlanView[]> {
    const provider = this.#provider;
    const prices = (await provider?.prices()) ?? {};
    return this.#database.read(orgId, async (tx) => {
      const organization = await findOrganization(tx);
      const subscription = await findSubscription(tx);
      const isHeld = isHeldByOperator(organization, tx.now);
      return plans.map((plan) => {
        const isCurrent = organization.plan === plan;
        const canBuy = provider !== undefined && !isBought(subscription, provider) && !isHeld && provider.sells(plan);
        return {
          ...planView(plan, prices),
          evaluationsPerMonth: monthlyLimit(isCurrent ? organization : { plan }),
          isCurrent,
          canCheckout: canBuy && !isCurrent,
        };
      });
    });
  }

  /** A plan of the local pages, as nobody in particular sees it. */
  plan(plan: Plan): PlanView {
    return planView(plan, localPrices(this.#options));
  }

  /** A page of the invoices, newest first, and how many there are. */
  invoices(
    { orgId }: Caller,
    { status, ...page }: Page & { readonly status?: InvoiceStatus | undefined },
  ): Promise<[InvoiceWithLines[], number]> {
    return this.#database.read(orgId, (tx) => listInvoices(tx, { ...page, ...(status !== undefined && { status }) }));
  }

  /** An invoice as a page of HTML. */
  document({ orgId }: Caller, id: string): Promise<string> {
    return this.#database.read(orgId, async (tx) => {
      const found = await readInvoice(tx, id);
      if (found === undefined) throw notFound("invoice");
      return invoiceDocument(found, await findOrganization(tx));
    });
  }

  /** Begins to buy a plan: returns the page to pay on. Another open checkout of the organization ends. */
  async checkout(
    caller: Caller,
    input: { readonly plan: Plan; readonly successUrl?: string | undefined; readonly cancelUrl?: string | undefined },
  ): Promise<OpenedPage> {
    const provider = this.#seller();
    const successUrl = this.#readUrl(input.successUrl, "success_url");
    const cancelUrl = this.#readUrl(input.cancelUrl, "cancel_url");
    return provider.checkout(caller, { plan: input.plan, successUrl, cancelUrl });
  }

  /** Changes the plan of a subscription. */
  async changePlan(caller: Caller, wish: PlanWish): Promise<Summary> {
    return this.#seller().changePlan(caller, wish);
  }

  /** Cancels the subscription, with the period or at once. */
  async cancel(caller: Caller, options: { readonly atPeriodEnd: boolean }): Promise<Summary> {
    return this.#seller().cancel(caller, options);
  }

  /** Returns the page on which invoices are settled and payments managed. */
  async openPortal(caller: Caller, { returnUrl }: { readonly returnUrl?: string | undefined }): Promise<OpenedPage> {
    const provider = this.#seller();
    return provider.openPortal(caller, this.#readUrl(returnUrl, "return_url"));
  }

  #seller(): BillingProvider {
    if (this.#provider !== undefined) return this.#provider;
    const message = "nothing is sold here: the operator of this installation sets the plan";
    throw new Fault(Reason.BILLING_UNAVAILABLE, message);
  }

  #readUrl(url: string | undefined, field: string): string | null {
    if (url === undefined || url === "") return null;
    const own = new URL(this.#options.publicUrl);
    const read = URL.canParse(url) ? new URL(url) : undefined;
    const isPlain = read?.username === "" && read.password === "";
    if (read !== undefined && isPlain && isSamePlace(read, own)) return read.href;
    throw validationFailed([{ field, message: `expected an address that begins with ${own.origin}/ (PUBLIC_URL)` }]);
  }
}

/** A machine calls itself by several names: 127.0.0.1 and localhost lead to the same listener. */
function isSamePlace(one: URL, other: URL): boolean {
  if (one.origin === other.origin) return true;
  const isHere = [one, other].every(({ hostname }) => isLoopback(hostname.replace(/^\[|\]$/g, "")));
  return isHere && one.protocol === other.protocol && one.port === other.port;
}

function planView(plan: Plan, prices: Readonly<Partial<Record<Plan, Price>>>): PlanView {
  return {
    id: plan,
    displayName: planNames[plan],
    evaluationsPerMonth: monthlyLimit({ plan }),
    price: prices[plan] ?? null,
    features: planFeatures[plan],
    traceRetentionDays: retentionDays[plan],
    isCurrent: false,
    canCheckout: false,
  };
}
