// The local pages as a provider: they take no money, and stand in for one that does, so that the whole flow works on
// any machine.

import { randomBytes } from "node:crypto";
import { tokenDigest } from "../../kit/crypto/token.ts";
import { newId } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import { CheckoutRow, endCheckouts } from "../../store/billing/checkout.ts";
import { findSubscription } from "../../store/billing/subscription.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { lockBilling } from "../../store/tenancy/organization.ts";
import { comparePlans, type Plan } from "./plan.ts";
import type { BillingProvider, CheckoutWish, OpenedPage, PlanWish, Price } from "./provider.ts";
import { assertBoughtHere, assertBuyable, cancelable, changeable, conflict } from "./purchase-rule.ts";
import { cancelWithPeriod, endSubscription, enlarge, revive, type SubscriptionTerms, settle } from "./subscription.ts";
import { auditView, readSummary, type Summary } from "./summary.ts";

/** How long a page to pay on works. */
export const pageLifeMs = 30 * 60_000;

/** What the local pages need. */
export interface LocalOptions extends SubscriptionTerms {
  /** Address of the control plane, without a slash at its end. */
  readonly publicUrl: string;
}

/** Sells plans on local pages. */
export class LocalProvider implements BillingProvider {
  readonly name = "stub";
  readonly #database: Database;
  readonly #options: LocalOptions;

  constructor(database: Database, options: LocalOptions) {
    this.#database = database;
    this.#options = options;
  }

  sells(plan: Plan): boolean {
    return plan !== "free" && this.#options.prices.amounts[plan] !== undefined;
  }

  async prices(): Promise<Readonly<Partial<Record<Plan, Price>>>> {
    return localPrices(this.#options);
  }

  checkout(caller: Caller, { plan, ...urls }: CheckoutWish): Promise<OpenedPage> {
    return this.#database.transaction(caller, async (tx) => {
      await assertBuyable(tx, plan, this);
      await endCheckouts(tx);
      return this.#openPage(tx, { kind: "checkout", plan, ...urls });
    });
  }

  changePlan(caller: Caller, { plan, when }: PlanWish): Promise<Summary> {
    return this.#database.transaction(caller, async (tx) => recorded(tx, () => this.#change(tx, plan, when)));
  }

  cancel(caller: Caller, { atPeriodEnd }: { readonly atPeriodEnd: boolean }): Promise<Summary> {
    return this.#database.transaction(caller, async (tx) =>
      recorded(tx, async () => {
        const subscription = await cancelable(tx, this);
        if (atPeriodEnd) cancelWithPeriod(subscription);
        else await endSubscription(tx, subscription);
        await settle(tx, this.#options.mailer);
      }),
    );
  }

  openPortal(caller: Caller, successUrl: string | null): Promise<OpenedPage> {
    return this.#database.transaction(caller, async (tx) => {
      await lockBilling(tx);
      const subscription = await findSubscription(tx);
      if (subscription === null) throw conflict("there is no subscription yet; begin with a checkout");
      assertBoughtHere(subscription, this);
      return this.#openPage(tx, { kind: "portal", plan: null, successUrl, cancelUrl: null });
    });
  }

  async #change(tx: Transaction, plan: Plan, when: string | undefined): Promise<void> {
    const { mailer } = this.#options;
    const subscription = await changeable(tx, plan, this);
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

  #openPage(tx: Transaction, facts: Pick<CheckoutRow, "kind"> & NullablePlan & Omit<CheckoutWish, "plan">): OpenedPage {
    const { id, key, expiresAt } = addPage(tx, { ...facts, provider: this.name, lifeMs: pageLifeMs });
    // Browsers send what follows "#" neither to servers nor as a referrer.
    const url = `${this.#options.publicUrl}/billing/${facts.kind}/${id}#${key}`;
    return { id, url, provider: this.name, expiresAt };
  }
}

interface NullablePlan {
  readonly plan: Plan | null;
}

/** What plans cost on the local pages. */
export function localPrices({ prices }: Pick<LocalOptions, "prices">): Readonly<Partial<Record<Plan, Price>>> {
  const { currency, amounts } = prices;
  const list = Object.entries(amounts).map(([plan, amountMinor]) => [plan, { currency, amountMinor }]);
  return { free: { currency, amountMinor: 0 }, ...Object.fromEntries(list) };
}

/** Adds a page, and says so in the log of evidence. */
export function addPage(
  tx: Transaction,
  {
    lifeMs,
    ...facts
  }: Pick<CheckoutRow, "kind" | "provider"> & NullablePlan & Omit<CheckoutWish, "plan"> & { readonly lifeMs: number },
): { readonly id: string; readonly key: string; readonly expiresAt: Date } {
  const id = newId();
  const key = randomBytes(16).toString("base64url");
  const expiresAt = new Date(tx.now.getTime() + lifeMs);
  tx.em.create(CheckoutRow, {
    ...facts,
    orgId: tx.orgId,
    id,
    status: "open",
    keyDigest: tokenDigest(key),
    wrongKeys: 0,
    expiresAt,
    createdAt: tx.now,
  });
  const { plan, provider, successUrl, cancelUrl } = facts;
  const after = { org_id: tx.orgId, plan, provider, success_url: successUrl, cancel_url: cancelUrl };
  tx.changed({ resource: `${facts.kind}/${id}`, before: null, after });
  return { id, key, expiresAt };
}

async function recorded(tx: Transaction, change: () => Promise<void>): Promise<Summary> {
  const before = auditView(await readSummary(tx));
  await change();
  const summary = await readSummary(tx);
  tx.changed({ resource: `subscription/${tx.orgId}`, before, after: auditView(summary) });
  return summary;
}
