// Events of Stripe. An event is a hint that something has happened to a customer: nothing else of it is believed, so it
// does no harm when it is repeated, late, out of order or lost. What is true is fetched.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { StripeApi, StripeEvent } from "../../platform/stripe/stripe.ts";
import { noteProviderEvent } from "../../store/billing/provider-event.ts";
import { lookUpCustomer } from "../../store/billing/subscription.ts";
import type { Database } from "../../store/connection/database.ts";
import { enqueueJob } from "../job.ts";

/** What became of an event: it caused a look, was known, or is about nobody here. */
export type EventResult = "queued" | "repeated" | "foreign" | "refused";

/** Takes events. */
export class ProviderEvents {
  readonly #database: Database;
  readonly #api: StripeApi;
  readonly #onEvent: (result: EventResult) => void;

  constructor(database: Database, api: StripeApi, onEvent: (result: EventResult) => void) {
    this.#database = database;
    this.#api = api;
    this.#onEvent = onEvent;
  }

  /** Takes a body with its signature. Throws signature_invalid. */
  async receive(body: Uint8Array, signature: string): Promise<EventResult> {
    const event = await this.#api.readEvent(body, signature);
    const result = event === undefined ? "refused" : await this.#note(event);
    this.#onEvent(result);
    if (result !== "refused") return result;
    const message =
      "no signature of these bytes is by a secret of STRIPE_WEBHOOK_SECRETS and at most five minutes old; " +
      "compare the secret with that of the endpoint in Stripe, and the clock of this machine";
    throw new Fault(Reason.SIGNATURE_INVALID, message);
  }

  async #note({ id, type, customerId }: StripeEvent): Promise<EventResult> {
    const orgId = customerId === undefined ? undefined : await lookUpCustomer(this.#database, customerId);
    if (orgId === undefined) return "foreign";
    return this.#database.systemTransaction(orgId, async (tx) => {
      if (!(await noteProviderEvent(tx, id, type))) return "repeated";
      // One look that has not begun is enough for all events before it.
      await enqueueJob(tx, "apply-provider-event", { org_id: orgId }, { key: `apply-provider-event/${orgId}` });
      return "queued";
    });
  }
}
