// Plans as customers buy, change and end them. Local pages stand in for a payment provider, so that the whole flow
// works on any machine.

import { randomBytes } from "node:crypto";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { tokenDigest } from "../../kit/crypto/token.ts";
import { Fault, notFound, validationFailed } from "../../kit/fault/fault.ts";
import { newId } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import { CheckoutRow, endCheckouts } from "../../store/billing/checkout.ts";
import { type InvoiceStatus, type InvoiceWithLines, listInvoices, readInvoice } from "../../store/billing/invoice.ts";
import { findSubscription, type SubscriptionRow } from "../../store/billing/subscription.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { findOrganization, lockBilling } from "../../store/tenancy/organization.ts";
import { retentionDays } from "../telemetry/retention.ts";
import type { BillingMode } from "./advice.ts";
import { invoiceDocument } from "./invoice-document.ts";
import { comparePlans, monthlyLimit, type Plan, planFeatures, planNames, plans } from "./plan.ts";
import { operatorPlanOf } from "./standing.ts";
import {
  cancelWithPeriod,
  endSubscription,
  enlarge,
  isLive,
  revive,
  type SubscriptionTerms,
  settle,
} from "./subscription.ts";
import { readSummary, type Summary } from "./summary.ts";

/** How long a page to pay on works. */
export const pageLifeMs = 30 * 60_000;

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
  readonly price: { readonly currency: string; readonly amountMinor: number } | null;
  readonly features: readonly string[];
  readonly traceRetentionDays: number;
  readonly isCurrent: boolean;
  readonly canCheckout: boolean;
}

/** A page for a person, by its address. */
export interface OpenedPage {
  readonly id: string;
  readonly url: string;
  readonly provider: "stub";
  readonly expiresAt: Date;
}

/** Buys, changes and ends plans. */
export class Billing {
  readonly #database: Database;
  readonly #options: BillingOptions;

  constructor(database: Database, options: BillingOptions) {
    this.#database = database;
    this.#options = options;
  }

  /** How the organization stands. */
  summary({ orgId }: Caller): Promise<Summary> {
    return this.#database.read(orgId, readSummary);
  }

  /** The plans, the smallest first. */
  plans({ orgId }: Caller): Promise<PlanView[]> {
    return this.#database.read(orgId, async (tx) => {
      const organization = await findOrganization(tx);
      const subscription = await findSubscription(tx);
      const isHeld = isHeldByOperator(organization, tx.now);
      return plans.map((plan) => {
        const isCurrent = organization.plan === plan;
        const canBuy = !isLive(subscription) && !isHeld && this.#isSold(plan);
        return {
          ...this.plan(plan),
          evaluationsPerMonth: monthlyLimit(isCurrent ? organization : { plan }),
          isCurrent,
          canCheckout: canBuy && !isCurrent,
        };
      });
    });
  }

  /** A plan as nobody in particular sees it. */
  plan(plan: Plan): PlanView {
    const { mode, prices } = this.#options;
    const amountMinor = plan === "free" ? 0 : prices.amounts[plan];
    return {
      id: plan,
      displayName: planNames[plan],
      evaluationsPerMonth: monthlyLimit({ plan }),
      price: mode !== "stub" || amountMinor === undefined ? null : { currency: prices.currency, amountMinor },
      features: planFeatures[plan],
      traceRetentionDays: retentionDays[plan],
      isCurrent: false,
      canCheckout: false,
    };
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
    this.#assertSelling();
    const { plan } = input;
    const successUrl = this.#readUrl(input.successUrl, "success_url");
    const cancelUrl = this.#readUrl(input.cancelUrl, "cancel_url");
    return this.#database.transaction(caller, async (tx) => {
      await this.#assertBuyable(tx, plan);
      await endCheckouts(tx);
      return this.#openPage(tx, { kind: "checkout", plan, successUrl, cancelUrl });
    });
  }

  /** Changes the plan of a subscription. */
  async changePlan(
    caller: Caller,
    { plan, when }: { readonly plan: Plan; readonly when?: string | undefined },
  ): Promise<Summary> {
    this.#assertSelling();
    return this.#database.transaction(caller, async (tx) => this.#recorded(tx, () => this.#change(tx, plan, when)));
  }

  /** Cancels the subscription, with the period or at once. */
  async cancel(caller: Caller, { atPeriodEnd }: { readonly atPeriodEnd: boolean }): Promise<Summary> {
    const { mailer } = this.#options;
    this.#assertSelling();
    return this.#database.transaction(caller, async (tx) =>
      this.#recorded(tx, async () => {
        const subscription = await this.#cancelable(tx);
        if (atPeriodEnd) cancelWithPeriod(subscription);
        else await endSubscription(tx, subscription);
        await settle(tx, mailer);
      }),
    );
  }

  /** Returns the page on which invoices are settled and payments managed. */
  async openPortal(caller: Caller, { returnUrl }: { readonly returnUrl?: string | undefined }): Promise<OpenedPage> {
    this.#assertSelling();
    const successUrl = this.#readUrl(returnUrl, "return_url");
    return this.#database.transaction(caller, async (tx) => {
      await lockBilling(tx);
      if ((await findSubscription(tx)) === null) throw conflict("there is no subscription yet; begin with a checkout");
      return this.#openPage(tx, { kind: "portal", plan: null, successUrl, cancelUrl: null });
    });
  }

  async #change(tx: Transaction, plan: Plan, when: string | undefined): Promise<void> {
    const { mailer } = this.#options;
    const subscription = await this.#changeable(tx, plan);
    if (subscription === undefined) return;
    const order = comparePlans(plan, subscription.plan);
    const isNow = (when ?? (order > 0 ? "now" : "period_end")) === "now";
    if (order === 0) {
      subscription.pendingPlan = null;
      revive(subscription);
    } else if (plan === "free") {
      if (isNow) await endSubscription(tx, subscription);
      else cancelWithPeriod(subscription);
    } else if (!isNow) {
      revive(subscription);
      subscription.pendingPlan = plan;
    } else if (order > 0) {
      if (subscription.paymentFails) throw conflict("the payment was declined, so the plan stays; open the portal");
      return enlarge(tx, subscription, plan, this.#options);
    } else {
      revive(subscription);
      subscription.pendingPlan = null;
      subscription.plan = plan;
      return void (await settle(tx, mailer, { isPurchase: true }));
    }
    await settle(tx, mailer);
  }

  /** The subscription that may change to the plan; undefined when there is nothing to change. */
  async #changeable(tx: Transaction, plan: Plan): Promise<SubscriptionRow | undefined> {
    await lockBilling(tx);
    const organization = await findOrganization(tx);
    const subscription = await findSubscription(tx);
    if (!isLive(subscription)) {
      const order = comparePlans(plan, organization.plan);
      if (order === 0) return undefined;
      if (order < 0) throw conflict("the operator of this installation has set the plan, and changes it");
      throw new Fault(Reason.CHECKOUT_REQUIRED, "there is no subscription yet; begin with POST /v1/billing/checkout");
    }
    assertFree(organization, tx.now);
    const isOwing = subscription.status === "past_due" || subscription.status === "blocked";
    if (isOwing && comparePlans(plan, subscription.plan) > 0)
      throw conflict("an invoice is open; settle it in the portal before the plan grows");
    if (subscription.status === "blocked" && plan !== "free" && plan !== subscription.plan)
      throw conflict("the organization is blocked; settle its open invoices in the portal first");
    return subscription;
  }

  async #cancelable(tx: Transaction): Promise<SubscriptionRow> {
    await lockBilling(tx);
    const subscription = await findSubscription(tx);
    if (!isLive(subscription)) throw conflict("there is no subscription to cancel");
    return subscription;
  }

  async #assertBuyable(tx: Transaction, plan: Plan): Promise<void> {
    await lockBilling(tx);
    const organization = await findOrganization(tx);
    if (plan === "free") throw conflict("the plan free needs no checkout; cancel the subscription instead");
    if (isLive(await findSubscription(tx)))
      throw conflict("there is a subscription already; change it with POST /v1/billing/change-plan");
    if (organization.plan === plan) throw conflict(`the organization has the plan ${plan} already`);
    assertFree(organization, tx.now);
    if (!this.#isSold(plan)) throw conflict(`the plan ${plan} is arranged with the operator of this installation`);
  }

  #isSold(plan: Plan): boolean {
    const { mode, prices } = this.#options;
    return plan !== "free" && mode === "stub" && prices.amounts[plan] !== undefined;
  }

  #assertSelling(): void {
    if (this.#options.mode !== "off") return;
    const message = "nothing is sold here: the operator of this installation sets the plan";
    throw new Fault(Reason.BILLING_UNAVAILABLE, message);
  }

  #readUrl(url: string | undefined, field: string): string | null {
    if (url === undefined || url === "") return null;
    const { origin } = new URL(this.#options.publicUrl);
    const read = URL.canParse(url) ? new URL(url) : undefined;
    if (read?.origin === origin && read.username === "" && read.password === "") return read.href;
    throw validationFailed([{ field, message: `expected an address that begins with ${origin}/` }]);
  }

  #openPage(
    tx: Transaction,
    facts: Pick<CheckoutRow, "kind"> & {
      readonly plan: Plan | null;
      readonly successUrl: string | null;
      readonly cancelUrl: string | null;
    },
  ): OpenedPage {
    const id = newId();
    const key = randomBytes(16).toString("base64url");
    const expiresAt = new Date(tx.now.getTime() + pageLifeMs);
    tx.em.create(CheckoutRow, {
      ...facts,
      orgId: tx.orgId,
      id,
      provider: "stub",
      status: "open",
      keyDigest: tokenDigest(key),
      wrongKeys: 0,
      expiresAt,
      createdAt: tx.now,
    });
    tx.changed({ resource: `${facts.kind}/${id}`, before: null, after: auditPage(tx, facts) });
    // Browsers send what follows "#" neither to servers nor as a referrer.
    return { id, url: `${this.#options.publicUrl}/billing/${facts.kind}/${id}#${key}`, provider: "stub", expiresAt };
  }

  async #recorded(tx: Transaction, change: () => Promise<void>): Promise<Summary> {
    const before = auditView(await readSummary(tx));
    await change();
    const summary = await readSummary(tx);
    tx.changed({ resource: `subscription/${tx.orgId}`, before, after: auditView(summary) });
    return summary;
  }
}

/** What the log of evidence says of a subscription. */
export function auditView({ plan, status, pendingPlan, cancelAtPeriodEnd }: Summary) {
  return { plan, status, pending_plan: pendingPlan, cancel_at_period_end: cancelAtPeriodEnd };
}

function isHeldByOperator(organization: Parameters<typeof operatorPlanOf>[0], now: Date): boolean {
  return organization.operatorPlanUntil != null && operatorPlanOf(organization, now) !== null;
}

function assertFree(organization: Parameters<typeof operatorPlanOf>[0], now: Date): void {
  if (!isHeldByOperator(organization, now)) return;
  const until = organization.operatorPlanUntil?.toISOString();
  throw conflict(`the operator of this installation has set the plan until ${until}`);
}

function conflict(message: string): Fault {
  return new Fault(Reason.CONFLICT, message);
}

function auditPage(tx: Transaction, facts: Pick<CheckoutRow, "plan" | "successUrl" | "cancelUrl">) {
  const { plan, successUrl, cancelUrl } = facts;
  const addresses = { success_url: successUrl ?? null, cancel_url: cancelUrl ?? null };
  return { org_id: tx.orgId, plan: plan ?? null, provider: "stub", ...addresses };
}
