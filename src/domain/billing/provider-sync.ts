// Brings an organization to what Stripe says of it. Stripe is asked outside of any transaction; what it said is written
// only when nobody has read it since, or else it is asked again: an old answer never replaces a newer one.

import type { CustomerFacts } from "../../platform/stripe/facts.ts";
import type { StripeApi } from "../../platform/stripe/stripe.ts";
import { endCheckouts } from "../../store/billing/checkout.ts";
import { putInvoice } from "../../store/billing/invoice.ts";
import { findSubscription, type SubscriptionRow } from "../../store/billing/subscription.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { lockBilling } from "../../store/tenancy/organization.ts";
import { serviceCaller } from "../service-caller.ts";
import { type NoticeMailer, tellBilling } from "./notice.ts";
import { planNames } from "./plan.ts";
import { shownAmount } from "./price.ts";
import { type ProviderState, readState, surplusOf } from "./provider-state.ts";
import { clear, isLive, settle } from "./subscription.ts";
import { auditView, readSummary } from "./summary.ts";

/** What the synchronisation works with. */
export interface SyncParts {
  readonly api: StripeApi;
  readonly graceMs: number;
  readonly mailer: NoticeMailer;
  /** Called for live subscriptions besides the one that counts. */
  readonly onSurplus?: ((surplus: { readonly orgId: string; readonly subscriptionIds: string[] }) => void) | undefined;
}

/** How an organization stood before and after. */
export interface SyncResult {
  readonly orgId: string;
  readonly before: ReturnType<typeof auditView>;
  readonly after: ReturnType<typeof auditView>;
  readonly isChanged: boolean;
}

/** How a look is made. */
export interface SyncOptions {
  /** Takes everything back. */
  readonly isDryRun?: boolean;
  /** Who asked for it, as the log of evidence names them. Default: the service itself. */
  readonly actor?: string;
}

/** Readings in vain, because of others at the same time, after which it is left to a later job. */
const maxReadings = 8;

/** Reads Stripe, and writes what it says. */
export class ProviderSync {
  readonly #database: Database;
  readonly #parts: SyncParts;

  constructor(database: Database, parts: SyncParts) {
    this.#database = database;
    this.#parts = parts;
  }

  /**
   * Brings the organization to what Stripe says. Undefined for one that is no customer. A dry run takes everything back
   * and returns the same.
   */
  async converge(orgId: string, options: SyncOptions = {}): Promise<SyncResult | undefined> {
    for (let i = 0; i < maxReadings; i++) {
      const known = await this.#database.read(orgId, findSubscription);
      if (known?.customerId == null) return undefined;
      const facts = await this.#parts.api.readCustomer(known.customerId);
      const result = await this.#write(orgId, known.readings, facts, options);
      if (result !== undefined) return result;
    }
    throw new Error("an organization's subscription is being read by others over and over");
  }

  /** Writes facts, unless somebody has written others since; undefined then. */
  async #write(
    orgId: string,
    readings: number,
    facts: CustomerFacts,
    { isDryRun = false, actor }: SyncOptions,
  ): Promise<SyncResult | undefined> {
    const service = serviceCaller(orgId, { action: "billing.synchronize", requestId: "", address: "" });
    const author = actor === undefined ? service : { ...service, credential: { id: "operator", label: actor } };
    try {
      return await this.#database.transaction(author, async (tx) => {
        await lockBilling(tx);
        const row = await findSubscription(tx);
        if (row === null || row.readings !== readings) return undefined;
        const before = auditView(await readSummary(tx));
        await this.#apply(tx, row, facts);
        const after = auditView(await readSummary(tx));
        const isChanged = JSON.stringify(before) !== JSON.stringify(after);
        if (isDryRun) throw new TakenBack({ orgId, before, after, isChanged });
        if (isChanged) tx.changed({ resource: `subscription/${orgId}`, before, after });
        return { orgId, before, after, isChanged };
      });
    } catch (error) {
      if (error instanceof TakenBack) return error.result;
      throw error;
    }
  }

  async #apply(tx: Transaction, row: SubscriptionRow, facts: CustomerFacts): Promise<void> {
    const { api, graceMs, mailer, onSurplus } = this.#parts;
    const state = readState(facts, { settings: api.settings, graceMs, now: tx.now, row });
    const surplus = surplusOf(facts);
    if (surplus.length > 0) onSurplus?.({ orgId: tx.orgId, subscriptionIds: surplus.map(({ id }) => id) });
    await putInvoices(tx, facts);
    row.readings += 1;
    row.readAt = tx.now;
    // What was bought on the local pages stays until Stripe has something.
    if (state === undefined && row.provider === "stub") return;
    const before = { isLive: isLive(row), plan: row.plan, standing: standingText(row) };
    put(row, state);
    const isNews = before.standing !== standingText(row);
    if (isNews && state !== undefined && !before.isLive) await endCheckouts(tx);
    const isPurchase = isLive(row) && row.status !== "blocked" && (!before.isLive || before.plan !== row.plan);
    if (isNews) await settle(tx, mailer, { isPurchase });
    await this.#tellOfFailure(tx, state);
  }

  /** Told once of each invoice. */
  async #tellOfFailure(tx: Transaction, state: ProviderState | undefined): Promise<void> {
    if (state?.status !== "past_due" || state.unpaid === undefined || state.graceEndsAt === null) return;
    const { amountDueMinor, currency, id } = state.unpaid;
    const until = state.graceEndsAt.toISOString().slice(0, 16).replace("T", " ");
    await tellBilling(tx, this.#parts.mailer, {
      kind: "payment_failed",
      about: id,
      value: amountDueMinor,
      subject: "a payment failed",
      text: `A payment of ${shownAmount(amountDueMinor, currency)} for the plan ${planNames[state.plan]} was declined. Settle it before ${until} UTC; calls and evaluations are answered 402 from then on.`,
    });
  }
}

/** Thrown to roll back the transaction of a dry run. */
class TakenBack extends Error {
  readonly result: SyncResult;

  constructor(result: SyncResult) {
    super("a dry run is taken back");
    this.result = result;
  }
}

function put(row: SubscriptionRow, state: ProviderState | undefined): void {
  row.provider = "stripe";
  row.paymentFails = false;
  row.providerSubscriptionId = state?.subscriptionId ?? null;
  row.graceInvoice = state?.unpaid?.id ?? null;
  if (state === undefined) {
    clear(row);
    return;
  }
  row.status = state.status;
  row.plan = state.plan;
  row.periodStart = state.periodStart;
  row.periodEnd = state.periodEnd;
  row.cancelAtPeriodEnd = state.cancelAtPeriodEnd;
  row.pendingPlan = state.pendingPlan;
  row.trialEndsAt = state.trialEndsAt;
  row.graceEndsAt = state.graceEndsAt;
}

function standingText(row: SubscriptionRow): string {
  const { provider, status, plan, periodStart, periodEnd, cancelAtPeriodEnd, pendingPlan, ...rest } = row;
  const { trialEndsAt, graceEndsAt, graceInvoice, providerSubscriptionId } = rest;
  return JSON.stringify([
    ...[provider, status, plan, periodStart ?? null, periodEnd ?? null, cancelAtPeriodEnd, pendingPlan ?? null],
    ...[trialEndsAt ?? null, graceEndsAt ?? null, graceInvoice ?? null, providerSubscriptionId ?? null],
  ]);
}

async function putInvoices(tx: Transaction, { invoices }: CustomerFacts): Promise<void> {
  for (const {
    id: providerId,
    subscriptionId: _,
    hostedUrl,
    dueAt,
    paidAt,
    lines,
    ...facts
  } of invoices.toReversed()) {
    const provider = "stripe" as const;
    const addresses = { hostedUrl: hostedUrl ?? null, pageKey: null };
    const moments = { dueAt: dueAt ?? null, paidAt: paidAt ?? null };
    await putInvoice(tx, { ...facts, ...moments, ...addresses, provider, providerId }, lines);
  }
}
