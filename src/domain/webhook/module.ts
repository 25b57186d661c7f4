// The services of this room: webhooks and the history of their deliveries.

import type { Outbound } from "../../kit/net/outbound/client.ts";
import type { NetworkGuard } from "../../kit/net/outbound/guard.ts";
import type { Clock } from "../../kit/process/clock.ts";
import type { Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import { WebhookDeliveries } from "./delivery-history.ts";
import { Webhooks } from "./webhook.ts";

/** What the services are built from. */
export interface WebhookParts {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly guard: NetworkGuard;
  readonly outbound: Outbound;
  readonly clock: Clock;
}

/** Builds the services. */
export function createWebhookDomain({ database, sealer, guard, outbound, clock }: WebhookParts) {
  return {
    webhooks: new Webhooks(database, { sealer, guard, outbound, clock }),
    deliveries: new WebhookDeliveries(database),
  };
}
