// The services of this room: webhooks.

import type { ConnectRouter } from "@connectrpc/connect";
import { WebhookService } from "../../../gen/policyguard/control/v1/webhook_service_pb.ts";
import { type WebhookDomain, webhookHandlers } from "./webhook.ts";

/** Registers the services. */
export function registerWebhookServices(router: ConnectRouter, domain: WebhookDomain): void {
  router.service(WebhookService, webhookHandlers(domain));
}
