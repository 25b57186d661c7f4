import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  DeliveryState,
  type WebhookDeliverySchema,
  type WebhookSchema,
} from "../../gen/policyguard/control/v1/webhook_pb.ts";
import type { WebhookService } from "../../gen/policyguard/control/v1/webhook_service_pb.ts";
import type { Webhooks } from "../domain/webhook.ts";
import { callerOf } from "../kit/context.ts";
import { eventNames, eventNumbers } from "./event-name.ts";
import { pageOf } from "./page.ts";
import { timestamp } from "./time.ts";

type Row = Awaited<ReturnType<Webhooks["update"]>>;
type DeliveryRow = Awaited<ReturnType<Webhooks["listDeliveries"]>>[0][number];

const states: Record<DeliveryRow["state"], DeliveryState> = {
  pending: DeliveryState.PENDING,
  delivered: DeliveryState.DELIVERED,
  dropped: DeliveryState.DROPPED,
};

/** Handlers of WebhookService. */
export function webhookHandlers(webhooks: Webhooks): ServiceImpl<typeof WebhookService> {
  return {
    createWebhook: async ({ url, events, generateSecret }, context) => {
      const input = { url, events: eventNames(events), generateSecret: generateSecret ?? false };
      const { row, secret } = await webhooks.create(callerOf(context), input);
      return { ...webhookMessage(row), secret };
    },
    listWebhooks: async (request, context) => {
      const [rows, total] = await webhooks.list(callerOf(context), pageOf(request));
      return { total, webhooks: rows.map(webhookMessage) };
    },
    updateWebhook: async ({ webhookId, url, events, isActive }, context) => {
      const change = { url, events: events.length === 0 ? undefined : eventNames(events), isActive };
      return { webhook: webhookMessage(await webhooks.update(callerOf(context), webhookId, change)) };
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
    listWebhookDeliveries: async (request, context) => {
      const page = pageOf(request);
      const state = stateName(request.state);
      const [rows, total] = await webhooks.listDeliveries(callerOf(context), request.webhookId, page, state);
      return { total, ...page, deliveries: rows.map(deliveryMessage) };
    },
  };
}

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

function stateName(state: DeliveryState): DeliveryRow["state"] | undefined {
  const names: readonly DeliveryRow["state"][] = ["pending", "delivered", "dropped"];
  return names.find((name) => states[name] === state);
}
