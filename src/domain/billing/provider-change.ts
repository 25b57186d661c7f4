// Changes of subscriptions at Stripe. What is wanted is written down first, in the transaction that decided it; then
// Stripe is called, step by step; then the result is written. Whatever a crash or an answer that never came leaves
// open is finished by the worker, or by the next change, whichever comes first.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { Logger } from "../../kit/observability/log.ts";
import { type BackOff, backOffMs } from "../../kit/process/back-off.ts";
import type { Clock } from "../../kit/process/clock.ts";
import { newId } from "../../kit/process/id.ts";
import { StripeFailure } from "../../platform/stripe/failure.ts";
import type { StripeApi } from "../../platform/stripe/stripe.ts";
import {
  BillingIntentRow,
  findIntent,
  findOpenIntent,
  type IntentKind,
  lookUpDueIntents,
} from "../../store/billing/billing-intent.ts";
import { findSubscription, type SubscriptionRow } from "../../store/billing/subscription.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { lockBilling } from "../../store/tenancy/organization.ts";
import type { Plan } from "./plan.ts";
import { nextStep, type Step } from "./provider-goal.ts";
import type { ProviderSync } from "./provider-sync.ts";
import { conflict } from "./purchase-rule.ts";

/** What changes work with. */
export interface ChangeParts {
  readonly api: StripeApi;
  readonly sync: ProviderSync;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How an intent ended, or that it has not. */
type Outcome = "done" | "declined" | "refused" | "open";

/** The call that made the change has this long before the worker looks after it. */
const firstDueMs = 60_000;
const backOff: BackOff = { baseMs: 30_000, maxMs: 3_600_000, jitter: "full" };
/** Stripe remembers idempotency keys for 24 hours. What is not done some hours before is given up. */
const giveUpMs = 20 * 3_600_000;
/** More steps than any goal has. */
const maxSteps = 6;
const batch = 100;

/** Makes changes at Stripe. */
export class ProviderChanges {
  readonly #database: Database;
  readonly #parts: ChangeParts;

  constructor(database: Database, parts: ChangeParts) {
    this.#database = database;
    this.#parts = parts;
  }

  /** Writes down what is wanted of the subscription. `run` does it after the commit. */
  async add(
    tx: Transaction,
    subscription: SubscriptionRow,
    { kind, plan = null }: { readonly kind: IntentKind; readonly plan?: Plan | null },
  ): Promise<string> {
    if ((await findOpenIntent(tx)) !== null) throw conflict("another change is under way; try again in a moment");
    const { providerSubscriptionId } = subscription;
    if (providerSubscriptionId == null) throw conflict("the subscription has no counterpart at the payment provider");
    subscription.revision += 1;
    const id = newId();
    tx.em.create(BillingIntentRow, {
      orgId: tx.orgId,
      id,
      kind,
      subscriptionId: providerSubscriptionId,
      plan,
      status: "open",
      keyVersion: 1,
      revision: subscription.revision,
      attempts: 0,
      dueAt: new Date(tx.now.getTime() + firstDueMs),
      createdAt: tx.now,
      updatedAt: tx.now,
    });
    return id;
  }

  /** Does what an intent says, and brings the organization to the result. Throws when it is not done. */
  async run(orgId: string, id: string): Promise<void> {
    const outcome = await this.#attempt(orgId, id);
    if (outcome === "declined") throw conflict("the payment was declined, so the plan stays; open the portal");
    if (outcome === "refused")
      throw conflict("the payment provider refused the change; the log of this installation says why");
    if (outcome === "open") throw providerUnavailable();
  }

  /** Finishes a change that is under way, so that the next one begins where that one ends. */
  async finish(orgId: string): Promise<void> {
    const open = await this.#database.read(orgId, findOpenIntent);
    if (open !== null && (await this.#attempt(orgId, open.id)) === "open") throw providerUnavailable();
  }

  /** Finishes what is due. Returns how many intents it looked at. */
  async sweep(): Promise<number> {
    const due = await lookUpDueIntents(this.#database, this.#parts.clock.now(), batch);
    for (const { orgId, id } of due) {
      await this.#attempt(orgId, id).catch((err: unknown) => {
        this.#parts.log.error({ err, orgId, intentId: id }, "a change at Stripe could not be finished");
      });
    }
    return due.length;
  }

  /** Never throws for a failure of Stripe's: it is written into the intent. */
  async #attempt(orgId: string, id: string): Promise<Outcome> {
    try {
      return await this.#steps(orgId, id);
    } catch (error) {
      if (!(error instanceof StripeFailure)) throw error;
      this.#parts.log.warn({ orgId, intentId: id, reason: error.message }, "a change at Stripe failed");
      const outcome = await this.#fail(orgId, id, error);
      if (outcome !== "open") await this.#parts.sync.converge(orgId);
      return outcome;
    }
  }

  async #steps(orgId: string, id: string): Promise<Outcome> {
    const { api, sync } = this.#parts;
    let last: Step["name"] | undefined;
    for (let i = 0; i < maxSteps; i++) {
      const found = await this.#database.read(orgId, async (tx) => ({
        intent: await findIntent(tx, id),
        customerId: (await findSubscription(tx))?.customerId ?? null,
      }));
      const { intent, customerId } = found;
      if (intent === null || customerId === null) return "done";
      if (intent.status !== "open") return intent.status === "done" ? "done" : "refused";
      const { subscriptions } = await api.readCustomer(customerId);
      const facts = subscriptions.find((subscription) => subscription.id === intent.subscriptionId);
      const step = nextStep({ kind: intent.kind, plan: intent.plan ?? null }, facts, api.settings);
      if (step === undefined) {
        await sync.converge(orgId);
        await this.#close(orgId, id, { status: "done", error: null });
        return "done";
      }
      // The answer to the key was remembered, and did not bring what it says.
      if (step.name === last) throw new StripeFailure(step.name, "broken", ["it had no effect"]);
      last = step.name;
      await step.run(api, keyOf(intent, step));
    }
    throw new StripeFailure("change", "broken", ["it takes more steps than it has"]);
  }

  #fail(orgId: string, id: string, failure: StripeFailure): Promise<Outcome> {
    return this.#database.systemTransaction(orgId, async (tx) => {
      await lockBilling(tx);
      const intent = await findIntent(tx, id);
      if (intent?.status !== "open") return "refused";
      intent.error = failure.message;
      intent.updatedAt = tx.now;
      const isFinal = failure.kind === "declined" || failure.kind === "refused" || failure.kind === "missing";
      if (isFinal || tx.now.getTime() - intent.createdAt.getTime() > giveUpMs) {
        intent.status = "failed";
        return failure.kind === "declined" ? "declined" : "refused";
      }
      if (failure.kind === "broken") intent.keyVersion += 1;
      intent.dueAt = new Date(tx.now.getTime() + backOffMs(intent.attempts, backOff));
      intent.attempts += 1;
      return "open";
    });
  }

  #close(orgId: string, id: string, result: Pick<BillingIntentRow, "status" | "error">): Promise<void> {
    return this.#database.systemTransaction(orgId, async (tx) => {
      const intent = await findIntent(tx, id);
      if (intent?.status !== "open") return;
      tx.em.assign(intent, { ...result, updatedAt: tx.now });
    });
  }
}

/** Nobody knows whether it took effect. */
export function providerUnavailable(cause?: StripeFailure): Fault {
  const message =
    "the payment provider does not answer as it should; a change may still be made within minutes, see the summary";
  return new Fault(Reason.UNAVAILABLE, message, cause === undefined ? {} : { cause });
}

function keyOf({ orgId, revision, keyVersion }: BillingIntentRow, { name }: Step): string {
  return `change:${orgId}:${revision}:${name}${keyVersion === 1 ? "" : `:${keyVersion}`}`;
}
