import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  DeliveryState,
  type WebhookAttemptSchema,
  type WebhookDeliverySchema,
  type WebhookSchema,
} from "../../../gen/policyguard/control/v1/webhook_pb.ts";
import type {
  ListWebhookDeliveriesRequest,
  WebhookService,
} from "../../../gen/policyguard/control/v1/webhook_service_pb.ts";
import type { DeliveryDetail, WebhookDeliveries } from "../../domain/webhook/delivery-history.ts";
import type { Webhooks } from "../../domain/webhook/webhook.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { eventNames, eventNumbers } from "../event/event-name.ts";
import { timestamp } from "../time.ts";

type View = Awaited<ReturnType<Webhooks["update"]>>;
type Row = View["row"];
type DeliveryRow = DeliveryDetail["delivery"];
type AttemptRow = DeliveryDetail["attempts"][number];

const states: Record<DeliveryRow["state"], DeliveryState> = {
  pending: DeliveryState.PENDING,
  delivered: DeliveryState.DELIVERED,
  dropped: DeliveryState.DROPPED,
};

/** What the handlers call. */
export interface WebhookDomain {
  readonly webhooks: Webhooks;
  readonly deliveries: WebhookDeliveries;
}

/** Handlers of WebhookService. */
export function webhookHandlers({ webhooks, deliveries }: WebhookDomain): ServiceImpl<typeof WebhookService> {
  return {
    ...deliveryHandlers(deliveries),
    createWebhook: async ({ url, events, generateSecret }, context) => {
      const input = { url, events: eventNames(events), generateSecret: generateSecret ?? false };
      const { row, secret } = await webhooks.create(callerOf(context), input);
      return { ...webhookMessage(row), secret };
    },
    listWebhooks: async (request, context) => {
      const [rows, total] = await webhooks.list(callerOf(context), pageOf(request));
      return { total, webhooks: rows.map(viewMessage) };
    },
    getWebhook: async ({ webhookId }, context) => ({
      webhook: viewMessage(await webhooks.get(callerOf(context), webhookId)),
    }),
    updateWebhook: async ({ webhookId, url, events, isActive }, context) => {
      const change = { url, events: events.length === 0 ? undefined : eventNames(events), isActive };
      return { webhook: viewMessage(await webhooks.update(callerOf(context), webhookId, change)) };
    },
    deleteWebhook: async ({ webhookId }, context) => {
      await webhooks.delete(callerOf(context), webhookId);
      return {};
    },
    rotateWebhookSecret: async ({ webhookId }, context) => {
      const { id, secret, previousExpiresAt } = await webhooks.rotateSecret(callerOf(context), webhookId);
      return { id, secret, previousExpiresAt: timestamp(previousExpiresAt) };
    },
    testWebhook: async ({ webhookId }, context) => {
      const { statusCode, delivered, error } = await webhooks.test(callerOf(context), webhookId);
      return { statusCode: statusCode ?? undefined, delivered, error: error ?? undefined };
    },
  };
}

type DeliveryMethod =
  | "listWebhookDeliveries"
  | "getWebhookDelivery"
  | "redeliverWebhookDelivery"
  | "redeliverFailedDeliveries";

function deliveryHandlers(deliveries: WebhookDeliveries): Pick<ServiceImpl<typeof WebhookService>, DeliveryMethod> {
  return {
    listWebhookDeliveries: async (request, context) => {
      const page = pageOf(request);
      const [rows, total] = await deliveries.list(callerOf(context), request.webhookId, page, filterOf(request));
      return { total, ...page, deliveries: rows.map(deliveryMessage) };
    },
    getWebhookDelivery: async ({ webhookId, deliveryId }, context) => {
      const { delivery, attempts } = await deliveries.get(callerOf(context), webhookId, deliveryId);
      return { delivery: deliveryMessage(delivery), attempts: attempts.map(attemptMessage) };
    },
    redeliverWebhookDelivery: async ({ webhookId, deliveryId }, context) => ({
      delivery: deliveryMessage(await deliveries.redeliver(callerOf(context), webhookId, deliveryId)),
    }),
    redeliverFailedDeliveries: async ({ webhookId, since }, context) => {
      // Validated: `since` is required.
      const from = since === undefined ? new Date(0) : timestampDate(since);
      return { count: await deliveries.redeliverFailed(callerOf(context), webhookId, from) };
    },
  };
}

function filterOf({ state, event, since, until }: ListWebhookDeliveriesRequest) {
  return {
    state: stateName(state),
    event: eventNames([event])[0],
    since: since && timestampDate(since),
    until: until && timestampDate(until),
  };
}

function viewMessage({ row, last }: View): MessageInitShape<typeof WebhookSchema> {
  return {
    ...webhookMessage(row),
    lastDeliveryState: last && states[last.state],
    lastDeliveryAt: timestamp(last?.at),
    failingSince: timestamp(row.failingSince),
  };
}

/** What is known of a webhook from its creation on. */
function webhookMessage(row: Row) {
  return {
    id: row.id,
    orgId: row.orgId,
    url: row.url,
    events: eventNumbers(row.events),
    isActive: row.isActive,
    createdAt: timestamp(row.createdAt),
    hasSecret: row.secret != null,
  } satisfies MessageInitShape<typeof WebhookSchema>;
}

function deliveryMessage(row: DeliveryRow): MessageInitShape<typeof WebhookDeliverySchema> {
  return {
    id: row.id,
    webhookId: row.webhookId,
    eventId: row.eventId,
    event: eventNumbers([row.event])[0],
    state: states[row.state],
    attempts: row.attempts,
    statusCode: row.statusCode ?? undefined,
    error: row.error ?? undefined,
    nextAttemptAt: timestamp(row.nextAttemptAt),
    createdAt: timestamp(row.createdAt),
    finishedAt: timestamp(row.finishedAt),
  };
}

function attemptMessage(row: AttemptRow): MessageInitShape<typeof WebhookAttemptSchema> {
  return {
    number: row.number,
    startedAt: timestamp(row.startedAt),
    durationMs: row.durationMs,
    statusCode: row.statusCode ?? undefined,
    error: row.error ?? undefined,
    answer: row.answer ?? undefined,
  };
}

function stateName(state: DeliveryState): DeliveryRow["state"] | undefined {
  const names: readonly DeliveryRow["state"][] = ["pending", "delivered", "dropped"];
  return names.find((name) => states[name] === state);
}
