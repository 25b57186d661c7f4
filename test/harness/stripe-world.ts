// Billing at the stand-in for Stripe: the services as processes build them, on one database, with one clock.

import { Billing, type BillingOptions } from "../../src/domain/billing/billing.ts";
import { BillingUpkeep } from "../../src/domain/billing/billing-upkeep.ts";
import { readPrices } from "../../src/domain/billing/price.ts";
import { ProviderChanges } from "../../src/domain/billing/provider-change.ts";
import { type EventResult, ProviderEvents } from "../../src/domain/billing/provider-event.ts";
import { ProviderSync } from "../../src/domain/billing/provider-sync.ts";
import { ProviderUpkeep } from "../../src/domain/billing/provider-upkeep.ts";
import { StripeProvider } from "../../src/domain/billing/stripe-provider.ts";
import { createOutbound } from "../../src/kit/net/outbound/client.ts";
import { createNetworkGuard } from "../../src/kit/net/outbound/guard.ts";
import { createLog } from "../../src/kit/observability/log.ts";
import { readStripeSettings, type StripeVariables } from "../../src/platform/stripe/settings.ts";
import { StripeApi } from "../../src/platform/stripe/stripe.ts";
import { type Database, openDatabase } from "../../src/store/connection/database.ts";
import { createTestDatabase } from "./database.ts";
import { type FakeStripe, fakeStripeKey, fakeWebhookSecret, signedEvent, startFakeStripe } from "./fake-stripe.ts";
import { createMovedClock } from "./moved-clock.ts";
import type { FakeEvent } from "./stripe-account.ts";

const dayMs = 86_400_000;

/** Everything that billing at Stripe consists of. */
export type StripeWorld = Awaited<ReturnType<typeof createStripeWorld>>;

/** The variables that connect the stand-in. */
export function stripeVariables(fake: FakeStripe, more: Partial<StripeVariables> = {}): StripeVariables {
  return {
    stripeSecretKey: fakeStripeKey,
    stripeWebhookSecrets: ["whsec_theformerone", fakeWebhookSecret],
    stripePriceGrowth: ["price_growth", "price_growthofold"],
    stripePriceEnterprise: ["price_enterprise"],
    stripeAutomaticTax: "off",
    stripeApiUrl: fake.url,
    allowNetworks: ["127.0.0.0/8"],
    ...more,
  };
}

/** Puts it together. `variables` override those of the connection. */
export async function createStripeWorld(variables: Partial<StripeVariables> = {}) {
  const clock = createMovedClock(new Date("2026-01-31T10:30:00Z"));
  const fake = await startFakeStripe(clock);
  for (const [price, amount] of [
    ["price_growth", 4_900],
    ["price_growthofold", 3_900],
    ["price_enterprise", 49_000],
  ] as const)
    fake.account.prices.set(price, amount);

  const urls = await createTestDatabase();

  const database = await openDatabase({ url: urls.applicationUrl, poolSize: 6, clock });
  const worker = await openDatabase({ url: urls.workerUrl, poolSize: 4, clock });

  const outbound = createOutbound({ guard: createNetworkGuard({ allowNetworks: ["127.0.0.0/8"], dnsServers: [] }) });
  const settings = readStripeSettings(stripeVariables(fake, variables));
  if (settings === undefined) throw new Error("the stand-in is not connected");
  const terms = { prices: readPrices(["growth=1"]), graceMs: 7 * dayMs, trialDays: 0, mailer: undefined };
  const options: BillingOptions = { ...terms, mode: "stripe", publicUrl: "https://guard.example.com" };
  const log = createLog({ name: "test", level: "silent" });
  const api = new StripeApi({ settings, outbound, clock, maxRetries: 0 });
  const surplus: string[][] = [];
  const on = (place: Database) => {
    const sync = new ProviderSync(place, {
      ...{ api, graceMs: options.graceMs, mailer: undefined },
      onSurplus: ({ subscriptionIds }) => surplus.push(subscriptionIds),
    });
    return { api, sync, changes: new ProviderChanges(place, { api, sync, clock, log }) };
  };
  const here = on(database);
  const there = on(worker);
  const results: EventResult[] = [];
  const events = new ProviderEvents(database, api, (result) => results.push(result));
  return {
    ...{ urls, clock, fake, account: fake.account, database, worker, options, settings, api, surplus, results, events },
    ...here,
    billing: new Billing(database, options, new StripeProvider(database, { ...here, options })),
    /** What the worker has: its own connection, and its own way to Stripe. */
    jobs: {
      ...there,
      upkeep: new ProviderUpkeep(worker, { ...there, clock, log }),
      billing: new BillingUpkeep(worker, clock, terms),
    },
    /** Delivers an event as Stripe does. Rejects when it is refused. */
    deliver(event: FakeEvent, { at = clock.now(), secret = fakeWebhookSecret } = {}): Promise<EventResult> {
      const { body, signature } = signedEvent(event, { at, secret });
      return events.receive(body, signature);
    },
    async close() {
      await Promise.all([database.close(), worker.close(), outbound.close()]);
      await Promise.all([fake.close(), urls.drop()]);
    },
  };
}

/** The id of the page that an address leads to. */
export function sessionOf(url: string): string {
  return /\/pay\/(\w+)/.exec(url)?.[1] ?? "";
}
