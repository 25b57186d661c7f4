// The history of a webhook's deliveries, and redelivery. A redelivery is a new delivery of the same event: it has the
// same event id, by which receivers notice repetitions.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, notFound } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { listAttempts, type WebhookAttemptRow } from "../../store/webhook/attempt.ts";
import {
  addRedeliveries,
  addRedelivery,
  type DeliveryFilter,
  findDelivery,
  listDeliveries,
  type WebhookDeliveryRow,
} from "../../store/webhook/delivery.ts";
import { findWebhook, lockWebhook } from "../../store/webhook/webhook.ts";
import { enqueueJob } from "../job.ts";
import { keptMs } from "./delivery.ts";

/** Events that one call delivers again. */
const redeliveryLimit = 10_000;

/** A delivery with its attempts. */
export interface DeliveryDetail {
  readonly delivery: WebhookDeliveryRow;
  readonly attempts: readonly WebhookAttemptRow[];
}

/** Lists, reads and repeats deliveries. */
export class WebhookDeliveries {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A page of the webhook's deliveries. */
  list(
    caller: Caller,
    webhookId: string,
    page: Page,
    filter: DeliveryFilter = {},
  ): Promise<[WebhookDeliveryRow[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      if ((await findWebhook(tx, webhookId)) === null) throw notFound("webhook");
      return listDeliveries(tx, webhookId, page, filter);
    });
  }

  /** The delivery with each attempt that was made. */
  get(caller: Caller, webhookId: string, id: string): Promise<DeliveryDetail> {
    return this.#database.read(caller.orgId, async (tx) => {
      if ((await findWebhook(tx, webhookId)) === null) throw notFound("webhook");
      const delivery = required(await findDelivery(tx, webhookId, id));
      return { delivery, attempts: await listAttempts(tx, id) };
    });
  }

  /** Delivers the event once more. */
  redeliver(caller: Caller, webhookId: string, id: string): Promise<WebhookDeliveryRow> {
    return this.#database.transaction(caller, async (tx) => {
      const active = await lockKnown(tx, webhookId);
      const { eventId } = required(await findDelivery(tx, webhookId, id));
      assertActive(active);
      const addedId = await addRedelivery(tx, id, oldestRedeliverable(tx));
      if (addedId === undefined) throw notFound("delivery");
      await wake(tx, webhookId);
      tx.changed({
        resource: `webhook/${webhookId}`,
        before: null,
        after: { delivery_id: addedId, event_id: eventId },
      });
      return required(await findDelivery(tx, webhookId, addedId));
    });
  }

  /** Delivers dropped events since the moment again, unless they have been delivered after all. Returns how many. */
  redeliverFailed(caller: Caller, webhookId: string, since: Date): Promise<number> {
    return this.#database.transaction(caller, async (tx) => {
      assertActive(await lockKnown(tx, webhookId));
      const from = new Date(Math.max(since.getTime(), oldestRedeliverable(tx).getTime()));
      const count = await addRedeliveries(tx, webhookId, { since: from, limit: redeliveryLimit });
      if (count > 0) await wake(tx, webhookId);
      tx.changed({ resource: `webhook/${webhookId}`, before: null, after: { since: from.toISOString(), count } });
      return count;
    });
  }
}

// Locked against deactivation, which drops pending deliveries, and against another call that would redeliver the same
// events.
async function lockKnown(tx: Transaction, webhookId: string): Promise<boolean> {
  const webhook = await lockWebhook(tx, webhookId);
  if (webhook === null) throw notFound("webhook");
  return webhook.isActive;
}

function assertActive(isActive: boolean): void {
  if (!isActive) throw new Fault(Reason.CONFLICT, "the webhook is not active; activate it first");
}

// Older events may be purged before they are delivered.
function oldestRedeliverable(tx: Transaction): Date {
  return new Date(tx.now.getTime() - keptMs);
}

function wake(tx: Transaction, webhookId: string): Promise<void> {
  return enqueueJob(tx, "deliver-webhook", { org_id: tx.orgId, webhook_id: webhookId });
}

function required(row: WebhookDeliveryRow | null): WebhookDeliveryRow {
  if (row === null) throw notFound("delivery");
  return row;
}
