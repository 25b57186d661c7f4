// The connection to Stripe that the configuration names, if any, and what billing does over it.

import { Counter } from "prom-client";
import type { NoticeMailer } from "./domain/billing/notice.ts";
import { ProviderChanges } from "./domain/billing/provider-change.ts";
import type { EventResult } from "./domain/billing/provider-event.ts";
import { ProviderSync } from "./domain/billing/provider-sync.ts";
import type { Outbound } from "./kit/net/outbound/client.ts";
import type { Logger } from "./kit/observability/log.ts";
import type { Metrics } from "./kit/observability/metrics.ts";
import type { Clock } from "./kit/process/clock.ts";
import { readStripeSettings, type StripeVariables } from "./platform/stripe/settings.ts";
import { StripeApi } from "./platform/stripe/stripe.ts";
import type { Database } from "./store/connection/database.ts";

/** What a connection is made from, besides the configuration. */
export interface StripeConnectionParts {
  readonly database: Database;
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly log: Logger;
  readonly graceMs: number;
  readonly mailer: NoticeMailer;
  /** Undefined for a command, which nobody measures. */
  readonly metrics: Metrics | undefined;
}

/** What billing does at Stripe. */
export type StripeConnection = NonNullable<ReturnType<typeof connectStripe>>;

/** The connection; undefined when Stripe is not configured. Throws when only half of it is. */
export function connectStripe(config: StripeVariables, parts: StripeConnectionParts) {
  const settings = readStripeSettings(config);
  if (settings === undefined) return undefined;
  const { database, outbound, clock, log, graceMs, mailer, metrics } = parts;
  const { onCall, onSurplus } = createProviderMetrics(metrics, log);
  const api = new StripeApi({ settings, outbound, clock, onCall });
  const sync = new ProviderSync(database, { api, graceMs, mailer, onSurplus });
  const changes = new ProviderChanges(database, { api, sync, clock, log });
  return { api, sync, changes };
}

function createProviderMetrics(metrics: Metrics | undefined, log: Logger) {
  const registers = metrics === undefined ? [] : [metrics.registry];
  const calls = new Counter({
    name: "billing_provider_calls_total",
    help: "Calls to Stripe, by what they do and what came of them.",
    labelNames: ["operation", "result"],
    registers,
  });
  const surplus = new Counter({
    name: "billing_surplus_subscriptions_total",
    help: "Looks at customers that pay for more than one subscription.",
    registers,
  });
  return {
    onCall: (call: { readonly operation: string; readonly result: string }) => calls.inc(call),
    onSurplus: (facts: { readonly orgId: string; readonly subscriptionIds: string[] }) => {
      surplus.inc();
      log.error(facts, "an organization pays for more than one subscription; end the others in Stripe, and pay back");
    },
  };
}

/** Registers the counter of events and returns what counts one. */
export function createEventMetrics({ registry }: Metrics): (result: EventResult) => void {
  const events = new Counter({
    name: "billing_provider_events_total",
    help: "Events of Stripe, by what became of them: queued, repeated, foreign, refused.",
    labelNames: ["result"],
    registers: [registry],
  });
  return (result) => events.inc({ result });
}
