// Webhooks: addresses that are told of events. An address is looked up and checked before any transaction, since the
// time that takes depends on the customer's name server.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, notFound } from "../../kit/fault/fault.ts";
import type { Outbound } from "../../kit/net/outbound/client.ts";
import type { CheckedTarget, NetworkGuard } from "../../kit/net/outbound/guard.ts";
import type { Clock } from "../../kit/process/clock.ts";
import { newId } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import type { Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { dropPending, type LastDelivery, lastDeliveries } from "../../store/webhook/delivery.ts";
import {
  countWebhooksLocked,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  lockWebhook,
  WebhookRow,
} from "../../store/webhook/webhook.ts";
import { eventBody, newEventId } from "../event/event.ts";
import { inactiveError, verdictOf } from "./delivery.ts";
import { newSecret, openSecrets, type SendAnswer, sealSecret, secretOverlapMs, sendToWebhook } from "./request.ts";
import { auditView, resourceOf } from "./view.ts";

/** Webhooks of one organization. */
export const webhookLimit = 100;

/** What the service is built from. */
export interface WebhookServices {
  readonly sealer: Sealer;
  readonly guard: NetworkGuard;
  readonly outbound: Outbound;
  readonly clock: Clock;
}

/** A new webhook: its row, and the secret, which cannot be read again. */
export interface CreatedWebhook {
  readonly row: WebhookRow;
  readonly secret: string | undefined;
}

/** A webhook with its newest delivery; undefined when it has none. */
export interface WebhookView {
  readonly row: WebhookRow;
  readonly last: LastDelivery | undefined;
}

/** The result of a test. */
export interface WebhookTest {
  readonly statusCode: number | null;
  readonly delivered: boolean;
  readonly error: string | null;
}

/** Creates, lists, changes, tests and deletes webhooks. */
export class Webhooks {
  readonly #database: Database;
  readonly #services: WebhookServices;

  constructor(database: Database, services: WebhookServices) {
    this.#database = database;
    this.#services = services;
  }

  /** Subscribes an address. */
  async create(
    caller: Caller,
    input: { readonly url: string; readonly events: readonly string[]; readonly generateSecret: boolean },
  ): Promise<CreatedWebhook> {
    const url = plainUrl(input.url, await this.#services.guard.check(input.url));
    return this.#database.transaction(caller, async (tx) => {
      if ((await countWebhooksLocked(tx)) >= webhookLimit) throw limitReached();
      const id = newId();
      const secret = input.generateSecret ? newSecret() : undefined;
      const row = tx.em.create(WebhookRow, {
        orgId: tx.orgId,
        id,
        url,
        events: [...new Set(input.events)],
        isActive: true,
        secret: secret === undefined ? null : sealSecret(this.#services.sealer, secret, { orgId: tx.orgId, id }),
        previousSecret: null,
        previousExpiresAt: null,
        failingSince: null,
        createdAt: tx.now,
        updatedAt: tx.now,
      });
      tx.changed({ resource: resourceOf(id), before: null, after: auditView(row) });
      return { row, secret };
    });
  }

  /** A page of the webhooks. */
  list(caller: Caller, page: Page): Promise<[WebhookView[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      const [rows, total] = await listWebhooks(tx, page);
      return [await viewsOf(tx, rows), total];
    });
  }

  /** The webhook. */
  get(caller: Caller, id: string): Promise<WebhookView> {
    return this.#database.read(caller.orgId, async (tx) => viewOf(tx, required(await findWebhook(tx, id))));
  }

  /** Changes the given fields. A webhook that becomes inactive drops its pending deliveries. */
  async update(
    caller: Caller,
    id: string,
    change: { readonly url?: string; readonly events?: readonly string[]; readonly isActive?: boolean },
  ): Promise<WebhookView> {
    // A caller who may not see the webhook must not learn what names resolve to, either.
    await this.#find(caller, id);
    const url =
      change.url === undefined ? undefined : plainUrl(change.url, await this.#services.guard.check(change.url));
    return this.#database.transaction(caller, async (tx) => {
      const row = required(await lockWebhook(tx, id));
      const before = auditView(row);
      if (url !== undefined) row.url = url;
      if (change.events !== undefined) row.events = [...new Set(change.events)];
      if (change.isActive !== undefined) row.isActive = change.isActive;
      // Another target, or another try with the same one: earlier failures do not count.
      if (row.url !== before.url || (row.isActive && !before.is_active)) row.failingSince = null;
      row.updatedAt = tx.now;
      if (!row.isActive) await dropPending(tx, id, inactiveError);
      tx.changed({ resource: resourceOf(id), before, after: auditView(row) });
      return viewOf(tx, row);
    });
  }

  /** Deletes the webhook and its pending deliveries. */
  delete(caller: Caller, id: string): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const row = required(await lockWebhook(tx, id));
      tx.changed({ resource: resourceOf(id), before: auditView(row), after: null });
      tx.em.clear();
      await deleteWebhook(tx, id);
    });
  }

  /** Makes a new secret. The former one, if any, signs too for a day, until `previousExpiresAt`. */
  rotateSecret(
    caller: Caller,
    id: string,
  ): Promise<{ readonly id: string; readonly secret: string; readonly previousExpiresAt: Date | null }> {
    return this.#database.transaction(caller, async (tx) => {
      const row = required(await lockWebhook(tx, id));
      const secret = newSecret();
      const previousExpiresAt = row.secret == null ? null : new Date(tx.now.getTime() + secretOverlapMs);
      const before = auditView(row);
      row.previousSecret = row.secret ?? null;
      row.previousExpiresAt = previousExpiresAt;
      row.secret = sealSecret(this.#services.sealer, secret, row);
      row.updatedAt = tx.now;
      tx.changed({ resource: resourceOf(id), before, after: auditView(row) });
      return { id, secret, previousExpiresAt };
    });
  }

  /** Sends a synthetic event now and returns the result: of the target's answer only the status. */
  async test(caller: Caller, id: string): Promise<WebhookTest> {
    const row = await this.#find(caller, id);
    const { statusCode, error } = await this.#sendTest(row);
    const result = { statusCode, delivered: verdictOf(statusCode) === "delivered", error };
    await this.#database.transaction(caller, async (tx) => {
      tx.changed({ resource: resourceOf(id), before: null, after: { status_code: statusCode } });
    });
    return result;
  }

  #find(caller: Caller, id: string): Promise<WebhookRow> {
    return this.#database.read(caller.orgId, async (tx) => required(await findWebhook(tx, id)));
  }

  #sendTest(row: WebhookRow): Promise<SendAnswer> {
    const { sealer, outbound, clock } = this.#services;
    const sentAt = clock.now();
    const event = "webhook.test";
    const eventId = newEventId();
    const data = { webhook_id: row.id };
    const body = eventBody({ id: eventId, event, createdAt: sentAt, orgId: row.orgId, data });
    return sendToWebhook(outbound, row, {
      id: eventId,
      event,
      attempt: 1,
      sentAt,
      body: Buffer.from(body, "utf8"),
      ...openSecrets(sealer, row, sentAt),
    });
  }
}

async function viewOf(tx: Transaction, row: WebhookRow): Promise<WebhookView> {
  return { row, last: (await lastDeliveries(tx, [row.id])).get(row.id) };
}

async function viewsOf(tx: Transaction, rows: readonly WebhookRow[]): Promise<WebhookView[]> {
  const ids = rows.map(({ id }) => id);
  const last = await lastDeliveries(tx, ids);
  return rows.map((row) => ({ row, last: last.get(row.id) }));
}

function required(row: WebhookRow | null): WebhookRow {
  if (row === null) throw notFound("webhook");
  return row;
}

function limitReached(): Fault {
  return new Fault(Reason.LIMIT_REACHED, `an organization has at most ${webhookLimit} webhooks`, {
    extra: { limit: webhookLimit },
  });
}

// A host name that is not plain ASCII is shown in its ASCII form, so that it cannot imitate a known name.
function plainUrl(text: string, { url }: CheckedTarget): string {
  return /^[\x21-\x7E]+$/.test(text) ? text : url.href;
}
