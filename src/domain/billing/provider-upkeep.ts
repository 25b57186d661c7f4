// What is done at Stripe, and because of it, without anybody asking: looking at all customers, repeating events that
// never arrived, and ending what a deleted organization has bought.

import type { Logger } from "../../kit/observability/log.ts";
import type { Clock } from "../../kit/process/clock.ts";
import type { StripeApi } from "../../platform/stripe/stripe.ts";
import { purgeIntents } from "../../store/billing/billing-intent.ts";
import { purgeProviderEvents } from "../../store/billing/provider-event.ts";
import { lookUpCustomer, lookUpCustomers } from "../../store/billing/subscription.ts";
import type { Database } from "../../store/connection/database.ts";
import type { ProviderSync, SyncOptions, SyncResult } from "./provider-sync.ts";

/** What it works with. */
export interface ProviderUpkeepParts {
  readonly api: StripeApi;
  readonly sync: ProviderSync;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What a look at many organizations found. */
export interface Reconciliation {
  /** Organizations that were looked at. */
  readonly organizations: number;
  /** Those that stood otherwise than Stripe says, and stand so no more. */
  readonly changed: readonly SyncResult[];
  /** Those that Stripe gave no answer about. */
  readonly failed: readonly string[];
}

/** Traces of events and of finished changes are kept as long as notices. */
const keptMs = 31 * 86_400_000;

/** Looks after customers of Stripe. */
export class ProviderUpkeep {
  readonly #database: Database;
  readonly #parts: ProviderUpkeepParts;

  /** The database as the worker's login, which alone may look at all organizations. */
  constructor(database: Database, parts: ProviderUpkeepParts) {
    this.#database = database;
    this.#parts = parts;
  }

  /** Brings every customer with something live, or something that ended lately, to what Stripe says. */
  async reconcile(options: SyncOptions = {}): Promise<Reconciliation> {
    const since = new Date(this.#parts.clock.now().getTime() - keptMs);
    const orgIds = await lookUpCustomers(this.#database, since);
    const result = await this.#convergeAll(orgIds, options);
    if (options.isDryRun !== true) for (const orgId of orgIds) await this.#purge(orgId, since);
    return result;
  }

  /** Brings the organizations that Stripe's events since a moment are about to what Stripe says. */
  async replay(since: Date, options: SyncOptions = {}): Promise<Reconciliation> {
    const customers = new Set<string>();
    for await (const { customerId } of this.#parts.api.listEvents(since)) {
      if (customerId !== undefined) customers.add(customerId);
    }
    const orgIds = await Promise.all([...customers].map((id) => lookUpCustomer(this.#database, id)));
    return this.#convergeAll(
      orgIds.filter((orgId) => orgId !== undefined),
      options,
    );
  }

  /** Ends pages to pay on, and every subscription, of a customer whose organization is gone. */
  async end(customerId: string, sessionIds: readonly string[]): Promise<void> {
    const { api, log } = this.#parts;
    for (const id of sessionIds) await api.expireCheckout(id);
    const { subscriptions } = await api.readCustomer(customerId);
    for (const { id, status } of subscriptions) {
      if (status === "canceled" || status === "incomplete_expired") continue;
      await api.endSubscription(id, `end:${id}`);
      log.info({ customerId, subscriptionId: id }, "ended the subscription of a deleted organization");
    }
  }

  async #convergeAll(orgIds: readonly string[], options: SyncOptions): Promise<Reconciliation> {
    const changed: SyncResult[] = [];
    const failed: string[] = [];
    for (const orgId of orgIds) {
      try {
        const result = await this.#parts.sync.converge(orgId, options);
        if (result?.isChanged === true) changed.push(result);
      } catch (err) {
        failed.push(orgId);
        this.#parts.log.error({ err, orgId }, "an organization could not be compared with Stripe");
      }
    }
    return { organizations: orgIds.length, changed, failed };
  }

  #purge(orgId: string, before: Date): Promise<void> {
    return this.#database.systemTransaction(orgId, async (tx) => {
      await purgeIntents(tx, before);
      await purgeProviderEvents(tx, before);
    });
  }
}
