// What becomes of subscriptions with time: the worker looks at those in which something is due.

import type { Clock } from "../../kit/process/clock.ts";
import { tryEach } from "../../platform/try-each.ts";
import { lookUpDueBilling } from "../../store/billing/subscription.ts";
import type { Database } from "../../store/connection/database.ts";
import { lockBilling } from "../../store/tenancy/organization.ts";
import { serviceCaller } from "../service-caller.ts";
import { advance, type SubscriptionTerms } from "./subscription.ts";
import { auditView, readSummary } from "./summary.ts";

/** Organizations that one look-up finds. */
const batch = 500;

/** Renews, ends and blocks subscriptions, and ends plans of the operator. */
export class BillingUpkeep {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #terms: SubscriptionTerms;

  constructor(database: Database, clock: Clock, terms: SubscriptionTerms) {
    this.#database = database;
    this.#clock = clock;
    this.#terms = terms;
  }

  /**
   * Does what is due. Returns how many organizations it looked at. A failure in one does not stop the others: at the
   * end, an AggregateError contains the failures.
   */
  async advance(): Promise<number> {
    const due = await lookUpDueBilling(this.#database, this.#clock.now(), batch);
    await tryEach(due, { nameOf: (orgId) => orgId, work: (orgId) => this.#advanceOne(orgId) });
    return due.length;
  }

  #advanceOne(orgId: string): Promise<void> {
    const author = serviceCaller(orgId, { action: "billing.advance", requestId: "", address: "" });
    return this.#database.transaction(author, async (tx) => {
      await lockBilling(tx);
      const before = auditView(await readSummary(tx));
      await advance(tx, this.#terms);
      const after = auditView(await readSummary(tx));
      if (JSON.stringify(before) === JSON.stringify(after)) return;
      tx.changed({ resource: `subscription/${orgId}`, before, after });
    });
  }
}
